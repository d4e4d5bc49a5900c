// Diagonalized dynamics of a Model: the factors of M, and every term of the equations of motion in quasi-velocities.
#include "robot.hpp"

namespace catena::python {

namespace {

// In the order in which results have them.
constexpr std::pair<const char*, Vector DiagonalTerms::*> term_members[] = {
    {"xi", &DiagonalTerms::xi},           {"nu", &DiagonalTerms::nu},         {"kappa", &DiagonalTerms::kappa},
    {"epsilon", &DiagonalTerms::epsilon}, {"C_xi", &DiagonalTerms::C_xi},     {"C_nu", &DiagonalTerms::C_nu},
    {"G_xi", &DiagonalTerms::G_xi},       {"G_nu", &DiagonalTerms::G_nu},     {"F_xi", &DiagonalTerms::F_xi},
    {"F_nu", &DiagonalTerms::F_nu},       {"xi_dot", &DiagonalTerms::xi_dot}, {"nu_dot", &DiagonalTerms::nu_dot}};

py::object terms_of(Robot& self, py::handle q, py::handle v, py::handle tau) {
  const int nq = self.model.nq(), nv = self.model.nv();
  Blocks blocks{{{"q", nq}, {"v", nv}, {"tau", nv}}, {}};
  for (const auto& [name, member] : term_members) blocks.outputs.push_back({name, nv});
  const Call call("DiagonalTerms", self.model.name(), std::move(blocks));
  return call.each({q, v, tau}, {}, [&](Pointers in, OutPointers out) {
    const DiagonalTerms terms =
        diagonal_terms(self.diagonal_form(), vector(in[0], nq), vector(in[1], nv), vector(in[2], nv));
    for (std::size_t k = 0; k < out.size(); ++k) vector(out[k], nv) = terms.*term_members[k].second;
  });
}

py::object factors_of(Robot& self, py::handle q) {
  const int nq = self.model.nq(), nv = self.model.nv();
  const Call call("DiagonalFactors", self.model.name(),
                  {{{"q", nq}}, {{"U", nv, nv, true}, {"D", nv, nv, true}, {"m", nv, nv, true}, {"l", nv, nv, true}}});
  return call.each({q}, {}, [&](Pointers in, OutPointers out) {
    DiagonalForm& form = self.diagonal_form();
    form.update(vector(in[0], nq));
    matrix(out[0], nv, nv) = form.U();
    matrix(out[1], nv, nv) = form.D();
    matrix(out[2], nv, nv) = form.m();
    matrix(out[3], nv, nv) = form.l();
  });
}

}  // namespace

void define_diagonal(py::class_<Robot>& robot) {
  robot
      .def("diagonal_terms", &terms_of, py::arg("q"), py::arg("v"), py::arg("tau"),
           "diagonal_terms(q, v, tau) -> (xi, nu, kappa, epsilon, C_xi, C_nu, G_xi, G_nu, F_xi, F_nu, xi_dot, nu_dot)"
           "\n\nEvery term of the diagonalized equations of motion (Jain and Rodriguez), M = U D U' = m m':\n"
           "xi = U' v:  D xi_dot + C_xi + G_xi + F_xi = kappa = U^-1 tau      (xi: rad/s or m/s; kappa: N m or N)\n"
           "nu = m' v:    nu_dot + C_nu + G_nu + F_nu = epsilon = m^-1 tau    (nu: J^(1/2); epsilon: J^(1/2)/s)\n"
           "C: Coriolis, G: gravity, F: damping, friction and springs. nu' nu / 2 is the kinetic energy (J).\n"
           "Arrays of shape (n,), or (B, n) for B states, one after another.")
      .def(
          "diagonal_factors", &factors_of, py::arg("q"),
          "diagonal_factors(q) -> (U, D, m, l)\n\nThe mass matrix factored, M = U D U' = m m' with l = m^-1, nv x nv "
          "each (kg m^2, kg m or kg for D).\nU is unit triangular in the order of the bodies; D has a block for each "
          "joint (with mimic joints it is diagonal).\nq: (nq,) or (B, nq). Raises NumericalError where M is singular.");
}

}  // namespace catena::python
