// The reduced tree with some of the robot's parameters in another type, as inputs: masses, joint terms and gravity.
// Frames are those of the robot itself, in which inertias stay linear in the inertias of the bodies; so does what is
// regrouped.
// Source: regrouping after Gautier and Khalil (reduced_tree.hpp).
#pragma once

#include "catena/joints/joints.hpp"
#include "catena/model/parameter.hpp"
#include "catena/model/reduced_tree.hpp"

namespace catena {

template <class C>
class ParametricTree {
 public:
  // values: of the parameters, one after the other.
  ParametricTree(const Model& model, const std::vector<Parameter>& parameters, const std::vector<C>& values)
      : model_(model), reduced_(model.reduced()) {
    copy_numbers();
    for (std::size_t k = 0; k < parameters.size(); ++k) set(parameters[k], values[k]);
    regroup();
    for (int i = 0; i < out_.nv_full; ++i) invert_friction_scale(i);
  }

  BasicTree<C> take() { return std::move(out_); }

 private:
  using Inertia = spatial::Inertia<C>;
  using Vec3 = spatial::Vec3<C>;
  using Sym3 = spatial::Sym3<C>;
  using Kind = Parameter::Kind;

  struct Loose {  // a body or payload some number of which is an input
    int frame = 0;
    bool payload = false;
    C mass = C(0);
    C com[3] = {C(0), C(0), C(0)};
    C inertia[6] = {C(0), C(0), C(0), C(0), C(0), C(0)};  // about the centre of mass

    Inertia about_origin() const {
      const Vec3 c = {com[0], com[1], com[2]}, h = c * mass;
      const Sym3 I = {inertia[0], inertia[1], inertia[2], inertia[3], inertia[4], inertia[5]};
      return {mass, h, I + cross_cross(c, h * 0.5)};
    }
  };

  static Vec3 constant(const spatial::Vec3<double>& x) { return {C(x.x), C(x.y), C(x.z)}; }
  static Sym3 constant(const spatial::Sym3<double>& J) {
    return {C(J.xx), C(J.yy), C(J.zz), C(J.xy), C(J.xz), C(J.yz)};
  }
  static Inertia constant(const spatial::Inertia<double>& M) { return {C(M.m), constant(M.h), constant(M.J)}; }

  void copy_numbers() {
    const Tree& tree = reduced_.tree;
    static_cast<Topology&>(out_) = tree;
    for (const BodyInertia<double>& own : tree.inertias) {
      out_.inertias.push_back({constant(own.M), constant(own.second)});
    }
    for (const ComponentTerms& t : tree.terms) {
      out_.terms.push_back({C(t.armature), C(t.damping), C(t.friction), C(t.inverse_friction_scale)});
    }
    for (const Spring& s : tree.springs) out_.springs.push_back({s.body, C(s.stiffness), C(s.rest)});
    out_.gravity = constant(tree.gravity);
    out_.has_friction = tree.has_friction;
    out_.has_terms = tree.has_terms;
    out_.total_mass = C(tree.total_mass);
    scale_.resize(out_.terms.size());
    const Vector3& g = model_.gravity();
    for (int c = 0; c < 3; ++c) gravity_[c] = C(g[c]);
  }

  void set(const Parameter& parameter, const C& value) {
    switch (parameter.kind) {
      case Kind::mass: loose(parameter).mass = value; return;
      case Kind::com: loose(parameter).com[parameter.component] = value; return;
      case Kind::inertia: loose(parameter).inertia[parameter.component] = value; return;
      case Kind::gravity:
        gravity_[parameter.component] = value;
        out_.gravity = transposed_times(reduced_.frames[0].R, Vec3{gravity_[0], gravity_[1], gravity_[2]});
        return;
      default: set_term(parameter, value); return;
    }
  }

  // In the order of the frames: every body's own, then the named ones.
  Loose& loose(const Parameter& parameter) {
    for (Loose& known : loose_) {
      if (known.frame == parameter.index && known.payload == parameter.payload) return known;
    }
    Loose& added = loose_.emplace_back();
    added.frame = parameter.index;
    added.payload = parameter.payload;
    if (parameter.payload) return added;
    const Inertial own = model_.description().bodies[parameter.index].inertial.value_or(Inertial{});
    const Matrix3 I = 0.5 * (own.inertia + own.inertia.transpose());
    added.mass = C(own.mass);
    for (int c = 0; c < 3; ++c) added.com[c] = C(own.com[c]);
    const double about_com[] = {I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)};
    for (int c = 0; c < 6; ++c) added.inertia[c] = C(about_com[c]);
    return added;
  }

  // For every component of the joint, on however many bodies of the tree.
  void set_term(const Parameter& parameter, const C& value) {
    const int last = out_.joint_body[parameter.index];
    int first = last;
    while (out_.joint_names[first - 1] == out_.joint_names[last]) --first;
    const JointTerms& own = model_.description().joints[parameter.index].terms;
    out_.has_terms = true;
    if (parameter.kind == Kind::stiffness || parameter.kind == Kind::rest) {
      for (int k = first; k <= last; ++k) {
        BasicSpring<C>& spring = spring_on(k, own);
        (parameter.kind == Kind::rest ? spring.rest : spring.stiffness) = value;
      }
      return;
    }
    const int begin = out_.bodies[first].v;
    const int end = begin + velocity_count(model_.description().joints[parameter.index].type);
    for (int i = begin; i < end; ++i) {
      BasicTerms<C>& terms = out_.terms[i];
      switch (parameter.kind) {
        case Kind::armature: terms.armature = value; break;
        case Kind::damping: terms.damping = value; break;
        default:
          (parameter.kind == Kind::friction ? terms.friction : scale(i, own)) = value;
          if (parameter.kind == Kind::friction) scale(i, own);
          out_.has_friction = true;
      }
    }
  }
  BasicSpring<C>& spring_on(int body, const JointTerms& own) {
    for (BasicSpring<C>& spring : out_.springs) {
      if (spring.body == body) return spring;
    }
    return out_.springs.emplace_back(BasicSpring<C>{body, C(own.stiffness), C(own.rest)});
  }
  C& scale(int component, const JointTerms& own) {
    std::optional<C>& known = scale_[component];
    if (!known) known = C(own.friction_scale);
    return *known;
  }
  void invert_friction_scale(int component) {
    if (scale_[component]) out_.terms[component].inverse_friction_scale = C(1) / *scale_[component];
  }

  // As make_reduced_tree does, for the bodies with a loose one on them or beyond them.
  void regroup() {
    std::vector<bool> touched(out_.bodies.size(), false);
    std::vector<Inertia> moved(out_.bodies.size());
    for (const Loose& own : loose_) touched[out_.frames[own.frame].body] = true;
    for (int k = out_.count() - 1; k > 0; --k) {
      const TreeBody& body = out_.bodies[k];
      moved[k] = constant(reduced_.moved[k]);
      if (!touched[k]) continue;
      const Inertia whole = whole_inertia(k, moved);
      BodyInertia<C>& own = out_.inertias[k];
      kernel::visit(body, [&](auto joint) {
        moved[k] = joint.unfelt(whole);
        own.M = without(whole, moved[k]);
        own.second = spatial::second_moments(own.M.J);
        joint.clear_unfelt(own.second);
      });
      touched[body.parent] = true;
    }
  }
  // Of all that sits on the body, and what came from the bodies it carries.
  Inertia whole_inertia(int k, const std::vector<Inertia>& moved) const {
    Inertia sum = Inertia::zero();
    const auto is_loose = [&](int frame) {
      for (const Loose& own : loose_) {
        if (own.frame == frame && !own.payload) return true;
      }
      return false;
    };
    const std::vector<Body>& bodies = model_.description().bodies;
    for (int b = 0; b < static_cast<int>(bodies.size()); ++b) {
      const TreeFrame& frame = out_.frames[b];
      if (frame.body == k && bodies[b].inertial && !is_loose(b))
        sum += apply_transposed(frame.pose, inertia_of(*bodies[b].inertial));
    }
    for (const Loose& own : loose_) {
      const TreeFrame& frame = out_.frames[own.frame];
      if (frame.body == k) sum += apply_transposed(frame.pose, own.about_origin());
    }
    for (int child = k + 1; child < out_.count(); ++child) {
      if (out_.bodies[child].parent == k) sum += apply_transposed(out_.bodies[child].placement, moved[child]);
    }
    return sum;
  }

  const Model& model_;
  const ReducedTree& reduced_;
  BasicTree<C> out_;
  std::vector<Loose> loose_;
  std::vector<std::optional<C>> scale_;  // of friction, where it has to be looked at
  C gravity_[3] = {C(0), C(0), C(0)};    // in the world
};

template <class C>
BasicTree<C> parametric_tree(const Model& model, const std::vector<Parameter>& parameters,
                             const std::vector<C>& values) {
  return ParametricTree<C>(model, parameters, values).take();
}

}  // namespace catena
