// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/moe_router.h"

#include <limits>
#include <vector>

#include "reference/stages/routing.h"
#include "reference/stages/stage.h"

namespace plumb::reference {
namespace {

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
  template <class Element>
  std::vector<Element> line(const TensorView<Element, 2>& from, Index begin, Index end) const {
    std::vector<Element> values;
    for (Index i = begin; i < end; ++i) values.push_back(from(n_, i));
    return values;
  }
  void follow(const AnyTensor* forced, const std::vector<std::int64_t>& chosen,
              TensorView<std::int64_t, 2> ids) const;

  const Arithmetic& arithmetic_;
  const RouterShape& shape_;
  const RouterOutputs<T>& out_;
  Index n_;
};

template <class T>
void Token<T>::score(const Operand<T>& h, const Operand<T>& weight, const Operand<T>& bias) {
  for (Index e = 0; e < weight.extent(0); ++e) {
    out_.logits(n_, e) = router_logit<T>(arithmetic_, h.row(n_), weight.row(e));
    out_.scores(n_, e) = affinity(arithmetic_, out_.logits(n_, e));
    out_.biased(n_, e) = biased_affinity<T>(arithmetic_, out_.scores(n_, e), bias(e));
  }
}

// The choice made here, unless it was made elsewhere.
template <class T>
void Token<T>::follow(const AnyTensor* forced, const std::vector<std::int64_t>& chosen,
                      TensorView<std::int64_t, 2> ids) const {
  for (Index k = 0; k < ids.extent(1); ++k) {
    ids(n_, k) = forced != nullptr ? forced->view<const std::int64_t, 2>()(n_, k)
                                   : chosen[static_cast<std::size_t>(k)];
  }
}

template <class T>
void Token<T>::keep_groups(const AnyTensor* forced) {
  const Index size = out_.biased.extent(1) / shape_.groups;
  for (Index g = 0; g < shape_.groups; ++g) {
    out_.group_scores(n_, g) =
        group_score(arithmetic_, line(out_.biased, g * size, (g + 1) * size));
  }
  const std::vector<T> scores = line(out_.group_scores, 0, shape_.groups);
  follow(forced, kept_groups(scores, shape_.top_groups), out_.group_ids);
  // t = c in kept groups, else the fill
  const std::vector<std::int64_t> kept = line(out_.group_ids, 0, shape_.top_groups);
  const T fill = lifted<T>(arithmetic_, arithmetic_.takes("R1-D06", Side::kA)
                                            ? 0.0
                                            : -std::numeric_limits<double>::infinity());
  for (Index e = 0; e < out_.biased.extent(1); ++e) {
    out_.masked(n_, e) = eligible(kept, size, e) ? out_.biased(n_, e) : fill;
  }
}

template <class T>
void Token<T>::choose_experts(const AnyTensor* forced) {
  const std::vector<T> masked = line(out_.masked, 0, out_.masked.extent(1));
  follow(forced, chosen_experts(masked, shape_.top_k), out_.ids);
}

template <class T>
void Token<T>::weigh() {
  const std::vector<std::int64_t> ids = line(out_.ids, 0, shape_.top_k);
  const std::vector<T> a = gathered<T>(line(out_.scores, 0, out_.scores.extent(1)), ids);
  const T d = denominator<T>(arithmetic_, a);
  const T lambda = constant<T>(arithmetic_, shape_.scale);
  for (Index k = 0; k < shape_.top_k; ++k) {
    out_.gathered(n_, k) = a[static_cast<std::size_t>(k)];
    out_.weights(n_, k) =
        scaled_share<T>(arithmetic_, share<T>(arithmetic_, out_.gathered(n_, k), d), lambda);
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
