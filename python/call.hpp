// What everything callable in this module shares: arguments are told apart into one state, (n,), and many, (B, n);
// results come in the same form. A one-dimensional argument beside two-dimensional ones holds for all states.
#pragma once

#include <mutex>
#include <span>

#include "arrays.hpp"
#include "catena/batch/batch.hpp"
#include "catena/kinematics/configuration.hpp"
#include "errors.hpp"

namespace catena::python {

// An argument or a result. A robot with one joint, or none, has a mass matrix too: one by one is not a vector.
struct Block {
  std::string name;
  int rows = 0, columns = 1;
  bool matrix = false;

  int size() const { return rows * columns; }
};

struct Blocks {
  std::vector<Block> inputs, outputs;
};
Blocks blocks_of(const Model& model, Function function, const Signature& signature);
py::dict shapes(const std::vector<Block>& blocks);  // {"q": (7,), "M": (7, 7)}

// A state: a pointer per block, memory without gaps, matrices column by column.
using Pointers = std::span<const double* const>;
using OutPointers = std::span<double* const>;
inline Eigen::Map<const Vector> vector(const double* x, int size) { return {x, size}; }
inline Eigen::Map<Vector> vector(double* x, int size) { return {x, size}; }
inline Eigen::Map<Matrix> matrix(double* x, int rows, int columns) { return {x, rows, columns}; }
// A copy, as results have it: (n,) of a vector, (rows, columns) of a matrix, which stands column by column.
template <class Values>
Array array_from(const Values& x) {
  const py::ssize_t shape[] = {x.rows(), x.cols()}, strides[] = {1, x.rows()};
  const std::size_t axes = Values::ColsAtCompileTime == 1 ? 1 : 2;
  Array out = new_array(std::span(shape).first(axes), std::span(strides).first(axes));
  matrix(out.mutable_data(), static_cast<int>(x.rows()), static_cast<int>(x.cols())) = x;
  return out;
}
// The argument of a function that takes no more than one state at a time: (n,), without gaps.
Array one_state(py::handle object, const Block& block, const Model& model, const std::string& function);
// Many of them.
using Views = std::span<const ConstStates>;
using OutViews = std::span<const States>;

class Call {
 public:
  Call(std::string name, std::string robot, Blocks blocks);

  const std::string& name() const { return name_; }
  const Blocks& blocks() const { return blocks_; }
  std::string text() const;  // "forward(q, v, tau) -> a"

  // one(Pointers, OutPointers), many(Views, OutViews). Arguments by position or by the names of the blocks; out: an
  // array, or a tuple of them, to write into. kwargs may be null.
  template <class One, class Many>
  py::object operator()(const py::tuple& args, py::handle kwargs, const One& one, const Many& many) const {
    return run(take(args, kwargs), one, many);
  }
  template <class One, class Many>
  py::object operator()(std::initializer_list<py::handle> inputs, py::handle out, const One& one,
                        const Many& many) const {
    return run({Few<py::handle>(inputs), out}, one, many);
  }
  // The same for a function of one state at a time.
  template <class One>
  py::object each(const py::tuple& args, py::handle kwargs, const One& one) const {
    return run(take(args, kwargs), one, [&](Views in, OutViews results) { for_each_state(in, results, one); });
  }
  template <class One>
  py::object each(std::initializer_list<py::handle> inputs, py::handle out, const One& one) const {
    return run({Few<py::handle>(inputs), out}, one,
               [&](Views in, OutViews results) { for_each_state(in, results, one); });
  }

 private:
  struct Given {
    Few<py::handle> inputs;
    py::handle out;  // null or None: none
  };
  struct Arguments {
    Few<Array> arrays;
    Few<ConstStates> views;
    bool many = false;
    py::ssize_t states = 1;
  };
  struct Results {
    Few<py::object> arrays;  // what is computed
    Few<py::object> given;   // where it goes in the end: null, or an array that could not be written directly
    Few<States> views;
  };

  Given take(const py::tuple& args, py::handle kwargs) const;
  void take_named(const py::dict& named, Given& given) const;
  Arguments arguments(const Given& given) const;
  Results results(const Arguments& arguments, py::handle out) const;
  void require_apart(std::span<const py::object> targets) const;
  py::object finish(Results& results) const;
  Array make_output(const Block& block, const Arguments& arguments) const;
  bool place(const py::object& out, const Block& block, const Arguments& arguments, States& view) const;

  template <class One, class Many>
  py::object run(const Given& given, const One& one, const Many& many) const {
    const Arguments in = arguments(given);
    Results out = results(in, given.out);
    if (in.many) {
      many(Views(in.views.data(), in.views.size()), OutViews(out.views.data(), out.views.size()));
    } else {
      Few<const double*> sources;
      Few<double*> targets;
      for (const ConstStates& view : in.views) sources.push_back(view.data);
      for (const States& view : out.views) targets.push_back(view.data);
      one(Pointers(sources.data(), sources.size()), OutPointers(targets.data(), targets.size()));
    }
    return finish(out);
  }
  template <class One>
  void for_each_state(Views in, OutViews out, const One& one) const {
    std::vector<std::vector<double>> from, to;
    std::vector<const double*> sources;
    std::vector<double*> targets;
    for (const Block& block : blocks_.inputs) sources.push_back(from.emplace_back(block.size()).data());
    for (const Block& block : blocks_.outputs) targets.push_back(to.emplace_back(block.size()).data());
    const std::ptrdiff_t states = in.empty() ? 0 : in[0].states;
    for (std::ptrdiff_t b = 0; b < states; ++b) {
      for (std::size_t k = 0; k < in.size(); ++k) {
        for (std::ptrdiff_t i = 0; i < in[k].numbers; ++i) from[k][i] = in[k](i, b);
      }
      one(Pointers(sources), OutPointers(targets));
      for (std::size_t k = 0; k < out.size(); ++k) {
        for (std::ptrdiff_t i = 0; i < out[k].numbers; ++i) out[k](i, b) = to[k][i];
      }
    }
  }

  std::string name_, robot_;
  Blocks blocks_;
  py::object result_;  // the type of results of several blocks
};

// Makes the objects of a class callable by T::compute(args, kwargs). By Python's own slot: pybind11's search for a
// method takes longer than machine code takes to compute.
template <class T>
void make_callable(py::class_<T>& type) {
  type.def("__call__",
           [](T& self, const py::args& args, const py::kwargs& kwargs) { return self.compute(args, kwargs); });
  reinterpret_cast<PyTypeObject*>(type.ptr())->tp_call = [](PyObject* self, PyObject* args, PyObject* kwargs) {
    try {
      T& object = py::handle(self).cast<T&>();
      return object.compute(py::reinterpret_borrow<py::tuple>(args), kwargs).release().ptr();
    } catch (...) {
      raise_current();
      return static_cast<PyObject*>(nullptr);
    }
  };
}

// A batch that several Python threads may call: it computes without the interpreter's lock, one call at a time.
class SharedBatch {
 public:
  SharedBatch(const Model& model, Function function, const BatchOptions& options) : batch_(model, function, options) {}

  const Batch& batch() const { return batch_; }
  void operator()(Views in, OutViews out);

 private:
  Batch batch_;
  std::mutex mutex_;
};

}  // namespace catena::python
