// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/judge.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "reference/stages/executor.h"
#include "reference/stages/stage.h"

namespace plumb::conformance {
namespace {

const AnyTensor* find(const std::vector<NamedTensor>& tensors, std::string_view name) {
  for (const NamedTensor& t : tensors) {
    if (t.name == name && !t.tensor.empty()) return &t.tensor;
  }
  return nullptr;
}

// The judgement of one call: the reference is run, then run again with each choice that the
// candidate made.
class Judge {
 public:
  Judge(const StageSchema& schema, const StageCall& call, const std::vector<NamedTensor>& got,
        const Reading& reading, const Contract& contract, const LeftOut& left_out)
      : schema_(schema), got_(got), reading_(reading), contract_(contract), left_out_(left_out) {
    inputs_ = call;
    complete(schema, reading, inputs_);
    rerun();
  }

  Judgement result() {
    for (const TensorSchema& tensor : schema_.tensors) {
      const AnyTensor* got = find(got_, tensor.name);
      if (got != nullptr && !lacks_choice(tensor)) judge_tensor(tensor, *got);
    }
    return std::move(result_);
  }

 private:
  void rerun() {
    result_.reference = inputs_;
    find_reference(schema_.name)->run<Tracked>({reading_, contract_}, result_.reference);
  }

  // What stands in the order of a choice that was not given cannot be laid beside the reference's.
  bool lacks_choice(const TensorSchema& tensor) const {
    if (tensor.judge != ::plumb::Judge::kNumber) return false;
    return std::ranges::any_of(schema_.tensors, [&](const TensorSchema& choice) {
      return choice.judge == ::plumb::Judge::kSelection &&
             choice.axes.back() == tensor.axes.back() && find(got_, choice.name) == nullptr;
    });
  }

  void judge_tensor(const TensorSchema& tensor, const AnyTensor& given) {
    const AnyTensor& want = result_.reference.tensor(tensor.name);
    const AnyTensor got = given.contiguous() ? given : given.copied();
    TensorJudgement judged{std::string(tensor.name), want.shape(), {}, {}, 0};
    if (std::ranges::find(tensor.dtypes, got.dtype()) == tensor.dtypes.end()) {
      judged.decision = {Ruling::kFail,
                         "type " + std::string(name_of(got.dtype())) + " is not among the stage's"};
      judged.comparison.failed = want.size();
    } else if (!is_reshape(got.shape(), want.shape())) {
      judged.decision = {Ruling::kFail, "shape " + to_string(got.shape()) + " where " +
                                            to_string(want.shape()) + " is needed"};
      judged.comparison.failed = want.size();
    } else {
      const std::vector<Index> kept = kept_elements(tensor, want);
      judged.left_out = want.size() - static_cast<Index>(kept.size());
      judged.comparison = compare(tensor, got, want, kept);
      // Positions are counted in the tensor, not among the elements kept.
      restore(judged.comparison.first_failed, kept);
      restore(judged.comparison.worst, kept);
      judged.decision = decide(judged.comparison, may_be_one_value(tensor));
      follow(tensor, got, want);
    }
    result_.tensors.push_back(std::move(judged));
  }

  // The same elements with other leading axes, as a batch of one or tokens of a batch in one axis;
  // or flat.
  static bool is_reshape(const Shape& got, const Shape& want) {
    const bool lines = got.size() > 1 && !want.empty();
    return count(got) == count(want) && (!lines || got.back() == want.back());
  }

  // A tap is judged where it is; that the case shows something is asked of what the stage is for.
  static bool may_be_one_value(const TensorSchema& tensor) {
    return tensor.domain == Domain::kMostlyZero || tensor.role == Role::kTap;
  }

  static void restore(Index& position, const std::vector<Index>& kept) {
    if (position >= 0 && position < static_cast<Index>(kept.size())) {
      position = kept[static_cast<std::size_t>(position)];
    }
  }

  Comparison compare(const TensorSchema& tensor, const AnyTensor& got, const AnyTensor& want,
                     const std::vector<Index>& kept) const {
    switch (tensor.judge) {
      case ::plumb::Judge::kNumber:
        return compare_numbers(numbers(got, kept), wanted(tensor, got.dtype(), want, kept),
                               contract_.signed_zero);
      case ::plumb::Judge::kExact:
        return compare_integers(integers(got, kept), integers(want, kept));
      case ::plumb::Judge::kPermutation:
        return compare_orders(integers(got, kept),
                              integers(result_.reference.tensor(tensor.scores)));
      case ::plumb::Judge::kSelection:
        break;
    }
    const AnyTensor& scores = result_.reference.tensor(tensor.scores);
    const Index k = want.extent(1);
    std::vector<Index> rows;
    for (std::size_t i = 0; i < kept.size(); i += static_cast<std::size_t>(k))
      rows.push_back(kept[i] / k);
    return compare_selections(integers(got, kept), k, intervals(scores, rows), scores.extent(1),
                              contract_.ties);
  }

  // The candidate's choice, when it is one, decides what the reference computes from it.
  void follow(const TensorSchema& tensor, const AnyTensor& got, const AnyTensor& want) {
    if (tensor.judge != ::plumb::Judge::kSelection && tensor.judge != ::plumb::Judge::kPermutation)
      return;
    if (!is_choice(tensor, got)) return;
    inputs_.set(tensor.name, as_i64(got).reshaped(want.shape()));
    rerun();
  }

  bool is_choice(const TensorSchema& tensor, const AnyTensor& got) const {
    const AnyTensor& scores = result_.reference.tensor(tensor.scores);
    const bool selection = tensor.judge == ::plumb::Judge::kSelection;
    const Index bound = selection ? scores.extent(1) : scores.size();
    std::vector<std::int64_t> row = integers(got);
    const auto in_range = [&](std::int64_t i) { return i >= 0 && i < bound; };
    if (!std::ranges::all_of(row, in_range)) return false;
    const auto width =
        static_cast<std::ptrdiff_t>(selection ? got.extent(got.rank() - 1) : got.size());
    for (auto begin = row.begin(); begin != row.end(); begin += width) {
      std::sort(begin, begin + width);
      if (std::adjacent_find(begin, begin + width) != begin + width) return false;
    }
    return true;
  }

  static AnyTensor as_i64(const AnyTensor& t) {
    return t.dtype() == Dtype::kI64 ? t : AnyTensor::of(integers(t)).reshaped(t.shape());
  }

  // Elements of tokens that are judged: all, unless the tensor has a token axis and some are left
  // out.
  std::vector<Index> kept_elements(const TensorSchema& tensor, const AnyTensor& want) const {
    std::vector<Index> kept;
    for (Index i = 0; i < want.size(); ++i) {
      const std::optional<Index> token =
          left_out_.empty() ? std::nullopt : token_of(tensor, want, i);
      if (!token || !left_out_[static_cast<std::size_t>(*token)]) kept.push_back(i);
    }
    return kept;
  }

  std::optional<Index> token_of(const TensorSchema& tensor, const AnyTensor& want, Index i) const {
    std::optional<Index> row, sequence, position;
    Index positions = 1;
    for (std::size_t axis = want.rank(); axis-- > 0; i /= want.extent(axis)) {
      const Index at = i % want.extent(axis);
      const std::string_view symbol = tensor.axes[axis];
      if (symbol == "N") row = at;
      if (symbol == "B") sequence = at;
      if (symbol == "S") {
        position = at;
        positions = want.extent(axis);
      }
    }
    if (row) return row;
    if (sequence && position) return *sequence * positions + *position;
    return std::nullopt;
  }

  static std::vector<double> numbers(const AnyTensor& t, const std::vector<Index>& kept) {
    std::vector<double> values;
    for (Index i : kept) values.push_back(load(t.bytes(), t.dtype(), i));
    return values;
  }

  static std::vector<std::int64_t> integers(const AnyTensor& t) {
    std::vector<std::int64_t> values;
    for (Index i = 0; i < t.size(); ++i) {
      values.push_back(load_integer(t.bytes(), t.dtype(), i));
    }
    return values;
  }
  static std::vector<std::int64_t> integers(const AnyTensor& t, const std::vector<Index>& kept) {
    const std::vector<std::int64_t> all = integers(t);
    std::vector<std::int64_t> values;
    for (Index i : kept) values.push_back(all[static_cast<std::size_t>(i)]);
    return values;
  }

  // What each element must be, given the format that the candidate stores.
  std::vector<Wanted> wanted(const TensorSchema& tensor, Dtype got, const AnyTensor& want,
                             const std::vector<Index>& kept) const {
    const bool rounds = !tensor.slot || !reading_.format(*tensor.slot);
    const std::optional<Format> format = rounds ? format_of(got) : std::nullopt;
    std::vector<Wanted> elements;
    for (Index i : kept) {
      const Tracked& value = want.data<Tracked>()[i];
      const Tracked stored = format ? round_to(*format, value) : value;
      // A reference whose own error is more than a thousandth of the budget vouches for nothing.
      const bool usable = !(stored.slack * 1000 > stored.error);
      // Where infinities met, nothing bounds the error; a NaN needs no bound.
      const double budget = stored.value.is_nan()      ? 0
                            : std::isnan(stored.error) ? std::numeric_limits<double>::infinity()
                                                       : stored.error;
      elements.push_back({stored.value.to_double(), budget,
                          (stored.flags & Tracked::kMayOverflow) != 0, stored.loose(), usable});
    }
    return elements;
  }

  static std::optional<Format> format_of(Dtype dtype) {
    for (const Format& f : {kF32, kBf16, kFp16, kF64, kE4m3Saturating}) {
      if (f.dtype == dtype) return f;
    }
    return std::nullopt;
  }

  static std::vector<ScoreInterval> intervals(const AnyTensor& scores,
                                              const std::vector<Index>& rows) {
    std::vector<ScoreInterval> all;
    const Index n = scores.extent(1);
    for (Index row : rows) {
      for (Index i = 0; i < n; ++i) {
        const Tracked& s = scores.data<Tracked>()[row * n + i];
        const double error =
            std::isnan(s.error) ? std::numeric_limits<double>::infinity() : s.error;
        all.push_back({s.value.to_double(), error});
      }
    }
    return all;
  }

  const StageSchema& schema_;
  const std::vector<NamedTensor>& got_;
  const Reading& reading_;
  const Contract& contract_;
  const LeftOut& left_out_;
  StageCall inputs_;
  Judgement result_;
};

}  // namespace

Judgement judge(const StageSchema& schema, const StageCall& call,
                const std::vector<NamedTensor>& got, const Reading& reading,
                const Contract& contract, const LeftOut& left_out) {
  return Judge(schema, call, got, reading, contract, left_out).result();
}

}  // namespace plumb::conformance
