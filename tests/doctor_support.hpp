// A small sound arm to spoil, and what a test expects of the doctor.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "catena/model/doctor.hpp"

namespace catena {

inline Inertial solid(double mass = 1) {
  return {mass, {0, 0, -0.25}, Vector3(0.02, 0.02, 0.001).asDiagonal(), {"arm.urdf", 7}};
}

inline void add(Description& d, const std::string& body, Joint joint, std::optional<Inertial> inertial = solid()) {
  d.bodies.push_back({.name = body, .inertial = std::move(inertial), .source = {"arm.urdf", 5}});
  joint.child = body;
  joint.source = {"arm.urdf", 20};
  d.joints.push_back(std::move(joint));
}

inline Description arm() {
  Description d;
  add(d, "upper", revolute("shoulder").about(0, 1, 0).limited(-2, 2));
  add(d, "lower", revolute("elbow").on("upper").at(0, 0, -0.5).about(0, 1, 0).limited(-2, 2));
  return d;
}

inline std::vector<const Finding*> all(const Findings& findings, const std::string& code) {
  std::vector<const Finding*> found;
  for (const Finding& f : findings) {
    if (f.code == code) found.push_back(&f);
  }
  return found;
}

inline std::string text(const Findings& findings) {
  std::string lines;
  for (const Finding& f : findings) lines += f.text() + "\n";
  return lines;
}

// The one finding with this code; it must have this severity and concern this body or joint.
inline void expect_one(const Description& d, const char* code, Severity severity, const std::string& body) {
  const Findings findings = check(d);
  const auto found = all(findings, code);
  ASSERT_EQ(found.size(), 1u) << code << "\n" << text(findings);
  EXPECT_EQ(found[0]->severity, severity) << found[0]->text();
  EXPECT_EQ(found[0]->body, body) << found[0]->text();
  EXPECT_FALSE(found[0]->message.empty());
}

inline constexpr auto error = Severity::error;
inline constexpr auto warning = Severity::warning;
inline constexpr auto note = Severity::note;

}  // namespace catena
