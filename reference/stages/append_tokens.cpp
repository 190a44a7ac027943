// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/append_tokens.h"

#include <optional>

#include "reference/stages/stage.h"

namespace plumb::reference {

template <class T>
void append_tokens(const Operand<T>* past, const Operand<T>& next, TensorView<T, 4> y) {
  const Index held = past != nullptr ? past->extent(2) : 0;
  for (Index b = 0; b < y.extent(0); ++b) {
    for (Index h = 0; h < y.extent(1); ++h) {
      for (Index t = 0; t < y.extent(2); ++t) {
        for (Index d = 0; d < y.extent(3); ++d) {
          y(b, h, t, d) = t < held ? (*past)(b, h, t, d) : next(b, h, t - held, d);
        }
      }
    }
  }
}

template <class T>
void call_append_tokens(const Arithmetic& arithmetic, StageCall& call) {
  const Operand<T> next(arithmetic, call.tensor("next"));
  const AnyTensor* held = call.find("past");
  const std::optional<Operand<T>> past =
      held != nullptr ? std::optional(Operand<T>(arithmetic, *held)) : std::nullopt;
  const Index length = next.extent(2) + (past ? past->extent(2) : 0);
  PLUMB_REQUIRE(length == call.integer("T"), call.site.path, length, call.integer("T"));
  append_tokens(past ? &*past : nullptr, next,
                output<T, 4>(call, "y", {next.extent(0), next.extent(1), length, next.extent(3)}));
}

extern const StageReference append_tokens_reference;
const StageReference append_tokens_reference{
    "append_tokens", call_append_tokens<Real>, call_append_tokens<RealWide>,
    call_append_tokens<Tracked>, call_append_tokens<double>};

}  // namespace plumb::reference
