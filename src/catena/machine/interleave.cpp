#include "catena/machine/interleave.hpp"

#include <algorithm>

namespace catena::compile {

namespace {

constexpr int window_size = 32;
constexpr double steps_per_cycle = 2;

// Cycles until a result can be used; about the same on all processors with fused multiply-add.
double latency(Form form) {
  switch (form) {
    case Form::fma:
    case Form::fms:
    case Form::fnma: return 4;
    case Form::div: return 13;
    case Form::sqrt: return 20;
    default: return 3;
  }
}

}  // namespace

void interleave(std::vector<Step>& list, int values) {
  const auto is_functions = [](const Step& s) { return s.form == Form::functions; };
  auto begin = std::find_if(list.begin(), list.end(), is_functions);
  if (begin == list.end()) begin = list.begin();
  std::vector<double> known(values, 0.0);  // when; for those still to be computed: never
  for (auto s = begin; s != list.end(); ++s) {
    if (s->d >= 0 && s->form != Form::store) known[s->d] = 1e300;
  }
  const auto ready = [&](const Step& s) {
    double at = 0;
    for (const int k : {s.x, s.y, s.c}) {
      if (k >= 0) at = std::max(at, known[k]);
    }
    return at;
  };

  std::vector<Step> out(list.begin(), begin), window;
  double now = 0;
  for (auto next = begin; next != list.end() || !window.empty();) {
    while (next != list.end() && window.size() < window_size) window.push_back(*next++);
    // the first that need not wait, or else the one that waits least
    auto chosen = window.begin();
    double at = ready(*chosen);
    for (auto s = window.begin(); s != window.end() && at > now; ++s) {
      if (const double other = ready(*s); other < at) at = other, chosen = s;
    }
    now = std::max(now, at);
    if (chosen->d >= 0 && chosen->form != Form::store) {
      known[chosen->d] = now + latency(chosen->form);
      now += 1 / steps_per_cycle;
    }
    out.push_back(*chosen);
    window.erase(chosen);
  }
  list = std::move(out);
}

}  // namespace catena::compile
