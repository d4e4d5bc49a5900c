#include "catena/source/write_c.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "catena/compile/plain.hpp"
#include "catena/joints/joints.hpp"
#include "catena/model/text.hpp"
#include "catena/source/c_names.hpp"
#include "catena/source/c_statements.hpp"

namespace catena {

namespace {

using compile::CDialect;

// Text for a comment: no end of the comment, nothing that makes the lines look different from what a compiler reads.
std::string comment_text(const std::string& text) {
  std::string out = printable(text);
  std::replace(out.begin(), out.end(), '*', '+');
  return out;
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

// Letters, digits and single underscores.
std::string spelled(const std::string& name) {
  std::string out;
  for (const char c : name) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (word)
      out += c;
    else if (!out.empty() && out.back() != '_')
      out += '_';
  }
  while (!out.empty() && out.back() == '_') out.pop_back();
  return out;
}

// Arguments of C in the place of frames: J_tool0, pose_tool0. Behind the prefix no name is a word of the language, a
// function of math.h, another argument or a local variable; frames that are spelled alike are numbered.
Program with_argument_names(Program program) {
  if (!of_frames(program.function)) return program;
  std::set<std::string> taken;
  for (ProgramBlock& block : program.outputs) {
    const std::string word = spelled(block.name), prefix = program.function == Function::jacobian ? "J_" : "pose_";
    const std::string name = prefix + (word.empty() ? "frame" : word);
    block.name = name;
    for (int k = 2; !taken.insert(block.name).second; ++k) block.name = fmt::format("{}_{}", name, k);
  }
  return program;
}

// "rad" or "m" of each number of q or v; "" in quaternions.
std::vector<std::string> units(const Model& model, bool position) {
  std::vector<std::string> out;
  for (const Coordinate& c : model.coordinates()) {
    for (int i = 0; i < (position ? c.nq : c.nv); ++i) {
      const JointFacts& facts = facts_of(c.type);
      out.emplace_back(position ? facts.position_unit(i) : facts.velocity_unit(i));
    }
  }
  return out;
}

class SourceWriter {
 public:
  SourceWriter(const Model& model, const std::vector<Program>& programs, const SourceOptions& options)
      : model_(model), originals_(programs), options_(options), dialect_{options.single, options.cpp} {
    for (const Program& program : programs) programs_.push_back(with_argument_names(program));
    name_ = identifier(options.name.empty() ? model.name() : options.name);
    upper_ = upper(name_);
  }

  std::vector<SourceFile> run() const {
    const std::vector<std::string> names = source_names(name_, options_.cpp);
    return {{names[0], header()}, {names[1], source()}, {names[2], self_test()}};
  }

 private:
  std::string header_name() const { return source_names(name_, options_.cpp)[0]; }
  std::string function(const Program& p) const {
    return options_.cpp ? function_name(p.function) : fmt::format("{}_{}", name_, function_name(p.function));
  }
  const char* restrict_word() const { return options_.cpp ? "" : "restrict "; }

  std::string declaration(const Program& p, const std::string& restrict_text) const {
    std::vector<std::string> arguments;
    for (const ProgramBlock& b : p.inputs) {
      arguments.push_back(fmt::format("const {}* {}{}", dialect_.type(), restrict_text, b.name));
    }
    for (const ProgramBlock& b : p.outputs) {
      arguments.push_back(fmt::format("{}* {}{}", dialect_.type(), restrict_text, b.name));
    }
    const std::string start = fmt::format("{} {}(", p.guarded ? "int" : "void", function(p)), indent(start.size(), ' ');
    std::string out = start;
    std::size_t column = out.size();
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      const std::string text = arguments[k] + (k + 1 < arguments.size() ? "," : ")");
      if (k > 0 && column + 1 + text.size() > 100) {
        out += "\n" + indent;
        column = indent.size();
      } else if (k > 0) {
        out += " ", ++column;
      }
      out += text, column += text.size();
    }
    return out;
  }

  std::string layout() const {
    std::string out;
    const std::vector<std::string> position = model_.position_names(), velocity = model_.velocity_names();
    const std::vector<std::string> q = units(model_, true), v = units(model_, false);
    out += fmt::format(" * q, {} numbers:\n", model_.nq());
    for (std::size_t i = 0; i < position.size(); ++i) {
      out += fmt::format(" *   q[{}]  {}{}\n", i, comment_text(position[i]), q[i].empty() ? "" : ", " + q[i]);
    }
    out += fmt::format(" * v, a and tau, {} numbers each:\n", model_.nv());
    for (std::size_t i = 0; i < velocity.size(); ++i) {
      out += fmt::format(" *   [{}]  {}: {}/s, {}/s2, {}\n", i, comment_text(velocity[i]), v[i], v[i],
                         v[i] == "m" ? "N" : "N m");
    }
    const std::vector<Parameter>& inputs = programs_.front().parameters;  // the same of all
    if (!inputs.empty()) out += fmt::format(" * parameters, {} numbers; in brackets the robot's own:\n", inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      out += fmt::format(" *   parameters[{}]  {}, {} ({})\n", i, comment_text(inputs[i].name), inputs[i].unit,
                         dialect_.number(inputs[i].value));
    }
    return out;
  }

  std::string documentation(std::size_t k) const {
    const Program& p = programs_[k];
    const Operations o = p.operations();
    std::string out =
        fmt::format("/* {}\n * {} multiplications, {} additions", entry(p.function).meaning, o.mul, o.add);
    if (o.div > 0) out += fmt::format(", {} divisions", o.div);
    if (o.sqrt > 0) out += fmt::format(", {} square roots", o.sqrt);
    out += fmt::format(", {} sines, cosines and tanh.", o.trig);
    std::string matrices;
    for (const ProgramBlock& b : p.outputs) {
      if (b.columns > 1 && !of_frames(p.function)) matrices += (matrices.empty() ? "" : ", ") + b.name;
    }
    if (!matrices.empty())
      out += fmt::format("\n * {}: column by column, entry (i, j) is [i + {} * j].", matrices, model_.nv());
    if (p.guarded) out += "\n * Returns 0, or 1 where the mass matrix is singular and the results mean nothing.";
    if (!of_frames(p.function)) return out + " */\n";
    const ProgramBlock& first = p.outputs.front();
    out += fmt::format("\n * Each {} x {}, column by column, entry (i, j) is [i + {} * j]:", first.rows, first.columns,
                       first.rows);
    for (std::size_t b = 0; b < p.outputs.size(); ++b) {
      out += fmt::format("\n *   {}  of {}", p.outputs[b].name, comment_text(originals_[k].outputs[b].name));
    }
    return out + " */\n";
  }

  std::string title(const char* what) const {
    return fmt::format("/* {} of {}: {}. Written by Catena; do not edit. */\n", what, comment_text(model_.name()),
                       options_.single ? "float" : "double");
  }

  std::string header() const {
    std::string out = title("Dynamics");
    out += fmt::format("#ifndef {0}_H\n#define {0}_H\n\n", upper_);
    out +=
        "/* Metres, kilograms, seconds, radians. Joint terms and gravity are those of the robot, the base is at "
        "rest.\n";
    out += layout();
    out += " */\n";
    if (options_.cpp) {
      out += fmt::format("namespace {} {{\n\nconstexpr int nq = {}, nv = {};\n", name_, model_.nq(), model_.nv());
    } else {
      out += fmt::format("#define {0}_NQ {1}\n#define {0}_NV {2}\n\n", upper_, model_.nq(), model_.nv());
      out += fmt::format(
          "#ifdef __cplusplus\nextern \"C\" {{\n#define {0}_RESTRICT\n#else\n#define {0}_RESTRICT restrict\n#endif\n",
          upper_);
    }
    const std::string word = options_.cpp ? "" : upper_ + "_RESTRICT ";
    for (std::size_t k = 0; k < programs_.size(); ++k) {
      out += fmt::format("\n{}{};\n", documentation(k), declaration(programs_[k], word));
    }
    out += options_.cpp ? fmt::format("\n}}  // namespace {}\n", name_) : "\n#ifdef __cplusplus\n}\n#endif\n";
    return out + "\n#endif\n";
  }

  std::string source() const {
    std::string out = title("Dynamics");
    out += fmt::format("#include \"{}\"\n\n#include <{}>\n", header_name(), options_.cpp ? "cmath" : "math.h");
    if (options_.cpp) out += fmt::format("\nnamespace {} {{\n", name_);
    std::vector<std::string> joints;
    for (const std::string& name : model_.velocity_names()) joints.push_back(comment_text(name));
    for (const Program& p : programs_) {
      out +=
          fmt::format("\n{} {{\n{}}}\n", declaration(p, restrict_word()), compile::c_statements(p, dialect_, joints));
    }
    if (options_.cpp) out += fmt::format("\n}}  // namespace {}\n", name_);
    return out;
  }

  std::string array(const char* name, const Vector& values) const {
    std::string out = fmt::format("  static const {} {}[] = {{", dialect_.type(), name);
    for (int i = 0; i < values.size(); ++i) {
      out += (i % 4 == 0 ? "\n      " : " ") + dialect_.number(values[i]) + ",";
    }
    return out + "\n  };\n";
  }

  // One function per case: inputs, what the library found, and how far apart they may be.
  std::string test_case(std::size_t k, int state) const {
    const Program& p = programs_[k];
    const Vector in = random_inputs(model_, p, static_cast<std::uint64_t>(state) + 1);
    const Vector expected = plain_values(model_, originals_[k], in);
    const double bound = rounding_bound(model_, p, in) * (options_.single ? 2e7 : 1);
    std::string out = fmt::format("static int {}_{}(void) {{\n", function_name(p.function), state);
    out += array("in", in) + array("expected", expected);
    out += fmt::format("  {} out[{}];\n", dialect_.type(), p.output_count());
    std::string arguments;
    for (const ProgramBlock& b : p.inputs)
      arguments += fmt::format("{}in + {}", arguments.empty() ? "" : ", ", b.first);
    for (const ProgramBlock& b : p.outputs) arguments += fmt::format(", out + {}", b.first);
    const std::string call = options_.cpp ? name_ + "::" + function(p) : function(p);
    out += p.guarded ? fmt::format("  const int singular = {}({});\n  return singular", call, arguments)
                     : fmt::format("  {}({});\n  return 0", call, arguments);
    for (const ProgramBlock& b : p.outputs) {
      out += fmt::format("\n         + check(\"{}: {}\", out + {}, expected + {}, {}, {})", function_name(p.function),
                         b.name, b.first, b.first, b.size(), dialect_.number(bound));
    }
    return out + ";\n}\n\n";
  }

  std::string self_test() const {
    std::string out = title("Self-test of the dynamics");
    out += fmt::format("#include \"{}\"\n\n#include <math.h>\n#include <stdio.h>\n\n", header_name());
    out += fmt::format(
        "/* Largest difference relative to the largest expected number (or to 1, where all are about zero). */\n"
        "static int check(const char* what, const {0}* x, const {0}* expected, int count, double bound) {{\n"
        "  double difference = 0, largest = 0;\n"
        "  int i, bad = 0;\n"
        "  for (i = 0; i < count; ++i) {{\n"
        "    const double d = fabs((double)x[i] - (double)expected[i]), e = fabs((double)expected[i]);\n"
        "    if (!(d <= difference)) difference = d;\n"
        "    if (e > largest) largest = e;\n"
        "  }}\n"
        "  if (largest < 1e-10) largest = 1;\n"
        "  bad = !(difference <= bound * largest);\n"
        "  printf(\"%-28s error %.1e, bound %.1e: %s\\n\", what, difference / largest, bound, bad ? \"FAILED\" : "
        "\"ok\");\n"
        "  return bad;\n"
        "}}\n\n",
        dialect_.type());
    std::string calls;
    for (std::size_t k = 0; k < programs_.size(); ++k) {
      for (int state = 0; state < options_.states; ++state) {
        out += test_case(k, state);
        calls += fmt::format("  failures += {}_{}();\n", function_name(programs_[k].function), state);
      }
    }
    out += "int main(void) {\n  int failures = 0;\n" + calls;
    return out + "  return failures == 0 ? 0 : 1;\n}\n";
  }

  const Model& model_;
  const std::vector<Program>& originals_;
  std::vector<Program> programs_;  // the same with blocks named as in C
  const SourceOptions& options_;
  CDialect dialect_;
  std::string name_, upper_;
};

// Functions of the self-test: check, and inverse_0 for each function and state.
bool of_self_test(const std::string& name) {
  const std::size_t end = name.find_last_not_of("0123456789");
  if (end == std::string::npos || end + 1 == name.size() || name[end] != '_') return name == "check";
  const std::vector<Function>& all = functions();
  return std::any_of(all.begin(), all.end(), [&](Function f) { return name.substr(0, end) == function_name(f); });
}

}  // namespace

std::string identifier(const std::string& name) {
  std::string out = spelled(name);
  if (out.empty()) out = "robot";
  if (out[0] >= '0' && out[0] <= '9') out = "robot_" + out;
  if (compile::is_c_name(out) || of_self_test(out)) out += "_robot";
  return out;
}

std::vector<std::string> source_names(const std::string& name, bool cpp) {
  const char* const ending = cpp ? "cpp" : "c";
  return {name + (cpp ? ".hpp" : ".h"), fmt::format("{}.{}", name, ending), fmt::format("{}_test.{}", name, ending)};
}

std::vector<SourceFile> write_source(const Model& model, const std::vector<Program>& programs,
                                     const SourceOptions& options) {
  if (programs.empty()) throw std::invalid_argument("no program to write");
  return SourceWriter(model, programs, options).run();
}

}  // namespace catena
