// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/attention_absorbed.h"

#include "reference/exact/dot.h"
#include "reference/stages/composed.h"

namespace plumb::reference {
namespace {

// W = val(codes) * scale, as the reading loads it. The product of an FP8 code (4 bits) and an f32
// scale (24 bits) is exact in double.
AnyTensor loaded(const Arithmetic& arithmetic, const AnyTensor& codes, const AnyTensor* scale,
                 Index block) {
  if (scale == nullptr) return codes;
  const Operand<double> code(arithmetic, codes);
  const Operand<double> factor(arithmetic, *scale);
  AnyTensor weight = AnyTensor::zeros(Dtype::kF64, codes.shape());
  const auto w = weight.view<double, 2>();
  for (Index o = 0; o < w.extent(0); ++o) {
    for (Index i = 0; i < w.extent(1); ++i) {
      w(o, i) =
          stored(arithmetic, Slot::kWeight, "R1-101", code(o, i) * factor(o / block, i / block));
    }
  }
  return weight;
}

// Calls set(b, h, i, j) for each element of a new tensor.
template <class T>
AnyTensor filled(const Extents<4>& extents, auto element) {
  AnyTensor tensor = new_tensor<T>(Shape(extents.begin(), extents.end()));
  const auto view = tensor.template view<T, 4>();
  for (Index b = 0; b < extents[0]; ++b) {
    for (Index h = 0; h < extents[1]; ++h) {
      for (Index i = 0; i < extents[2]; ++i) {
        for (Index j = 0; j < extents[3]; ++j) view(b, h, i, j) = element(b, h, i, j);
      }
    }
  }
  return tensor;
}

}  // namespace

template <class T>
AnyTensor absorbed_query(const Arithmetic& arithmetic, const Operand<T>& q_nope,
                         const LatentExpansion<T>& expansion) {
  const Extents<4> extents{q_nope.extent(0), q_nope.extent(1), q_nope.extent(2),
                           expansion.weight.extent(1)};
  return filled<T>(extents, [&](Index b, Index h, Index i, Index l) {
    // UK[h,:,l]
    Line column = expansion.weight.along(0, h * (expansion.nope + expansion.value), l);
    column.size = expansion.nope;
    // qa = sum_d q_nope UK
    return stored(arithmetic, Slot::kActivation, "R1-051",
                  exact::dot<T>(arithmetic, q_nope.row(b, h, i), column));
  });
}

template <class T>
AnyTensor absorbed_scores(const Arithmetic& arithmetic, const Operand<T>& absorbed,
                          const Operand<T>& latent, const Operand<T>& q_rope,
                          const Operand<T>& k_rope, const T& sigma) {
  const auto score = [&](const T& v) { return stored(arithmetic, Slot::kScores, "R1-051", v); };
  const Extents<4> extents{absorbed.extent(0), absorbed.extent(1), absorbed.extent(2),
                           latent.extent(1)};
  return filled<T>(extents, [&](Index b, Index h, Index i, Index t) {
    // sum_l qa c + sum_r q_rope k_rope
    const T plain = score(exact::dot<T>(arithmetic, absorbed.row(b, h, i), latent.row(b, t)));
    const T rotary = score(exact::dot<T>(arithmetic, q_rope.row(b, h, i), k_rope.row(b, t)));
    // s = sigma (plain + rotary)
    return score(score(plain + rotary) * sigma);
  });
}

template <class T>
AnyTensor latent_context(const Arithmetic& arithmetic, const Operand<T>& weights,
                         const Operand<T>& latent) {
  const Extents<4> extents{weights.extent(0), weights.extent(1), weights.extent(2),
                           latent.extent(2)};
  return filled<T>(extents, [&](Index b, Index h, Index i, Index l) {
    // x = sum_t a c
    return stored(arithmetic, Slot::kActivation, "R1-053",
                  exact::dot<T>(arithmetic, weights.row(b, h, i), latent.along(1, b, Index{0}, l)));
  });
}

template <class T>
void expanded_context(const Arithmetic& arithmetic, const Operand<T>& mean,
                      const LatentExpansion<T>& expansion, TensorView<T, 4> context) {
  const Index width = expansion.nope + expansion.value;
  for (Index b = 0; b < context.extent(0); ++b) {
    for (Index h = 0; h < context.extent(1); ++h) {
      for (Index i = 0; i < context.extent(2); ++i) {
        for (Index d = 0; d < context.extent(3); ++d) {
          // o = sum_l UV x
          const Line row = expansion.weight.row(h * width + expansion.nope + d);
          context(b, h, i, d) = stored(arithmetic, Slot::kActivation, "R1-053",
                                       exact::dot<T>(arithmetic, mean.row(b, h, i), row));
        }
      }
    }
  }
}

template <class T>
void call_attention_absorbed(const Arithmetic& arithmetic, StageCall& call) {
  const auto operand = [&](std::string_view name) {
    return Operand<T>(arithmetic, call.tensor(name));
  };
  const Operand<T> q_nope = operand("q_nope");
  const Operand<T> latent = operand("latent");
  const LatentExpansion<T> expansion{
      Operand<T>(arithmetic, loaded(arithmetic, call.tensor("kv_b"), call.find("kv_b_scale"),
                                    call.integer("block"))),
      q_nope.extent(3), call.integer("value_dim")};
  PLUMB_REQUIRE(expansion.weight.extent(0) == q_nope.extent(1) * (expansion.nope + expansion.value),
                call.site.path, expansion.weight.extent(0), q_nope.extent(1), expansion.nope,
                expansion.value);
  const AnyTensor query = absorbed_query(arithmetic, q_nope, expansion);
  call.set("absorbed_query", query);
  // The scalar multiplies an f32 tensor: the code holds it in that format.
  const T sigma =
      held(arithmetic, stored(arithmetic, Slot::kConstant, "R1-051", operand("sigma")(0)));
  AnyTensor scores = absorbed_scores(arithmetic, Operand<T>(arithmetic, query), latent,
                                     operand("q_rope"), operand("k_rope"), sigma);
  if (const AnyTensor* mask = call.find("mask")) {
    scores = result_of<T>(arithmetic, "attention_mask_add", {{"scores", scores}, {"mask", *mask}},
                          "masked");
  }
  call.set("scores", scores);
  const AnyTensor weights = result_of<T>(arithmetic, "softmax", {{"scores", scores}}, "weights");
  call.set("weights", weights);
  const AnyTensor mean = latent_context(arithmetic, Operand<T>(arithmetic, weights), latent);
  call.set("latent_context", mean);
  expanded_context(
      arithmetic, Operand<T>(arithmetic, mean), expansion,
      output<T, 4>(call, "context",
                   {q_nope.extent(0), q_nope.extent(1), q_nope.extent(2), expansion.value}));
}

extern const StageReference attention_absorbed_reference;
const StageReference attention_absorbed_reference{
    "attention_absorbed", call_attention_absorbed<Real>, call_attention_absorbed<RealWide>,
    call_attention_absorbed<Tracked>, call_attention_absorbed<double>};

}  // namespace plumb::reference
