// Model: an immutable robot, ready to compute. Cheap to copy (shared inside), safe to share between threads.
// Layout of the state: q and v follow the order of the joints in the description; fixed joints and joints that mimic
// another carry no coordinate. q: one number per degree of freedom, but spherical: quaternion (x, y, z, w);
// free: position, then quaternion. v: joint rates; spherical: w in body axes; free: [w; v] in body axes.
#pragma once

#include <cstdint>
#include <memory>

#include "catena/model/description.hpp"

#pragma GCC visibility push(default)
namespace catena {

struct Tree;         // the same robot prepared for the kernels: catena/model/tree.hpp
struct ReducedTree;  // and in frames that take few operations: catena/model/reduced_tree.hpp
class Scratch;       // memory lent to calls that bring none: catena/model/scratch.hpp

// A joint that carries coordinates.
struct Coordinate {
  std::string joint;
  JointType type;
  int q = 0, nq = 0;  // first position number and how many
  int v = 0, nv = 0;  // first velocity number and how many
  int index = 0;      // in description().joints
};

// Threads: any number may use one model at a time.
class Model {
 public:
  // Throws ModelError if the doctor finds an error. of_reader: what only the file showed, kept beside what it finds.
  explicit Model(const Description& description, const Findings& of_reader = {});

  const std::string& name() const;
  const Description& description() const;
  const Findings& findings() const;         // warnings and notes: the reader's, then the doctor's
  const Findings& reader_findings() const;  // the reader's alone, for a model made from this one's description

  int nq() const;
  int nv() const;
  const Vector3& gravity() const;
  const std::vector<Coordinate>& coordinates() const;
  const Coordinate& coordinate(const std::string& joint) const;  // throws std::invalid_argument with near names
  bool has_couplings() const;
  // Index into description().joints and .bodies. Throw std::invalid_argument with near names.
  int joint(const std::string& name) const;
  int body(const std::string& name) const;

  // "shoulder" or, for component k of a joint with several degrees of freedom, "ball.k".
  std::vector<std::string> position_names() const;
  std::vector<std::string> velocity_names() const;

  // Frames: every body's own frame, in the order of the bodies, then the named ones.
  int frame_count() const;
  int frame(const std::string& name) const;  // throws std::invalid_argument with near names
  const std::string& frame_name(int frame) const;
  // The tip of the tree, the frame meant where none is named: with the most moving joints between it and the ground; of
  // several the one with the most fixed joints besides (a named frame counts as one), then the last.
  int tip_frame() const;

  double total_mass() const;

  // FNV-1a over the numbers that decide the dynamics; equal for equal robots. Recordings carry it.
  std::uint64_t hash() const;

  const Tree& tree() const { return *tree_; }
  const ReducedTree& reduced() const { return *reduced_; }
  Scratch* scratch() const { return scratch_.get(); }  // null: none to lend
  Model without_scratch() const;                       // for what the scratch memory itself keeps

 private:
  std::shared_ptr<const Description> description_;
  std::shared_ptr<const Findings> findings_, reader_findings_;
  std::shared_ptr<const Tree> tree_;
  std::shared_ptr<const ReducedTree> reduced_;
  std::shared_ptr<Scratch> scratch_;
};

}  // namespace catena
#pragma GCC visibility pop
