// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/attention_scores.h"

#include "reference/exact/dot.h"
#include "reference/stages/stage.h"

namespace plumb::reference {

template <class T>
void attention_scores(const Arithmetic& arithmetic, const Operand<T>& query, const Operand<T>& key,
                      const T& sigma, TensorView<T, 4> scores) {
  for (Index b = 0; b < scores.extent(0); ++b) {
    for (Index h = 0; h < scores.extent(1); ++h) {
      for (Index i = 0; i < scores.extent(2); ++i) {
        for (Index t = 0; t < scores.extent(3); ++t) {
          // sum_d Q K
          const T product = stored(arithmetic, Slot::kScores, "R1-051",
                                   exact::dot<T>(arithmetic, query.row(b, h, i), key.row(b, h, t)));
          // s = sigma * sum
          scores(b, h, i, t) = stored(arithmetic, Slot::kScores, "R1-051", product * sigma);
        }
      }
    }
  }
}

template <class T>
void call_attention_scores(const Arithmetic& arithmetic, StageCall& call) {
  const Operand<T> query(arithmetic, call.tensor("query"));
  const Operand<T> key(arithmetic, call.tensor("key"));
  const Operand<T> sigma(arithmetic, call.tensor("sigma"));
  // The scalar multiplies an f32 tensor: the code holds it in that format.
  const T scale = held(arithmetic, stored(arithmetic, Slot::kConstant, "R1-051", sigma(0)));
  attention_scores(
      arithmetic, query, key, scale,
      output<T, 4>(call, "scores",
                   {query.extent(0), query.extent(1), query.extent(2), key.extent(2)}));
}

extern const StageReference attention_scores_reference;
const StageReference attention_scores_reference{
    "attention_scores", call_attention_scores<Real>, call_attention_scores<RealWide>,
    call_attention_scores<Tracked>, call_attention_scores<double>};

}  // namespace plumb::reference
