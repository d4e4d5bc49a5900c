// The papers' operators at one state, by name, and expressions in the papers' notation: every identity can be typed and
// checked. Dense matrices, to look at.
//   Workbench bench(model, q, v);
//   bench.evaluate("(1 + H*Phi*K) * D * (1 + H*Phi*K)^T - M").largest()     // 1e-15
// Families: soa (Jain and Rodriguez, Kozlowski), denoc (Saha), noc (Angeles); a name that several have is said with its
// family: noc.K. Without one it is the mass matrix' M and C, else that of the first family that has it, in this order.
#pragma once

#include <map>
#include <memory>
#include <stdexcept>

#include "catena/dynamics/workspace.hpp"

#pragma GCC visibility push(default)
namespace catena {

// What rows or columns belong to: one number, a velocity component each, or a spatial vector (angular part first) of each
// moving body of the tree.
enum class Space { one, components, bodies };

struct WorkbenchName {
  std::string name;  // with the family, where it has one: "soa.Phi"
  std::string meaning;
  Space rows = Space::components, columns = Space::components;
};

// A matrix whose rows and columns are of a kind; a number is 1 x 1 of kind `one`, and stands for that multiple of the
// identity where a square matrix is wanted.
struct WorkbenchValue {
  Matrix values;
  Space rows = Space::one, columns = Space::one;

  bool is_number() const { return rows == Space::one && columns == Space::one; }
  double largest() const { return values.size() == 0 ? 0 : values.cwiseAbs().maxCoeff(); }
};

struct Evaluation {
  WorkbenchValue value;
  double size = 0;  // largest number of what was summed, in sums and products: what a rest is to be held against

  double norm() const { return value.values.norm(); }  // Frobenius
  double largest() const { return value.largest(); }
};

// A name that there is not, an expression that does not parse or whose sizes do not fit.
struct ExpressionError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// Threads: one at a time (values are made when they are asked for, and kept).
class Workbench {
 public:
  // a: accelerations, on which the linearized dynamics alone depends; empty: zero.
  // Throws std::invalid_argument for a robot of more than most_bodies moving bodies.
  Workbench(const Model& model, ConstVector q, ConstVector v, const ExternalLoads& loads = {}, const Vector& a = {});
  Workbench(Workbench&&) noexcept;
  Workbench& operator=(Workbench&&) noexcept;
  ~Workbench();

  static constexpr int most_bodies = 250;

  static const std::vector<WorkbenchName>& names();  // all there are
  const Model& model() const;
  // "K" -> "soa.K", or that of the family if it has one. Throws ExpressionError.
  static std::string resolved(const std::string& name, const std::string& family = {});
  // Throw ExpressionError, std::invalid_argument for an operator that this robot has not (with the reason), NumericalError
  // where the mass matrix is singular or the result is not finite.
  const WorkbenchValue& value(const std::string& name) const;
  Evaluation evaluate(const std::string& expression, const std::string& family = {}) const;

  // One for each row: "shoulder", or "forearm.rx" ... "forearm.z" of bodies.
  std::vector<std::string> labels(Space space) const;

  struct Storage;

 private:
  std::unique_ptr<Storage> storage_;
};

}  // namespace catena
#pragma GCC visibility pop
