// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/attention_flash.h"

#include <numeric>

#include "reference/exact/dot.h"
#include "reference/stages/softmax_row.h"
#include "reference/stages/stage.h"

namespace plumb::reference {
namespace {

// The same reading where scores and weights are not stored.
Reading kept_inside(Reading reading) {
  reading.formats[static_cast<std::size_t>(Slot::kScores)].reset();
  reading.formats[static_cast<std::size_t>(Slot::kProbability)].reset();
  return reading;
}

// The weights of one query over its keys.
template <class T>
AnyTensor weights_of(const Arithmetic& inside, const Line& query, const Operand<T>& key, Index b,
                     Index h, const std::vector<Index>& keys, const T& sigma) {
  std::vector<T> scores;
  for (const Index t : keys) {
    // s = sigma Q K
    scores.push_back(exact::dot<T>(inside, query, key.row(b, h, t)) * sigma);
  }
  AnyTensor weights = new_tensor<T>({static_cast<Index>(keys.size())});
  const auto a = weights.template view<T, 1>();
  softmax_row<T>(
      inside, [&](Index k) { return scores[static_cast<std::size_t>(k)]; }, a.extent(0),
      [&](Index k) -> T& { return a(k); });
  return weights;
}

// Values of these keys in one channel.
template <class T>
AnyTensor channel_of(const Operand<T>& padded, Index b, Index h, const std::vector<Index>& keys,
                     Index d) {
  AnyTensor channel = new_tensor<T>({static_cast<Index>(keys.size())});
  const auto v = channel.template view<T, 1>();
  for (Index k = 0; k < v.extent(0); ++k) v(k) = padded(b, h, keys[static_cast<std::size_t>(k)], d);
  return channel;
}

}  // namespace

template <class T>
void padded_value(const Operand<T>& value, TensorView<T, 4> padded) {
  for (Index b = 0; b < padded.extent(0); ++b) {
    for (Index h = 0; h < padded.extent(1); ++h) {
      for (Index t = 0; t < padded.extent(2); ++t) {
        for (Index d = 0; d < padded.extent(3); ++d) {
          padded(b, h, t, d) = d < value.extent(3) ? value(b, h, t, d) : T(0);
        }
      }
    }
  }
}

std::vector<Index> keys_of(const AnyTensor* keep, Index b, Index i, Index queries, Index tokens) {
  const Index own = tokens - queries + i;
  std::vector<Index> keys;
  if (keep == nullptr) {
    keys.resize(static_cast<std::size_t>(own + 1));
    std::iota(keys.begin(), keys.end(), Index{0});
    return keys;
  }
  const auto kept = keep->view<const std::int64_t, 2>();
  const bool taken = kept(b, own) != 0 || queries == 1;
  for (Index t = 0; taken && t <= own; ++t) {
    if (kept(b, t) != 0) keys.push_back(t);
  }
  return keys;
}

template <class T>
void attention_flash(const Arithmetic& arithmetic, const Operand<T>& query, const Operand<T>& key,
                     const Operand<T>& padded, const AnyTensor* keep, const T& sigma,
                     TensorView<T, 4> context) {
  const Reading reading = kept_inside(arithmetic.reading);
  const Arithmetic inside{reading, arithmetic.contract};
  for (Index b = 0; b < context.extent(0); ++b) {
    for (Index i = 0; i < context.extent(2); ++i) {
      const std::vector<Index> keys = keys_of(keep, b, i, context.extent(2), key.extent(2));
      if (keys.empty()) continue;  // o = 0
      for (Index h = 0; h < context.extent(1); ++h) {
        const Operand<T> weights(inside,
                                 weights_of(inside, query.row(b, h, i), key, b, h, keys, sigma));
        for (Index d = 0; d < context.extent(3); ++d) {
          // o = sum_t a V'
          const Operand<T> channel(inside, channel_of(padded, b, h, keys, d));
          context(b, h, i, d) = stored(arithmetic, Slot::kActivation, "R1-053",
                                       exact::dot<T>(inside, weights.row(), channel.row()));
        }
      }
    }
  }
}

template <class T>
void call_attention_flash(const Arithmetic& arithmetic, StageCall& call) {
  const Operand<T> query(arithmetic, call.tensor("query"));
  const Operand<T> key(arithmetic, call.tensor("key"));
  const Operand<T> value(arithmetic, call.tensor("value"));
  const Operand<T> sigma(arithmetic, call.tensor("sigma"));
  PLUMB_REQUIRE(query.extent(3) >= value.extent(3), call.site.path, query.extent(3),
                value.extent(3));
  PLUMB_REQUIRE(query.extent(2) <= key.extent(2), call.site.path, query.extent(2), key.extent(2));
  padded_value(value,
               output<T, 4>(call, "padded_value",
                            {value.extent(0), value.extent(1), value.extent(2), query.extent(3)}));
  // The kernel takes the scalar in f32.
  const T scale = held(arithmetic, stored(arithmetic, Slot::kConstant, "R1-051", sigma(0)));
  const AnyTensor keep = optional_tensor(call, "keep");
  attention_flash(
      arithmetic, query, key, Operand<T>(arithmetic, call.tensor("padded_value")),
      keep.empty() ? nullptr : &keep, scale,
      output<T, 4>(call, "context",
                   {query.extent(0), query.extent(1), query.extent(2), value.extent(3)}));
}

extern const StageReference attention_flash_reference;
const StageReference attention_flash_reference{
    "attention_flash", call_attention_flash<Real>, call_attention_flash<RealWide>,
    call_attention_flash<Tracked>, call_attention_flash<double>};

}  // namespace plumb::reference
