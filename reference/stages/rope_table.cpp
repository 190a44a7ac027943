// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/rope_table.h"

#include <cmath>

#include "reference/stages/stage.h"

namespace plumb::reference {
namespace {

// The f32 cosine and sine of an f32 angle.
template <class T>
T cosine(const Arithmetic& arithmetic, const T& angle) {
  const auto function = [](const T& v) {
    using std::cos;
    return T(cos(v));
  };
  return evaluated(arithmetic, Slot::kAngle, function, angle);
}
template <class T>
T sine(const Arithmetic& arithmetic, const T& angle) {
  const auto function = [](const T& v) {
    using std::sin;
    return T(sin(v));
  };
  return evaluated(arithmetic, Slot::kAngle, function, angle);
}

template <class T>
bool is_one(const T& v) {
  if constexpr (std::is_same_v<T, Tracked>) {
    return v.value == Real(1) && v.error == 0;
  } else {
    return v == T(1);
  }
}

// A wave's value times the factor on the table; one is no factor.
template <class T>
T scaled(const Arithmetic& arithmetic, const T& wave, const T& table_scale) {
  const T product = is_one(table_scale) ? wave : wave * held(arithmetic, table_scale);
  return stored(arithmetic, Slot::kRopeTable, "R1-036", product);
}

}  // namespace

template <class T>
T stretched_position(const Arithmetic& arithmetic, std::int64_t position, double stretch) {
  const T p(static_cast<double>(position));
  if (stretch == 1) return stored(arithmetic, Slot::kAngle, "R1-027", p);
  const T s = stepwise(arithmetic, Slot::kAngle, constant<T>(arithmetic, stretch, Slot::kScalar));
  return stored(arithmetic, Slot::kAngle, "R1-027", p / s);
}

template <class T>
void rope_table(const Arithmetic& arithmetic, TensorView<const std::int64_t, 1> positions,
                const Operand<T>& inv_freq, const T& table_scale, double stretch,
                const RopeTable<T>& out) {
  const Index half = inv_freq.extent(0);
  for (Index p = 0; p < positions.extent(0); ++p) {
    const T t = stretched_position<T>(arithmetic, positions(p), stretch);
    for (Index i = 0; i < half; ++i) {
      // phi = t f
      const T f = stepwise(arithmetic, Slot::kAngle, inv_freq(i));
      out.angles(p, i) = stored(arithmetic, Slot::kAngle, "R1-036", t * f);
    }
    for (Index j = 0; j < out.cos.extent(1); ++j) {
      // C = cos(phi) a, Sn = sin(phi) a
      const T& phi = out.angles(p, j % half);
      out.cos(p, j) = scaled(arithmetic, cosine(arithmetic, phi), table_scale);
      out.sin(p, j) = scaled(arithmetic, sine(arithmetic, phi), table_scale);
    }
  }
}

template <class T>
void call_rope_table(const Arithmetic& arithmetic, StageCall& call) {
  const auto positions = call.tensor("positions").view<const std::int64_t, 1>();
  const Operand<T> inv_freq(arithmetic, call.tensor("inv_freq"));
  const T table_scale = Operand<T>(arithmetic, call.tensor("table_scale"))(0);
  const Index rows = positions.extent(0);
  const Extents<2> columns{rows, call.integer("dim")};
  rope_table(arithmetic, positions, inv_freq, table_scale, call.number("stretch"),
             RopeTable<T>{output<T, 2>(call, "angles", {rows, inv_freq.extent(0)}),
                          output<T, 2>(call, "cos", columns), output<T, 2>(call, "sin", columns)});
}

extern const StageReference rope_table_reference;
const StageReference rope_table_reference{"rope_table", call_rope_table<Real>,
                                          call_rope_table<RealWide>, call_rope_table<Tracked>,
                                          call_rope_table<double>};

// The golden of record 27 is a position alone.
template Real stretched_position(const Arithmetic&, std::int64_t, double);

}  // namespace plumb::reference
