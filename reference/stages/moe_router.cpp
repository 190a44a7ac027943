// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/moe_router.h"

#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "reference/exact/dot.h"
#include "reference/stages/selection.h"
#include "reference/stages/stage.h"

namespace plumb::reference {
namespace {

// The two largest values, added. NaN has no rank, so a group that holds one has a score of NaN.
template <class T>
T two_largest(const std::vector<T>& group) {
  for (const T& c : group) {
    if (is_nan(c)) return c;
  }
  const std::vector<std::int64_t> two = largest(group, 2);
  return group[static_cast<std::size_t>(two[0])] + group[static_cast<std::size_t>(two[1])];
}

// One token's way through the router.
template <class T>
class Token {
 public:
  Token(const Arithmetic& arithmetic, const RouterShape& shape, const RouterOutputs<T>& out,
        Index n)
      : arithmetic_(arithmetic), shape_(shape), out_(out), n_(n) {}

  void score(const Operand<T>& h, const Operand<T>& weight, const Operand<T>& bias);
  void keep_groups(const AnyTensor* forced);
  void choose_experts(const AnyTensor* forced);
  void weigh();

 private:
  std::vector<T> line(const TensorView<T, 2>& from, Index begin, Index end) const {
    std::vector<T> values;
    for (Index i = begin; i < end; ++i) values.push_back(from(n_, i));
    return values;
  }
  void choose(const AnyTensor* forced, const std::vector<T>& scores,
              TensorView<std::int64_t, 2> ids) const;

  const Arithmetic& arithmetic_;
  const RouterShape& shape_;
  const RouterOutputs<T>& out_;
  Index n_;
};

template <class T>
void Token<T>::score(const Operand<T>& h, const Operand<T>& weight, const Operand<T>& bias) {
  const T one = lifted<T>(arithmetic_, 1);
  for (Index e = 0; e < weight.extent(0); ++e) {
    // z = sum_j W[e,j] h[j]
    const T z = exact::dot<T>(arithmetic_, h.row(n_), weight.row(e));
    out_.logits(n_, e) = stored(arithmetic_, Slot::kRouterInput, "R1-039", z);
    // s = 1 / (1 + exp(-z))
    using std::exp;
    const T s = one / (one + exp(-out_.logits(n_, e)));
    out_.scores(n_, e) = stored(arithmetic_, Slot::kRouter, "R1-065", s);
    // c = s + bias; the sum stays f32 in both codes
    const T beta = stored(arithmetic_, Slot::kRouterBias, "R1-066", bias(e));
    out_.biased(n_, e) =
        stored(arithmetic_, Slot::kRouterBiased, "R1-066", out_.scores(n_, e) + beta);
  }
}

template <class T>
void Token<T>::choose(const AnyTensor* forced, const std::vector<T>& scores,
                      TensorView<std::int64_t, 2> ids) const {
  const std::vector<std::int64_t> chosen = largest(scores, ids.extent(1));
  for (Index k = 0; k < ids.extent(1); ++k) {
    ids(n_, k) = forced != nullptr ? forced->view<const std::int64_t, 2>()(n_, k)
                                   : chosen[static_cast<std::size_t>(k)];
  }
}

template <class T>
void Token<T>::keep_groups(const AnyTensor* forced) {
  const Index size = out_.biased.extent(1) / shape_.groups;
  // G = the two largest c of the group, added
  for (Index g = 0; g < shape_.groups; ++g) {
    const std::vector<T> group = line(out_.biased, g * size, (g + 1) * size);
    const std::vector<std::int64_t> two = largest(group, 2);
    const T total =
        group[static_cast<std::size_t>(two[0])] + group[static_cast<std::size_t>(two[1])];
    out_.group_scores(n_, g) = stored(arithmetic_, Slot::kRouterBiased, "R1-067", total);
  }
  // kept = the TG groups with largest G
  choose(forced, line(out_.group_scores, 0, shape_.groups), out_.group_ids);
  // t = c in kept groups, else the fill
  const T fill = lifted<T>(arithmetic_, arithmetic_.takes("R1-D06", Side::kA)
                                            ? 0.0
                                            : -std::numeric_limits<double>::infinity());
  for (Index e = 0; e < out_.biased.extent(1); ++e) {
    bool kept = false;
    for (Index g = 0; g < shape_.top_groups; ++g) kept = kept || out_.group_ids(n_, g) == e / size;
    out_.masked(n_, e) = kept ? out_.biased(n_, e) : fill;
  }
}

template <class T>
void Token<T>::choose_experts(const AnyTensor* forced) {
  choose(forced, line(out_.masked, 0, out_.masked.extent(1)), out_.ids);
}

template <class T>
void Token<T>::weigh() {
  // a = s[ids]
  for (Index k = 0; k < shape_.top_k; ++k) out_.gathered(n_, k) = out_.scores(n_, out_.ids(n_, k));
  // D = sum_k a + 1e-20
  const std::vector<T> a = line(out_.gathered, 0, shape_.top_k);
  T denominator = exact::sum<T>(arithmetic_, std::span<const T>(a));
  if (arithmetic_.takes("R1-D16", Side::kA)) denominator += constant<T>(arithmetic_, 1e-20);
  denominator = stored(arithmetic_, Slot::kRouterWeight, "R1-071", denominator);
  // w = a / D * lambda
  const T lambda = constant<T>(arithmetic_, shape_.scale);
  for (Index k = 0; k < shape_.top_k; ++k) {
    const T share =
        stored(arithmetic_, Slot::kRouterWeight, "R1-072", out_.gathered(n_, k) / denominator);
    out_.weights(n_, k) = stored(arithmetic_, Slot::kRouterWeight, "R1-040", share * lambda);
  }
}

}  // namespace

template <class T>
void moe_router(const Arithmetic& arithmetic, const Operand<T>& h, const Operand<T>& weight,
                const Operand<T>& bias, const RouterShape& shape, const ForcedChoices& forced,
                const RouterOutputs<T>& out) {
  for (Index n = 0; n < h.extent(0); ++n) {
    Token<T> token(arithmetic, shape, out, n);
    token.score(h, weight, bias);
    token.keep_groups(forced.group_ids);
    token.choose_experts(forced.ids);
    token.weigh();
  }
}

template <class T>
void call_moe_router(const Arithmetic& arithmetic, StageCall& call) {
  const Operand<T> h(arithmetic, call.tensor("h"));
  const Operand<T> weight(arithmetic, call.tensor("weight"));
  const RouterShape shape{call.integer("groups"), call.integer("top_groups"), call.integer("top_k"),
                          call.number("scale")};
  // Choices already in the call are followed.
  const AnyTensor group_ids =
      call.find("group_ids") != nullptr ? call.tensor("group_ids") : AnyTensor();
  const AnyTensor ids = call.find("ids") != nullptr ? call.tensor("ids") : AnyTensor();
  const ForcedChoices forced{group_ids.empty() ? nullptr : &group_ids,
                             ids.empty() ? nullptr : &ids};
  const Index tokens = h.extent(0);
  const Extents<2> experts{tokens, weight.extent(0)};
  const Extents<2> groups{tokens, shape.groups};
  const Extents<2> chosen{tokens, shape.top_k};
  moe_router(arithmetic, h, weight, Operand<T>(arithmetic, call.tensor("bias")), shape, forced,
             RouterOutputs<T>{
                 output<T, 2>(call, "logits", experts), output<T, 2>(call, "scores", experts),
                 output<T, 2>(call, "biased", experts), output<T, 2>(call, "group_scores", groups),
                 output<T, 2>(call, "masked", experts), output<T, 2>(call, "gathered", chosen),
                 output<T, 2>(call, "weights", chosen),
                 output<std::int64_t, 2>(call, "group_ids", {tokens, shape.top_groups}),
                 output<std::int64_t, 2>(call, "ids", chosen)});
}

extern const StageReference moe_router_reference;
const StageReference moe_router_reference{"moe_router", call_moe_router<Real>,
                                          call_moe_router<RealWide>, call_moe_router<Tracked>,
                                          call_moe_router<double>};

}  // namespace plumb::reference
