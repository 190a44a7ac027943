// SPDX-License-Identifier: Apache-2.0
// f[i] = base^(-2i/dim), and for YaRN a blend of it with itself divided by s, by a ramp between the
// pairs that turn beta_fast and beta_slow times within the trained context.
#include <algorithm>

#include "oracles/exact/enclosure.h"
#include "oracles/exact/magnitude.h"
#include "oracles/exact/rounding.h"

namespace plumb::oracles {
namespace {

using Pairs = std::vector<Number>;

class Frequencies {
 public:
  Frequencies(const StageCall& call, std::string_view reading)
      : call_(call),
        code_(code_of(reading)),
        half_(call.integer("half")),
        base_(code_.given(call.number("base"))) {}

  ExactOutput compute();

 private:
  Number f32(const Number& n) const { return rounded(n, code_.vector); }
  Number f64(const Number& n) const { return rounded(n, code_.scalar); }

  bool stretches() const {
    const bool longer = call_.integer("max_length") > call_.integer("original_length");
    return call_.word("kind") == "yarn" && (longer || !code_.inference);
  }
  void lengthen_base();
  // base^(2i/dim)
  Number wave(Index i) const {
    const Number exponent = f32(Number(2 * i) / Number(2 * half_));
    return f32(pow(base_, exponent.rational()));
  }
  Rational turning_pair(double rotations, bool up) const;
  Pairs ramp() const;
  Pairs reduced(const Pairs& original) const;
  Pairs blend(const Pairs& fe, const Pairs& fi, const Pairs& rho) const;

  const StageCall& call_;
  Code code_;
  Index half_;
  Number base_;
};

// base (s L / Lmax - (s - 1))^(dim / (dim - 2)) for L > Lmax
void Frequencies::lengthen_base() {
  const Number length(call_.integer("length"));
  const Number trained(call_.integer("original_length"));
  if (compare(length, trained) <= 0) return;
  const Number s = code_.given(call_.number("factor"));
  const Number stretch = f64(f64(f64(s * length) / trained) - f64(s - Number(1)));
  const Number exponent = f64(Number(2 * half_) / Number(2 * half_ - 2));
  base_ = f64(base_ * f64(pow(stretch, exponent.rational())));
}

// dim ln(L0 / (2 pi rho)) / (2 ln base), to the integer below or above.
Rational Frequencies::turning_pair(double rotations, bool up) const {
  const Number rho = code_.given(rotations);
  const Number circle = f64(f64(rho * Number(2)) * f64(Number::pi()));
  const Number turns = f64(Number(call_.integer("original_length")) / circle);
  const Number index =
      f64(f64(Number(2 * half_) * f64(log(turns))) / f64(Number(2) * f64(log(base_))));
  const auto to_integer = [&](const Rational& q) {
    const Rational near = q.nearest_integer();
    if (up) return near < q ? near + Rational(1) : near;
    return near > q ? near - Rational(1) : near;
  };
  const Rational r = to_integer(index.low());
  PLUMB_REQUIRE(r == to_integer(index.high()), "the ramp's end is undecided");
  return r;
}

Pairs Frequencies::ramp() const {
  const Rational low = std::max(turning_pair(call_.number("beta_fast"), false), Rational(0));
  const Rational last(2 * half_ - 1);
  Number high = std::min(turning_pair(call_.number("beta_slow"), true), last);
  if (high.rational() == low) high = f64(high + code_.given(0.001));
  Pairs rho;
  for (Index i = 0; i < half_; ++i) {
    const Number line = f32(f32(Number(i) - Number(low)) / f32(f64(high - Number(low))));
    rho.push_back(std::clamp(line.rational(), Rational(0), Rational(1)));
  }
  return rho;
}

Pairs Frequencies::reduced(const Pairs& original) const {
  const Number s = code_.given(call_.number("factor"));
  Pairs fi;
  for (Index i = 0; i < half_; ++i) {
    const Number divided = f32(original[static_cast<std::size_t>(i)] / s);
    fi.push_back(code_.inference ? divided : f32(Number(1) / f32(s * wave(i))));
  }
  return fi;
}

// fi (1 - mu) + fe mu with mu = 1 - rho
Pairs Frequencies::blend(const Pairs& fe, const Pairs& fi, const Pairs& rho) const {
  Pairs f;
  for (std::size_t i = 0; i < fe.size(); ++i) {
    const Number mu = f32(Number(1) - rho[i]);
    f.push_back(f32(f32(fi[i] * f32(Number(1) - mu)) + f32(fe[i] * mu)));
  }
  return f;
}

ExactOutput Frequencies::compute() {
  if (call_.word("kind") == "dynamic") lengthen_base();
  Pairs fe;
  for (Index i = 0; i < half_; ++i) fe.push_back(f32(Number(1) / wave(i)));
  ExactOutput out;
  out.tensors.push_back(exact_tensor("freq_extra", {half_}, fe));
  Pairs f = fe;
  Number scale(1);
  if (stretches()) {
    const Pairs fi = reduced(fe);
    const Pairs rho = ramp();
    f = blend(fe, fi, rho);
    out.tensors.push_back(exact_tensor("freq_inter", {half_}, fi));
    out.tensors.push_back(exact_tensor("ramp", {half_}, rho));
    const double s = call_.number("factor");
    if (!code_.inference) {
      scale = f64(magnitude(code_, s, call_.number("mscale")) /
                  magnitude(code_, s, call_.number("mscale_all_dim")));
    }
  }
  out.tensors.push_back(exact_tensor("inv_freq", {half_}, f));
  out.tensors.push_back(exact_tensor("table_scale", {1}, {scale}));
  return out;
}

}  // namespace

ExactOutput rope_frequencies(const StageCall& call, std::string_view reading) {
  return Frequencies(call, reading).compute();
}

}  // namespace plumb::oracles
