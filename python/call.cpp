#include "call.hpp"

#include <algorithm>
#include <stdexcept>

#include "catena/model/names.hpp"
#include "robot.hpp"

namespace catena::python {

namespace {

std::string names_of(const std::vector<Block>& blocks) {
  std::string out;
  for (const Block& block : blocks) out += (out.empty() ? "" : ", ") + block.name;
  return out;
}

// Whether a function's output k is a matrix: seen on a robot with several joints.
bool is_matrix(Function function, std::size_t k) {
  const std::vector<ProgramBlock> blocks = signature(example_model(), function).outputs;
  return blocks[std::min(k, blocks.size() - 1)].columns > 1;
}

// Where output `name` stands among all of the function.
std::size_t place_of(const Signature& all, const std::string& name) {
  const auto same = [&](const ProgramBlock& block) { return block.name == name; };
  return static_cast<std::size_t>(std::find_if(all.outputs.begin(), all.outputs.end(), same) - all.outputs.begin());
}

}  // namespace

Blocks blocks_of(const Model& model, Function function, const Signature& wanted) {
  Blocks out;
  const Signature all = signature(model, function);
  for (const ProgramBlock& block : wanted.inputs) out.inputs.push_back({block.name, block.rows, block.columns});
  for (const ProgramBlock& block : wanted.outputs) {
    const bool matrix = block.columns > 1 || (model.nv() <= 1 && is_matrix(function, place_of(all, block.name)));
    out.outputs.push_back({block.name, block.rows, block.columns, matrix});
  }
  return out;
}

py::dict shapes(const std::vector<Block>& blocks) {
  py::dict out;
  for (const Block& block : blocks) {
    out[py::str(block.name)] = block.matrix ? py::make_tuple(block.rows, block.columns) : py::make_tuple(block.rows);
  }
  return out;
}

Array one_state(py::handle object, const Block& block, const Model& model, const std::string& function) {
  const Array array = numbers_from(object, block.name);
  if (array.ndim() == 1 && array.shape(0) == block.size()) return without_gaps(array);
  throw std::invalid_argument(block.name + " has the shape " + shape_text(array) + "; " + model.name() + " needs (" +
                              std::to_string(block.size()) + ",): " + function + " takes one state at a time");
}

Call::Call(std::string name, std::string robot, Blocks blocks)
    : name_(std::move(name)), robot_(std::move(robot)), blocks_(std::move(blocks)) {
  if (blocks_.outputs.size() == 1) return;
  std::vector<std::string> fields;
  for (const Block& block : blocks_.outputs) fields.push_back(block.name);
  result_ = result_type(name_, fields);
}

std::string Call::text() const { return name_ + "(" + names_of(blocks_.inputs) + ") -> " + names_of(blocks_.outputs); }

Call::Given Call::take(const py::tuple& args, py::handle kwargs) const {
  const std::size_t count = blocks_.inputs.size();
  Given given;
  given.inputs.reserve(count);
  for (const py::handle argument : args) given.inputs.push_back(argument);
  const std::size_t used = given.inputs.size();
  if (used > count) {
    throw py::type_error(name_ + " takes " + names_of(blocks_.inputs) + ": " + std::to_string(count) +
                         " arguments, not " + std::to_string(used));
  }
  given.inputs.resize(count);
  if (kwargs) take_named(py::reinterpret_borrow<py::dict>(kwargs), given);
  for (std::size_t k = 0; k < count; ++k) {
    if (given.inputs[k]) continue;
    throw py::type_error(name_ + " takes " + names_of(blocks_.inputs) + ": " + blocks_.inputs[k].name + " is missing");
  }
  return given;
}

void Call::take_named(const py::dict& named, Given& given) const {
  const std::size_t count = blocks_.inputs.size();
  for (const auto& [key, value] : named) {
    const std::string name = py::str(key);
    std::size_t k = 0;
    while (k < count && blocks_.inputs[k].name != name) ++k;
    if (k < count && !given.inputs[k]) {
      given.inputs[k] = value;
    } else if (name == "out") {
      given.out = value;
    } else {
      std::vector<std::string> names = {"out"};
      for (const Block& block : blocks_.inputs) names.push_back(block.name);
      throw py::type_error(name_ + " takes " + names_of(blocks_.inputs) + " and out: " + name +
                           (k < count ? " was given twice" : " is none of them" + did_you_mean(name, names)));
    }
  }
}

Call::Arguments Call::arguments(const Given& given) const {
  Arguments in;
  in.arrays.reserve(given.inputs.size());
  in.views.reserve(given.inputs.size());
  for (std::size_t k = 0; k < given.inputs.size(); ++k) {
    const Block& block = blocks_.inputs[k];
    const Array& array = in.arrays.emplace_back(numbers_from(given.inputs[k], block.name));
    const int axes = static_cast<int>(array.ndim());
    if (axes < 1 || axes > 2 || array.shape(axes - 1) != block.size()) {
      const std::string n = std::to_string(block.size());
      throw std::invalid_argument(block.name + " has the shape " + shape_text(array) + "; " + robot_ + " needs (" + n +
                                  ",), or (B, " + n + ") for B states");
    }
    if (axes == 1) continue;
    if (in.many && array.shape(0) != in.states) {
      throw std::invalid_argument(block.name + " has " + std::to_string(array.shape(0)) +
                                  " states, arguments before it " + std::to_string(in.states));
    }
    in.many = true;
    in.states = array.shape(0);
  }
  for (std::size_t k = 0; k < in.arrays.size(); ++k) {
    Array& array = in.arrays[k];
    const int last = static_cast<int>(array.ndim()) - 1;
    if (!in.many) array = without_gaps(array);
    in.views.emplace_back(array.data(), array.shape(last), in.states, stride(array, last),
                          last == 1 ? stride(array, 0) : 0);
  }
  return in;
}

// Matrices stand column by column in memory; strides turn them the right way round for Python.
Array Call::make_output(const Block& block, const Arguments& in) const {
  const py::ssize_t shape[] = {in.states, block.rows, block.columns}, strides[] = {block.size(), 1, block.rows};
  const std::size_t first = in.many ? 0 : 1, count = (block.matrix ? 3 : 2) - first;
  return new_array(std::span(shape).subspan(first, count), std::span(strides).subspan(first, count));
}

// Whether results can be written to `out` as they come; throws if they cannot be written there at all.
bool Call::place(const py::object& out, const Block& block, const Arguments& in, States& view) const {
  if (!py::isinstance<Array>(out)) {
    throw std::invalid_argument("out for " + block.name + " must be a numpy array of float64, not " + kind_text(out));
  }
  const Array array = py::reinterpret_borrow<Array>(out);
  const py::ssize_t all[] = {in.states, block.rows, block.columns};
  const auto wanted = std::span(all).subspan(in.many ? 0 : 1, (in.many ? 1 : 0) + (block.matrix ? 2 : 1));
  if (!std::equal(array.shape(), array.shape() + array.ndim(), wanted.begin(), wanted.end())) {
    throw std::invalid_argument("out for " + block.name + " has the shape " + shape_text(array) + ", not " +
                                shape_text(make_output(block, in)));
  }
  if (!array.writeable()) throw std::invalid_argument("out for " + block.name + " is read-only");
  if (overlaps_itself(array)) {
    throw std::invalid_argument("out for " + block.name + " overlaps itself: several of its numbers share memory");
  }
  const int first = in.many ? 1 : 0;  // the axis of rows
  bool direct = (array.flags() & py::detail::npy_api::NPY_ARRAY_ALIGNED_) != 0;
  for (int axis = 0; axis < array.ndim(); ++axis) direct &= array.strides(axis) % py::ssize_t(sizeof(double)) == 0;
  if (block.matrix) direct &= stride(array, first + 1) == block.rows * stride(array, first);
  if (!in.many) direct &= stride(array, first) == 1;
  for (const Array& input : in.arrays) direct &= !may_overlap(array, input);
  if (!direct) return false;
  view = {const_cast<double*>(array.data()), block.size(), in.states, stride(array, first),
          in.many ? stride(array, 0) : 0};
  return true;
}

Call::Results Call::results(const Arguments& in, py::handle out) const {
  const std::size_t count = blocks_.outputs.size();
  const bool given = out && !out.is_none();
  const bool several = given && (py::isinstance<py::tuple>(out) || py::isinstance<py::list>(out));
  if (given && (several ? py::len(out) != count : count != 1)) {
    throw std::invalid_argument("out must be a tuple with an array, or None, for each of " + names_of(blocks_.outputs));
  }
  Results results;
  Few<py::object> targets(count);
  results.arrays.resize(count);
  results.given.resize(count);
  results.views.reserve(count);
  for (std::size_t k = 0; k < count; ++k) {
    const Block& block = blocks_.outputs[k];
    States view;
    if (given) {
      py::object target = several ? py::object(out[py::int_(k)]) : py::reinterpret_borrow<py::object>(out);
      if (!target.is_none()) {
        targets[k] = target;
        if (place(target, block, in, view)) {
          results.arrays[k] = std::move(target);
          results.views.push_back(view);
          continue;
        }
        results.given[k] = std::move(target);
      }
    }
    Array array = make_output(block, in);
    results.views.emplace_back(array.mutable_data(), block.size(), in.states, 1, in.many ? block.size() : 0);
    results.arrays[k] = std::move(array);
  }
  require_apart({targets.data(), targets.size()});
  return results;
}

void Call::require_apart(std::span<const py::object> targets) const {
  for (std::size_t k = 0; k < targets.size(); ++k) {
    for (std::size_t l = 0; l < k; ++l) {
      if (!targets[k] || !targets[l] || !overlap(py::array(targets[k]), py::array(targets[l]))) continue;
      throw std::invalid_argument("out for " + blocks_.outputs[l].name + " and out for " + blocks_.outputs[k].name +
                                  " overlap: results need memory of their own");
    }
  }
}

py::object Call::finish(Results& results) const {
  for (std::size_t k = 0; k < results.given.size(); ++k) {
    if (!results.given[k]) continue;
    results.given[k].attr("__setitem__")(py::ellipsis(), results.arrays[k]);
    results.arrays[k] = results.given[k];
  }
  if (!result_) return std::move(results.arrays[0]);
  py::tuple values(results.arrays.size());
  for (std::size_t k = 0; k < results.arrays.size(); ++k) values[k] = results.arrays[k];
  return result_(*values);
}

void SharedBatch::operator()(Views in, OutViews out) {
  const py::gil_scoped_release others_may_run;
  const std::lock_guard one_at_a_time(mutex_);
  batch_(in, out);
}

}  // namespace catena::python
