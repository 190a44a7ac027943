// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/rope_frequencies.h"

#include "reference/stages/stage.h"

namespace plumb::reference {
namespace {

template <class T>
RampBounds ramp_bounds(const Arithmetic& arithmetic, const RotaryConfig& config, Index dim,
                       const T& base) {
  const auto index = [&](double beta) {
    return correction_index(arithmetic, dim, base, config.original_length,
                            scalar<T>(arithmetic, beta));
  };
  const T fast = index(config.beta_fast);
  const T slow = index(config.beta_slow);
  const bool open = leaves_open(fast) || leaves_open(slow);
  return clamped(arithmetic, dim, {ramp_low(fast), ramp_high(slow), open});
}

// Where the range of the ramp could have been another one, so could each value on it.
template <class T>
T opened(T rho, [[maybe_unused]] bool open) {
  if constexpr (std::is_same_v<T, Tracked>) {
    if (open) {
      rho.flags |= Tracked::kLoose;
      rho.error = 1;
    }
  }
  return rho;
}

template <class T>
void yarn(const Arithmetic& arithmetic, const RotaryConfig& config, const T& base,
          const Frequencies<T>& out) {
  const Index half = out.inv_freq.extent(0);
  const RampBounds range = ramp_bounds(arithmetic, config, 2 * half, base);
  out.bounds(0) = range.low;
  out.bounds(1) = range.high;
  for (Index i = 0; i < half; ++i) {
    // rho = clamp((i - low) / (high - low), 0, 1)
    out.ramp(i) = opened(ramp(ramp_line<T>(arithmetic, range, i)), range.open);
    // fi = 1 / (s base^(2i/dim))
    out.freq_inter(i) =
        reduced_frequency(arithmetic, config.factor, wavelength(arithmetic, 2 * half, base, i));
    // f = fi (1 - mu) + fe mu, mu = 1 - rho
    out.inv_freq(i) =
        blended_frequency(arithmetic, out.freq_inter(i), out.freq_extra(i), out.ramp(i));
  }
  // a = m(s, mscale) / m(s, mscale_all_dim)
  out.table_scale(0) =
      magnitude_ratio<T>(arithmetic, config.factor, config.mscale, config.mscale_all_dim);
}

bool is_yarn(const Arithmetic& arithmetic, const RotaryConfig& config) {
  return config.kind == "yarn" &&
         yarn_applies(arithmetic, config.max_length, config.original_length);
}

}  // namespace

template <class T>
void rope_frequencies(const Arithmetic& arithmetic, const RotaryConfig& config,
                      const Frequencies<T>& out) {
  const Index dim = 2 * out.inv_freq.extent(0);
  T base = scalar<T>(arithmetic, config.base);
  if (config.kind == "dynamic") {
    base =
        stretched_base(arithmetic, dim, base, config.factor, config.length, config.original_length);
  }
  // fe = 1 / base^(2i/dim)
  for (Index i = 0; i < dim / 2; ++i) {
    out.freq_extra(i) = original_frequency(arithmetic, wavelength(arithmetic, dim, base, i));
    out.inv_freq(i) = out.freq_extra(i);
  }
  out.table_scale(0) = T(1);
  if (is_yarn(arithmetic, config)) yarn(arithmetic, config, base, out);
}

template <class T>
void call_rope_frequencies(const Arithmetic& arithmetic, StageCall& call) {
  const RotaryConfig config{call.word("kind"),          call.number("base"),
                            call.number("factor"),      call.integer("original_length"),
                            call.integer("max_length"), call.integer("length"),
                            call.number("beta_fast"),   call.number("beta_slow"),
                            call.number("mscale"),      call.number("mscale_all_dim")};
  const Extents<1> pairs{call.integer("half")};
  const TensorView<T, 1> none(nullptr, {0});
  Frequencies<T> out{output<T, 1>(call, "inv_freq", pairs),
                     output<T, 1>(call, "freq_extra", pairs),
                     none,
                     none,
                     output<T, 1>(call, "table_scale", {1}),
                     {nullptr, {0}}};
  if (is_yarn(arithmetic, config)) {
    out.freq_inter = output<T, 1>(call, "freq_inter", pairs);
    out.ramp = output<T, 1>(call, "ramp", pairs);
    out.bounds = output<std::int64_t, 1>(call, "bounds", {2});
  }
  rope_frequencies(arithmetic, config, out);
}

extern const StageReference rope_frequencies_reference;
const StageReference rope_frequencies_reference{
    "rope_frequencies", call_rope_frequencies<Real>, call_rope_frequencies<RealWide>,
    call_rope_frequencies<Tracked>, call_rope_frequencies<double>};

}  // namespace plumb::reference
