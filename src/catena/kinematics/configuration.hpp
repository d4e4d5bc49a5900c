// The configuration space: q lives on a manifold (quaternions), v in its tangent space.
#pragma once

#include <cstdint>

#include "catena/model/model.hpp"

#pragma GCC visibility push(default)
namespace catena {

static_assert(
    EIGEN_MAX_ALIGN_BYTES <= 16 && EIGEN_MALLOC_ALREADY_ALIGNED,
    "Catena exchanges Eigen vectors with its library, which takes their memory from malloc: define "
    "EIGEN_MAX_ALIGN_BYTES=16 and EIGEN_MALLOC_ALREADY_ALIGNED=1 for your program too, as find_package(catena) "
    "does, or they will be freed the wrong way");

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using ConstVector = Eigen::Ref<const Eigen::VectorXd>;
using VectorRef = Eigen::Ref<Eigen::VectorXd>;
using MatrixRef = Eigen::Ref<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;

// All joints at zero, quaternions at identity; moved to the nearer limit where zero lies outside the limits.
Vector neutral_configuration(const Model& model);

// Uniform within limits, uniform orientations; within +-pi or +-1 m where there are no limits, or such that allow more
// than 100 turns or 200 m. Same seed, same q.
Vector random_configuration(const Model& model, std::uint64_t seed);
// Uniform in [-scale, scale], nv numbers.
Vector random_vector(const Model& model, std::uint64_t seed, double scale = 1);

// q moved for unit time with the constant joint velocity v: exact on rotations and rigid motions.
Vector integrate(const Model& model, ConstVector q, ConstVector v);
void integrate(const Model& model, ConstVector q, ConstVector v, VectorRef q_next);

// The v with integrate(q_from, v) = q_to, the shorter way round for spherical, free and planar joints.
Vector difference(const Model& model, ConstVector q_from, ConstVector q_to);
void difference(const Model& model, ConstVector q_from, ConstVector q_to, VectorRef v);

// Quaternions scaled to unit length.
void normalize(const Model& model, VectorRef q);

// Positions, velocities, accelerations, forces and wrenches beyond this are refused, as the doctor refuses such numbers
// of a robot. Forces are sums of products m l l w w: of numbers within it they stay below the largest double, 1.8e308.
inline constexpr double largest_input = 1e50;

// Throw std::invalid_argument naming the argument, the joint and the remedy: wrong size, NaN, infinite or beyond
// largest_input, quaternion not of unit length (1e-6). Every public entry point calls these.
void require_configuration(const Model& model, ConstVector q);
void require_velocity(const Model& model, ConstVector v, const char* what);  // any vector with nv numbers
void require_bounded(const Vector3& x, const std::string& what);             // of the base, of wrenches

}  // namespace catena
#pragma GCC visibility pop
