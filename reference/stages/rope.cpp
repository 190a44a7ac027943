// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/rope.h"

#include <optional>

#include "reference/stages/stage.h"

namespace plumb::reference {

template <class T>
std::span<const T> first_half(std::span<const T> x) {
  return x.first(x.size() / 2);
}
template <class T>
std::span<const T> second_half(std::span<const T> x) {
  return x.subspan(x.size() / 2);
}

template <class T>
std::vector<T> rotate_half(std::span<const T> x) {
  std::vector<T> turned;
  for (const T& v : second_half(x)) turned.push_back(-v);
  for (const T& v : first_half(x)) turned.push_back(v);
  return turned;
}

template <class T>
std::vector<T> deinterleaved(std::span<const T> x) {
  std::vector<T> halves;
  for (const std::size_t c : {std::size_t{0}, std::size_t{1}}) {
    for (std::size_t i = 0; i < x.size() / 2; ++i) halves.push_back(x[2 * i + c]);
  }
  return halves;
}

namespace {

// What one rotation is told about its arithmetic.
class Rotation {
 public:
  explicit Rotation(const Arithmetic& arithmetic)
      : arithmetic_(arithmetic),
        rounds_each_(arithmetic.takes("R1-D23", Side::kA)),
        binding_(rounds_each_ && !arithmetic.contract.fused_products &&
                 is_narrower(arithmetic.reading.format(Slot::kRotation),
                             arithmetic.contract.accumulator)),
        stays_in_halves_(arithmetic.takes("R1-D17", Side::kA)) {}

  // x C + turned Sn
  template <class T>
  T turn(const T& x, const T& cos, const T& turned, const T& sin) const {
    return step(product(operand(x) * operand(cos)) + product(operand(turned) * operand(sin)));
  }

  // Where component j of the halves goes.
  Index place(Index j, Index d) const {
    if (stays_in_halves_) return j;
    return j < d / 2 ? 2 * j : 2 * (j - d / 2) + 1;
  }

 private:
  static bool is_narrower(const std::optional<Format>& format, const Format& accumulator) {
    return format && format->precision < accumulator.precision;
  }
  template <class T>
  T operand(const T& v) const {
    return binding_ ? stepwise(arithmetic_, Slot::kRotation, v) : v;
  }
  template <class T>
  T product(const T& v) const {
    return step(binding_ ? v : fusable(v));
  }
  template <class T>
  T step(const T& v) const {
    return rounds_each_ ? stored(arithmetic_, Slot::kRotation, "R1-018", v) : v;
  }

  const Arithmetic& arithmetic_;
  bool rounds_each_;
  // The roundings of the products are the code's own, in a format narrower than the accumulator; in
  // the accumulator's a kernel may fuse them.
  bool binding_;
  bool stays_in_halves_;
};

template <class T>
std::vector<T> vector_at(const Operand<T>& x, Index b, Index h, Index t) {
  std::vector<T> v;
  for (Index j = 0; j < x.extent(3); ++j) v.push_back(x(b, h, t, j));
  return v;
}

}  // namespace

template <class T>
void rope(const Arithmetic& arithmetic, const Operand<T>& x, const Operand<T>& cos,
          const Operand<T>& sin, TensorView<const std::int64_t, 2> positions, TensorView<T, 4> y) {
  const Rotation rotation(arithmetic);
  const Index d = x.extent(3);
  const auto rotate = [&](Index b, Index h, Index t) {
    const Index p = positions(b, t);
    const std::vector<T> halves = deinterleaved<T>(vector_at(x, b, h, t));
    const std::vector<T> turned = rotate_half<T>(halves);
    for (Index j = 0; j < d; ++j) {
      // y = x' C + rotate_half(x') Sn
      const auto at = static_cast<std::size_t>(j);
      const T v = rotation.turn(halves[at], cos(p, j), turned[at], sin(p, j));
      y(b, h, t, rotation.place(j, d)) = stored(arithmetic, Slot::kActivation, "R1-018", v);
    }
  };
  for (Index b = 0; b < x.extent(0); ++b) {
    for (Index h = 0; h < x.extent(1); ++h) {
      for (Index t = 0; t < x.extent(2); ++t) rotate(b, h, t);
    }
  }
}

template <class T>
void call_rope(const Arithmetic& arithmetic, StageCall& call) {
  const Operand<T> x(arithmetic, call.tensor("x"));
  rope(arithmetic, x, Operand<T>(arithmetic, call.tensor("cos")),
       Operand<T>(arithmetic, call.tensor("sin")),
       call.tensor("positions").view<const std::int64_t, 2>(),
       output<T, 4>(call, "y", {x.extent(0), x.extent(1), x.extent(2), x.extent(3)}));
}

extern const StageReference rope_reference;
const StageReference rope_reference{"rope", call_rope<Real>, call_rope<RealWide>,
                                    call_rope<Tracked>, call_rope<double>};

// The goldens of records 14 to 17 are these alone.
template std::span<const Real> first_half(std::span<const Real>);
template std::span<const Real> second_half(std::span<const Real>);
template std::vector<Real> deinterleaved(std::span<const Real>);
template std::vector<Real> rotate_half(std::span<const Real>);

}  // namespace plumb::reference
