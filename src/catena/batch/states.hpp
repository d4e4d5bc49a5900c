// Views of many states in the caller's memory: number i of state b at data[i * number_stride + b * state_stride].
// An Eigen matrix holds a state in each column; a state stride of zero gives every state the same numbers.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <type_traits>
#include <utility>

#pragma GCC visibility push(default)
namespace catena {

template <class Number>  // double or const double
struct BasicStates {
  Number* data = nullptr;  // null: not given (an output: not wanted)
  std::ptrdiff_t numbers = 0, states = 0;
  std::ptrdiff_t number_stride = 1, state_stride = 0;

  BasicStates() = default;
  BasicStates(Number* first, std::ptrdiff_t number_count, std::ptrdiff_t state_count, std::ptrdiff_t between_numbers,
              std::ptrdiff_t between_states)
      : data(first),
        numbers(number_count),
        states(state_count),
        number_stride(between_numbers),
        state_stride(between_states) {}
  // Matrices, blocks and maps: whatever lies in memory.
  template <class Derived>
  requires std::is_const_v<Number> BasicStates(
      const Eigen::MatrixBase<Derived>& x)  // NOLINT: matrices are views of states
      : BasicStates(x.derived().data(), x.rows(), x.cols(), x.derived().rowStride(), x.derived().colStride()) {}
  template <class Derived>
  requires(!std::is_const_v<Number>) BasicStates(Eigen::MatrixBase<Derived>& x)  // NOLINT: the same
      : BasicStates(x.derived().data(), x.rows(), x.cols(), x.derived().rowStride(), x.derived().colStride()) {}
  template <class Derived>
  requires(!std::is_const_v<Number>) BasicStates(Eigen::MatrixBase<Derived>&& x)  // NOLINT: M.leftCols(3)
      : BasicStates(x.derived().data(), x.rows(), x.cols(), x.derived().rowStride(), x.derived().colStride()) {}
  // What can be written can be read.
  template <class Other>
  requires(std::is_const_v<Number>&& std::is_same_v<Other, std::remove_const_t<Number>>)
      BasicStates(const BasicStates<Other>& x)  // NOLINT: what may be written may be read
      : BasicStates(x.data, x.numbers, x.states, x.number_stride, x.state_stride) {}

  Number& operator()(std::ptrdiff_t number, std::ptrdiff_t state) const {
    return data[number * number_stride + state * state_stride];
  }
  BasicStates slice(std::ptrdiff_t first, std::ptrdiff_t count) const {
    return {data + first * state_stride, numbers, count, number_stride, state_stride};
  }
};
using States = BasicStates<double>;
using ConstStates = BasicStates<const double>;

// The same at several times, each `stride` numbers behind the one before. States alone: the same at all times.
template <class Number>
struct BasicTimeSeries {
  BasicStates<Number> states;  // at the first time
  std::ptrdiff_t times = 1, stride = 0;

  BasicTimeSeries() = default;
  BasicTimeSeries(const BasicStates<Number>& first, std::ptrdiff_t time_count, std::ptrdiff_t between_times)
      : states(first), times(time_count), stride(between_times) {}
  template <class Source>
  requires std::is_convertible_v<Source, BasicStates<Number>> BasicTimeSeries(Source&& always)
      : states(std::forward<Source>(always)) {}  // NOLINT: constant in time

  template <class Other>
  requires(std::is_const_v<Number>&& std::is_same_v<Other, std::remove_const_t<Number>>)
      BasicTimeSeries(const BasicTimeSeries<Other>& x)  // NOLINT: likewise
      : BasicTimeSeries(BasicStates<Number>(x.states), x.times, x.stride) {}

  BasicStates<Number> at(std::ptrdiff_t time) const {
    BasicStates<Number> out = states;
    if (out.data != nullptr) out.data += time * stride;
    return out;
  }
};
using TimeSeries = BasicTimeSeries<double>;
using ConstTimeSeries = BasicTimeSeries<const double>;

// Memory without gaps. A row for each state, (states, numbers) in C order; or a row for each number.
template <class Number>
BasicStates<Number> states_in_rows(Number* data, std::ptrdiff_t numbers, std::ptrdiff_t states) {
  return {data, numbers, states, 1, numbers};
}
template <class Number>
BasicStates<Number> numbers_in_rows(Number* data, std::ptrdiff_t numbers, std::ptrdiff_t states) {
  return {data, numbers, states, states, 1};
}

// Memory without gaps, (times, numbers, states) or (times, states, numbers) in C order.
template <class Number>
BasicTimeSeries<Number> time_series_in_rows(Number* data, std::ptrdiff_t numbers, std::ptrdiff_t states,
                                            std::ptrdiff_t times) {
  return {numbers_in_rows(data, numbers, states), times, numbers * states};
}
template <class Number>
BasicTimeSeries<Number> time_series_of_states_in_rows(Number* data, std::ptrdiff_t numbers, std::ptrdiff_t states,
                                                      std::ptrdiff_t times) {
  return {states_in_rows(data, numbers, states), times, numbers * states};
}

}  // namespace catena
#pragma GCC visibility pop
