#include "bench/contest.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "catena/joints/joints.hpp"
#include "catena/model/builder.hpp"
#include "catena/model/doctor.hpp"
#include "catena/model/tree.hpp"
#include "cli/backends.hpp"

namespace catena::race {
namespace {

using cli::Backend;
using peers::Peer;

struct Guest {
  std::string name;
  std::unique_ptr<Peer> peer;
};

std::vector<Guest> invite(const std::vector<peers::Entry>& entries, const Model& model, const cli::States& states,
                          std::vector<std::string>& remarks) {
  std::vector<Guest> guests;
  for (const peers::Entry& entry : entries) {
    try {
      guests.push_back({entry.name, std::unique_ptr<Peer>(entry.make(peers::robot_of(model)))});
      guests.back().peer->prepare(states.by_state.data(), states.count);
    } catch (const std::exception& error) {
      remarks.push_back(fmt::format("{} does not take this robot: {}", entry.name, error.what()));
    }
  }
  return guests;
}

// A result is one vector, then matrices; each is compared by its own largest number, unless that is zero but for rounding.
double difference(const std::vector<double>& have, const std::vector<double>& want, std::size_t nv) {
  if (have.size() != want.size()) return HUGE_VAL;
  double worst = 0;
  std::size_t first = 0, size = want.size() % (nv * nv);
  for (; first < want.size(); first += size, size = nv * nv) {
    if (size == 0) continue;
    double largest = 0, apart = 0;
    for (std::size_t i = first; i < first + size; ++i) {
      largest = std::max(largest, std::abs(want[i]));
      apart = std::isnan(have[i]) ? HUGE_VAL : std::max(apart, std::abs(have[i] - want[i]));
    }
    worst = std::max(worst, apart / std::max(largest, 1e-3));
  }
  return worst;
}

double worst_difference(const Backend& backend, const Backend& reference, const cli::States& states, int nv) {
  double worst = 0;
  for (int b = 0; b < states.count; b += std::max(1, states.count / 8))
    worst = std::max(worst, difference(backend.answer(b), reference.answer(b), static_cast<std::size_t>(nv)));
  return worst;
}

Heat run(Function function, std::vector<Backend> backends, const Rules& rules) {
  cli::take_turns(backends, rules.states, rules.rounds);
  Heat heat{function, {}};
  for (const Backend& backend : backends) {
    std::vector<double> ratios;
    for (std::size_t k = 0; k < backend.ns.size(); ++k) ratios.push_back(backend.ns[k] / backends[0].ns[k]);
    heat.times.push_back({backend.name, cli::quantile(backend.ns, 0.5), cli::quantile(backend.ns, 0.25),
                          cli::quantile(backend.ns, 0.75), cli::quantile(backend.ns, 0), cli::quantile(ratios, 0.5)});
  }
  return heat;
}

Vector3 vector(const spatial::Vec3<double>& x) { return {x.x, x.y, x.z}; }

Inertial inertial_of(const spatial::Inertia<double>& M) {
  Inertial inertial;
  inertial.mass = M.m;
  if (M.m > 0) inertial.com = vector(M.h) / M.m;
  const Vector3& c = inertial.com;
  inertial.inertia << M.J.xx, M.J.xy, M.J.xz, M.J.xy, M.J.yy, M.J.yz, M.J.xz, M.J.yz, M.J.zz;
  inertial.inertia -= M.m * (c.squaredNorm() * Matrix3::Identity() - c * c.transpose());
  return inertial;
}

}  // namespace

std::vector<peers::Entry> installed_peers() {
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "peers";
  std::vector<std::filesystem::path> files;
  if (std::filesystem::exists(folder))
    for (const auto& file : std::filesystem::directory_iterator(folder))
      if (file.path().extension() == ".so") files.push_back(file.path());
  std::sort(files.begin(), files.end());
  std::vector<peers::Entry> entries;
  for (const std::filesystem::path& file : files) {
    void* const module = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* const symbol = module ? dlsym(module, "catena_peer") : nullptr;
    if (!symbol) throw std::runtime_error(dlerror());
    peers::Entry entry;
    reinterpret_cast<void (*)(peers::Entry&)>(symbol)(entry);
    const auto same = [&](const peers::Entry& other) { return other.name == entry.name; };
    if (std::any_of(entries.begin(), entries.end(), same))
      entry.name += fmt::format(" ({})", entry.build.substr(0, entry.build.find(" -")));
    entries.push_back(std::move(entry));
  }
  return entries;
}

Description bare(Description robot) {
  for (Joint& joint : robot.joints) joint.terms = {}, joint.mimic.reset();
  mend(robot);
  const Model model(robot);
  const Tree& tree = model.tree();
  Description out;
  out.name = robot.name;
  out.gravity = robot.gravity;
  for (int k = 1; k < tree.count(); ++k) {
    const TreeBody& body = tree.bodies[static_cast<std::size_t>(k)];
    const spatial::Mat3<double>& R = body.placement.R;
    Joint& joint = out.joints.emplace_back();
    joint.name = fmt::format("j{}", k);
    joint.type = kernel::visit(body, [](auto own) { return own.type; });
    joint.pitch = body.pitch;
    joint.placement.R << vector(R.cx), vector(R.cy), vector(R.cz);
    joint.placement.p = vector(body.placement.p);
    if (body.parent > 0) joint.parent = fmt::format("b{}", body.parent);
    joint.child = fmt::format("b{}", k);
    out.bodies.push_back({joint.child, inertial_of(tree.inertias[static_cast<std::size_t>(k)].M)});
  }
  mend(out);
  return out;
}

Contest hold(const std::string& name, const Description& robot, const std::vector<peers::Entry>& entries,
             const Rules& rules) {
  const Model model(robot);
  const cli::States states(model, rules.states);
  Contest contest{name, model.nv(), rules.states, {}, {}};
  const std::vector<Guest> guests = invite(entries, model, states, contest.remarks);
  for (const Function function : rules.functions) {
    std::vector<cli::LeftOut> left_out;
    const std::unique_ptr<CompiledFunction> compiled =
        rules.compiled ? cli::compile_or_leave_out(model, function, {}, left_out) : nullptr;
    std::vector<Backend> backends = cli::catena_backends(model, function, states, compiled.get(), {}, &left_out);
    for (const cli::LeftOut& left : left_out)
      contest.remarks.push_back(
          fmt::format("Catena, {}, {}: {}{}", left.backend, function_name(function), left.why,
                      left.backend == "compiled" && compiled ? "; the plain library computes" : ""));
    if (rules.returning)
      if (std::optional<Backend> returning = cli::returning_backend(model, function, states))
        backends.insert(backends.begin() + 1, std::move(*returning));
    if (rules.threads > 1)
      for (const int threads : {1, rules.threads})
        backends.push_back(cli::threaded_backend(model, function, states, threads));
    for (Backend& backend : backends) backend.name = backend.name == "plain" ? "Catena" : "Catena, " + backend.name;
    for (const Guest& guest : guests) {
      Peer* const peer = guest.peer.get();
      if (peer->has(function))
        backends.push_back(
            {guest.name, [=] { peer->work(function); }, [=](int b) { return peer->answer(function, b); }});
    }
    const Backend reference = backends[0];
    std::erase_if(backends, [&](const Backend& backend) {
      const double apart = worst_difference(backend, reference, states, model.nv());
      if (apart <= rules.tolerance) return false;
      contest.remarks.push_back(
          fmt::format("{}, {}: differs by {:.1e}, not timed", backend.name, function_name(function), apart));
      return true;
    });
    contest.heats.push_back(run(function, std::move(backends), rules));
  }
  return contest;
}

}  // namespace catena::race
