#include "catena/source/c_statements.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace catena::compile {

std::string CDialect::number(double value) const {
  std::string text = single ? fmt::format("{:.9g}", value) : fmt::format("{:.17g}", value);
  if (!single) {
    const std::string shorter = fmt::format("{}", value);  // shortest text that reads back the same
    if (shorter.size() < text.size()) text = shorter;
  }
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return single ? text + "f" : text;
}

std::string CDialect::function(const char* name) const {
  if (cpp) return std::string("std::") + name;
  return single ? std::string(name) + "f" : name;
}

namespace {

constexpr std::size_t longest = 72;  // of an expression that is written into another

enum class Level { sum, product, atom };

struct Expression {
  std::string text;
  Level level;
};

std::string wrapped(const Expression& e, Level at_least) { return e.level < at_least ? "(" + e.text + ")" : e.text; }

class Writer {
 public:
  Writer(const Program& program, const CDialect& dialect, const std::vector<std::string>& joints)
      : program_(program),
        code_(program.code),
        dialect_(dialect),
        joints_(joints),
        uses_(count_uses(code_)),
        value_(code_.size()) {}

  std::string run() {
    for (const ProgramBlock& block : program_.inputs) {
      if (!used(block)) out_ += fmt::format("  (void){};\n", block.name);
    }
    bool any = false;
    for (int k = 0; k < code_.size(); ++k) {
      switch (code_[k].op) {
        case Op::constant: value_[k] = constant(code_[k].value); break;
        case Op::input: value_[k] = {input(code_[k].a), Level::atom}; break;
        default: any = true;
      }
    }
    trigonometry();
    if (any) out_ += "\n";
    for (int k = 0; k < code_.size(); ++k) {
      if (value_[k].text.empty()) instruction(k);
    }
    for (const ProgramBlock& block : program_.outputs) results(block);
    if (program_.guarded) {
      // floors are for double: those for float lie higher by the quotient of the roundoffs
      const std::string limit = dialect_.number(dialect_.single ? 0x1p-58 : 1.0);
      out_ += fmt::format("\n  return !({} < {});\n", value_[code_.results.back()].text, limit);
    }
    return out_;
  }

 private:
  Expression constant(double value) const { return {dialect_.number(value), value < 0 ? Level::sum : Level::atom}; }
  std::string input(int number) const {
    for (const ProgramBlock& block : program_.inputs) {
      if (number < block.first + block.size()) return fmt::format("{}[{}]", block.name, number - block.first);
    }
    return {};
  }
  bool used(const ProgramBlock& block) const {
    for (const Node& node : code_.nodes) {
      if (node.op == Op::input && node.a >= block.first && node.a < block.first + block.size()) return true;
    }
    return false;
  }
  void declare(int k, const std::string& name, const std::string& text) {
    out_ += fmt::format("  const {} {} = {};\n", dialect_.type(), name, text);
    value_[k] = {name, Level::atom};
  }
  // Sines and cosines of inputs first, named after the joint's number: s3, c3.
  void trigonometry() {
    for (int k = 0; k < code_.size(); ++k) {
      const Node& node = code_[k];
      if ((node.op != Op::sin && node.op != Op::cos) || code_[node.a].op != Op::input) continue;
      const bool sine = node.op == Op::sin;
      declare(k, fmt::format("{}{}", sine ? "s" : "c", code_[node.a].a),
              fmt::format("{}({})", dialect_.function(sine ? "sin" : "cos"), value_[node.a].text));
    }
  }
  Expression expression(int k) const {
    const Node& node = code_[k];
    const Expression& a = value_[node.a];
    const auto call = [&](const char* name) {
      return Expression{fmt::format("{}({})", dialect_.function(name), a.text), Level::atom};
    };
    switch (node.op) {
      case Op::neg: return {"-" + wrapped(a, Level::atom), Level::sum};
      case Op::add: return {a.text + " + " + tail(value_[node.b]), Level::sum};
      case Op::sub: return {a.text + " - " + wrapped(value_[node.b], Level::product), Level::sum};
      case Op::mul: return {wrapped(a, Level::product) + " * " + wrapped(value_[node.b], Level::atom), Level::product};
      case Op::div: return {wrapped(a, Level::product) + " / " + wrapped(value_[node.b], Level::atom), Level::product};
      case Op::sqrt: return call("sqrt");
      case Op::sin: return call("sin");
      case Op::cos: return call("cos");
      case Op::tanh: return call("tanh");
      case Op::constant:
      case Op::input: break;
    }
    return a;
  }
  // Sums keep the order in which the program adds.
  static std::string tail(const Expression& e) { return wrapped(e, Level::product); }

  void instruction(int k) {
    Expression e = expression(k);
    if (uses_[k] == 1 && e.text.size() <= longest) {
      value_[k] = std::move(e);
    } else {
      declare(k, fmt::format("t{}", ++temporaries_), e.text);
    }
  }
  void results(const ProgramBlock& block) {
    const bool vector = block.columns == 1 && !of_frames(program_.function);
    for (int i = 0; i < block.size(); ++i) {
      if (!vector && i % block.rows == 0) out_ += fmt::format("\n  /* {}, {} */\n", block.name, column(i / block.rows));
      if (vector && i == 0) out_ += "\n";
      out_ += fmt::format("  {}[{}] = {};{}\n", block.name, i, value_[code_.results[block.first + i]].text,
                          vector ? fmt::format("  /* {} */", joints_[i]) : "");
    }
  }
  std::string column(int j) const {
    static constexpr const char* of_pose[] = {"x axis", "y axis", "z axis", "origin"};
    return program_.function == Function::pose ? of_pose[j] : "column of " + joints_[j];
  }

  const Program& program_;
  const Code& code_;
  const CDialect& dialect_;
  const std::vector<std::string>& joints_;
  std::vector<int> uses_;
  std::vector<Expression> value_;
  std::string out_;
  int temporaries_ = 0;
};

}  // namespace

std::string c_statements(const Program& program, const CDialect& dialect, const std::vector<std::string>& joints) {
  return Writer(program, dialect, joints).run();
}

}  // namespace catena::compile
