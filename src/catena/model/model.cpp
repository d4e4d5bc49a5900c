// Model: a checked description together with its tree.
#include "catena/model/model.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <utility>

#include "catena/model/doctor.hpp"
#include "catena/model/names.hpp"
#include "catena/model/reduced_tree.hpp"
#include "catena/model/scratch.hpp"
#include "catena/model/tree.hpp"

namespace catena {

Model::Model(const Description& description, const Findings& of_reader)
    : description_(std::make_shared<const Description>(description)),
      reader_findings_(std::make_shared<const Findings>(of_reader)) {
  Findings findings = of_reader;
  for (Finding& finding : check(description)) findings.push_back(std::move(finding));
  if (has_errors(findings)) throw ModelError(std::move(findings));
  findings_ = std::make_shared<const Findings>(std::move(findings));
  tree_ = build_tree(description);
  reduced_ = std::make_shared<const ReducedTree>(make_reduced_tree(*tree_));
  scratch_ = std::make_shared<Scratch>();
}

Model Model::without_scratch() const {
  Model out = *this;
  out.scratch_.reset();
  return out;
}

const std::string& Model::name() const { return description_->name; }
const Description& Model::description() const { return *description_; }
const Findings& Model::findings() const { return *findings_; }
const Findings& Model::reader_findings() const { return *reader_findings_; }
int Model::nq() const { return tree_->nq; }
int Model::nv() const { return tree_->nv; }
const Vector3& Model::gravity() const { return description_->gravity; }
const std::vector<Coordinate>& Model::coordinates() const { return tree_->coordinates; }
bool Model::has_couplings() const { return !tree_->couplings.empty(); }
int Model::frame_count() const { return static_cast<int>(tree_->frames.size()); }
const std::string& Model::frame_name(int frame) const { return tree_->frames.at(frame).name; }
double Model::total_mass() const { return tree_->total_mass; }

namespace {

// The place of the item of this name; otherwise an error: no `what` of this name `where`.
template <class Item>
int place_of(const std::string& wanted, const std::vector<Item>& all, std::string Item::*name, const std::string& what,
             const std::string& where) {
  const auto found = std::ranges::find(all, wanted, name);
  if (found != all.end()) return static_cast<int>(found - all.begin());
  std::vector<std::string> names;
  for (const Item& item : all) names.push_back(item.*name);
  throw std::invalid_argument("no " + what + " \"" + wanted + "\" " + where + suggestion(wanted, names));
}

}  // namespace

const Coordinate& Model::coordinate(const std::string& joint) const {
  const auto& all = tree_->coordinates;
  return all[place_of(joint, all, &Coordinate::joint, "joint", "with a coordinate in " + name())];
}

int Model::joint(const std::string& wanted) const {
  return place_of(wanted, description_->joints, &Joint::name, "joint", "in " + name());
}

int Model::body(const std::string& wanted) const {
  return place_of(wanted, description_->bodies, &Body::name, "body", "in " + name());
}

int Model::frame(const std::string& wanted) const {
  return place_of(wanted, tree_->frames, &TreeFrame::name, "body or frame", "in " + name());
}

int Model::tip_frame() const {
  using Steps = std::pair<int, int>;  // joints between a frame and the ground: those that move, all
  const std::vector<Body>& bodies = description_->bodies;
  std::unordered_map<std::string, std::size_t> number;
  for (std::size_t b = 0; b < bodies.size(); ++b) number[bodies[b].name] = b;
  std::vector<const Joint*> carrier(bodies.size(), nullptr);
  for (const Joint& joint : description_->joints) carrier[number.at(joint.child)] = &joint;

  constexpr Steps unknown = {-1, -1};
  std::vector<Steps> steps(bodies.size(), unknown);
  std::vector<std::size_t> way;  // inward, until something known
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    Steps reached = {0, 0};
    for (std::size_t k = b;; k = number.at(carrier[k]->parent)) {
      if (steps[k] != unknown) {
        reached = steps[k];
        break;
      }
      way.push_back(k);
      if (carrier[k] == nullptr || carrier[k]->parent.empty()) break;
    }
    for (; !way.empty(); way.pop_back()) {
      const Joint* const joint = carrier[way.back()];
      if (joint != nullptr) reached = {reached.first + (joint->type != JointType::fixed), reached.second + 1};
      steps[way.back()] = reached;
    }
  }
  for (const Frame& frame : description_->frames) {
    const Steps body = frame.body.empty() ? Steps{0, 0} : steps[number.at(frame.body)];
    steps.emplace_back(body.first, body.second + 1);
  }
  const auto last_of_the_farthest = std::max_element(steps.rbegin(), steps.rend());  // the first it meets
  return static_cast<int>(steps.rend() - last_of_the_farthest) - 1;
}

namespace {

void append_names(std::vector<std::string>& names, const std::string& joint, int count) {
  if (count == 1) {
    names.push_back(joint);
    return;
  }
  for (int k = 0; k < count; ++k) names.push_back(joint + "." + std::to_string(k));
}

class Fnv1a {
 public:
  void add(double x) {
    for (auto bits = std::bit_cast<std::uint64_t>(x == 0 ? 0.0 : x), k = std::uint64_t{0}; k < 8; ++k, bits >>= 8) {
      add_byte(bits & 0xff);
    }
  }
  void add(const Vector3& v) { add(v.x()), add(v.y()), add(v.z()); }
  void add(const spatial::Vec3<double>& v) { add(v.x), add(v.y), add(v.z); }
  void add(const spatial::Transform<double>& X) { add(X.R.cx), add(X.R.cy), add(X.R.cz), add(X.p); }
  void add(const spatial::Inertia<double>& M) {
    add(M.m), add(M.h);
    for (const double x : {M.J.xx, M.J.yy, M.J.zz, M.J.xy, M.J.xz, M.J.yz}) add(x);
  }
  std::uint64_t value() const { return value_; }

 private:
  void add_byte(std::uint64_t byte) { value_ = (value_ ^ byte) * 0x100000001b3ULL; }
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

}  // namespace

std::vector<std::string> Model::position_names() const {
  std::vector<std::string> names;
  for (const Coordinate& c : tree_->coordinates) append_names(names, c.joint, c.nq);
  return names;
}

std::vector<std::string> Model::velocity_names() const {
  std::vector<std::string> names;
  for (const Coordinate& c : tree_->coordinates) append_names(names, c.joint, c.nv);
  return names;
}

std::uint64_t Model::hash() const {
  Fnv1a hash;
  hash.add(description_->gravity);
  for (int k = 0; k < tree_->count(); ++k) {
    const TreeBody& body = tree_->bodies[k];
    for (const int x : {static_cast<int>(body.kind), body.parent, body.q, body.v}) hash.add(double(x));
    hash.add(body.placement), hash.add(tree_->inertias[k].M), hash.add(body.pitch);
  }
  for (const Coupling& c : tree_->couplings) {
    for (const double x : {double(c.v), double(c.master_v), c.ratio, c.offset}) hash.add(x);
  }
  for (const ComponentTerms& t : tree_->terms) {
    for (const double x : {t.armature, t.damping, t.friction, t.inverse_friction_scale}) hash.add(x);
  }
  for (const Spring& s : tree_->springs) {
    for (const double x : {double(s.body), s.stiffness, s.rest}) hash.add(x);
  }
  return hash.value();
}

}  // namespace catena
