// Workspace: the scratch memory of the dynamics, sized once from the model; calls that take one never allocate.
// ExternalLoads: what acts on the robot besides its joint forces.
#pragma once

#include "catena/kinematics/kinematics.hpp"

#pragma GCC visibility push(default)
namespace catena {

// A force applied to a frame by the outside world.
struct Wrench {
  int frame = 0;  // model.frame("tool")
  Vector3 moment = Vector3::Zero();
  Vector3 force = Vector3::Zero();
  Vector3 point = Vector3::Zero();  // where the force acts and about which the moment is taken, in frame coordinates
  Axes axes = Axes::body;           // of moment and force: body or aligned, for it acts at a point of the frame
};

struct ExternalLoads {
  BaseMotion base;
  std::vector<Wrench> wrenches;
};

// Threads: one at a time; each thread has its own.
class Workspace {
 public:
  explicit Workspace(const Model& model);
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;
  ~Workspace();

  struct Storage;  // catena/dynamics/storage.hpp
  Storage& storage() { return *storage_; }
  const Storage& storage() const { return *storage_; }

 private:
  std::unique_ptr<Storage> storage_;
};

}  // namespace catena
#pragma GCC visibility pop
