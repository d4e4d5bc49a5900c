// The choice of an integrator by name.
#include "catena/simulate/integrator.hpp"

namespace catena {

const char* name_of(Method method) {
  switch (method) {
    case Method::dopri5: return "dopri5";
    case Method::fehlberg78: return "fehlberg78";
    case Method::cash_karp: return "cash_karp";
    case Method::adams: return "adams";
    case Method::bdf: return "bdf";
    case Method::verner65: return "verner65";
    case Method::rk4: return "rk4";
    case Method::euler: return "euler";
  }
  return "";
}

std::optional<Method> method_from(const std::string& name) {
  for (int i = 0; i <= static_cast<int>(Method::euler); ++i)
    if (name == name_of(static_cast<Method>(i))) return static_cast<Method>(i);
  return std::nullopt;
}

bool is_fixed_step(Method method) { return method == Method::rk4 || method == Method::euler; }

std::unique_ptr<Integrator> make_integrator(System& system, Method method, const Accuracy& accuracy) {
  if (is_fixed_step(method)) return make_fixed_step(system, method, accuracy);
  if (method == Method::adams || method == Method::bdf || method == Method::verner65)
    return make_sundials(system, method, accuracy);
  return make_odeint(system, method, accuracy);
}

}  // namespace catena
