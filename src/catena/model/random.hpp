// Seeded random numbers that are the same on every platform: splitmix64, no std distributions, only + - * / and sqrt.
// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
#pragma once

#include <Eigen/Geometry>
#include <cstdint>
#include <utility>
#include <vector>

namespace catena {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    std::uint64_t x = (state_ += 0x9e3779b97f4a7c15u);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }

  // In [0, 1), 53 bits.
  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  double between(double lower, double upper) { return lower + (upper - lower) * unit(); }
  // One of 0 ... count - 1.
  int below(int count) { return static_cast<int>(unit() * count); }
  bool chance(double probability) { return unit() < probability; }

  Eigen::Vector3d in_cube(double half_edge) {
    Eigen::Vector3d x;
    for (int i = 0; i < 3; ++i) x[i] = between(-half_edge, half_edge);
    return x;
  }

  // Uniform on the sphere; rejection instead of sines and cosines, whose last bit differs between platforms.
  Eigen::Vector3d direction() { return in_ball<3>().normalized(); }

  // Uniform over all orientations; (x, y, z, w) as everywhere.
  Eigen::Quaterniond orientation() {
    const Eigen::Vector4d x = in_ball<4>().normalized();
    return {x[3], x[0], x[1], x[2]};
  }

  template <class T>
  void shuffle(std::vector<T>& items) {
    for (int i = static_cast<int>(items.size()) - 1; i > 0; --i) {
      const int other = below(i + 1);
      if (other != i) std::swap(items[static_cast<std::size_t>(i)], items[static_cast<std::size_t>(other)]);
    }
  }

 private:
  // Uniform in the unit ball without its middle, so that it can be scaled to unit length.
  template <int N>
  Eigen::Matrix<double, N, 1> in_ball() {
    while (true) {
      Eigen::Matrix<double, N, 1> x;
      for (int i = 0; i < N; ++i) x[i] = between(-1, 1);
      const double length2 = x.squaredNorm();
      if (length2 <= 1 && length2 > 0.01) return x;
    }
  }

  std::uint64_t state_;
};

}  // namespace catena
