// Numbers for people: aligned tables, named matrices, units.
#pragma once

#include "catena/kinematics/configuration.hpp"
#include "cli/output.hpp"

namespace catena::cli {

std::string number(double x, int digits = 6);  // significant digits, "0" for zero
std::string rough(double x, int digits = 1);   // "2.4e-13", for errors
// The first, where rounding noise (below 1e-13 of the largest number beside it) is shown as 0; JSON keeps it.
std::string number(double x, int digits, double largest);
// At least this large, so that among numbers that are noise all (1e-30 J and less) none is shown.
constexpr double least_energy = 1e-17;  // J
double largest_of(const Eigen::Ref<const Matrix>& numbers);
std::size_t display_width(std::string_view utf8);
std::string counted(std::size_t count, const char* noun);  // "1 joint", "3 joints"

class Table {
 public:
  // Headings; one that starts with '>' is a right-aligned column (numbers).
  explicit Table(std::vector<std::string> headings);
  void row(std::vector<std::string> cells, Tone tone = Tone::plain);
  void print(Output& out) const;

 private:
  std::vector<std::string> headings_;
  std::vector<bool> right_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<Tone> tones_;
};

// Rows and columns by name, in blocks of columns that fit the width.
void print_matrix(Output& out, const std::vector<std::string>& rows, const std::vector<std::string>& columns,
                  const Matrix& matrix);
void print_matrix(Output& out, const std::vector<std::string>& names, const Matrix& matrix);

// Units of each component of v, and of the force that belongs to it.
struct Units {
  std::string position, velocity, acceleration, force;
};
std::vector<Units> velocity_units(const Model& model);
// "(rad/s)/(kg m^2)", as recordings write units.
std::string unit_per(const std::string& unit, const std::string& other);
std::string replaced(std::string text, std::string_view from, std::string_view to);  // every occurrence
std::vector<bool> position_is_angle(const Model& model);  // per number of q: an angle in radians

// Throws NumericalError naming the first component that is NaN or infinite: never a silent NaN.
void require_finite(const Eigen::Ref<const Vector>& result, const std::vector<std::string>& names, const char* what);
void require_finite(const Matrix& result, const char* what);

}  // namespace catena::cli
