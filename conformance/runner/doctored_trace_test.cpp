// SPDX-License-Identifier: Apache-2.0
// Seeded edits of recorded traces: what a mistake in an engine would leave in its dump. Each is to
// be found, at the tensor that was edited. None of the bounds here comes from the budgets.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "conformance/runner/check_r1.h"
#include "fixtures/io/model_config.h"
#include "reference/formats/storage.h"
#include "reference/registry/readings.h"
#include "reference/scalar/format.h"

namespace plumb::conformance {
namespace {

using fixtures::Trace;

enum class Kind { kMoved, kSign, kRows, kExperts, kRotary, kScale, kCached };
constexpr int kEdits = 200;

struct Edit {
  Overlay overlay;
  std::string tensor;   // edited, by its name in the file
  std::string culprit;  // the stage's path that an edited weight feeds; empty: the tensor itself
  Index element = -1;   // the first element that differs
  int k = 0;            // kMoved: by 2^-k of the largest magnitude
  bool changes = true;  // some bit differs
};

struct Found {
  bool any = false;  // a verdict is not a pass
  std::string said;  // by the first that is not
  bool at_the_edit = false;
};

double at(const AnyTensor& t, Index i) { return load(t.bytes(), t.dtype(), i); }

double largest(const AnyTensor& t) {
  double m = 0;
  for (Index i = 0; i < t.size(); ++i) m = std::max(m, std::fabs(at(t, i)));
  return m;
}

// One recorded case and the edits that it allows.
class Doctor {
 public:
  Doctor(const std::string& name, unsigned seed)
      : trace_(Trace::open(PLUMB_SOURCE_DIR "/fixtures/traces/" + name).value()),
        config_(fixtures::read_r1_config(*trace_.config_path()).value()),
        checkpoint_(trace_.weights().value()),
        reading_(*find_reading(name.ends_with("bf16") ? "hf_bf16" : "hf_f32")),
        random_(seed) {
    const auto clean = r1::check_forward(trace_, config_, reading_, {nullptr, &cache_, nullptr});
    judged_ = clean.value().judged;
    for (const fixtures::TensorEntry& entry : trace_.stored()) {
      const AnyTensor t = trace_.tensor(entry.name).value();
      if (judged_.contains(entry.name) && is_storage_float(t.dtype()) && largest(t) > 0 &&
          entry.name.find("attention_mask") == std::string::npos) {
        numbers_.push_back(entry.name);
      }
    }
    for (const std::string& weight : checkpoint_.names()) {
      if (weight.ends_with("_scale_inv") && weight.find("layers.") != std::string::npos &&
          checkpoint_.tensor(weight).value().size() > 1) {
        scales_.push_back(weight);
      }
    }
  }

  std::vector<Kind> kinds() const {
    std::vector<Kind> kinds{Kind::kMoved, Kind::kSign, Kind::kRows, Kind::kExperts, Kind::kRotary};
    if (!scales_.empty()) kinds.push_back(Kind::kScale);
    if (trace_.contains("step1.layers.1.self_attn.key_states.cached"))
      kinds.push_back(Kind::kCached);
    return kinds;
  }

  Edit edit(Kind kind, int number) {
    switch (kind) {
      case Kind::kMoved:
        return moved(4 + number % 13);
      case Kind::kSign:
        return sign();
      case Kind::kRows:
        return rows(numbers_);
      case Kind::kExperts:
        return experts();
      case Kind::kRotary:
        return next_row(named("rotary_emb."));
      case Kind::kScale:
        return scale();
      case Kind::kCached:
        return cached();
    }
    return {};
  }

  Found judge(const Edit& edit) {
    const auto checked =
        r1::check_forward(trace_, config_, reading_, {&edit.overlay, &cache_, nullptr});
    Found found;
    for (const Verdict& v : checked.value().verdicts) {
      if (v.outcome == Outcome::kPass) continue;
      found.any = true;
      found.at_the_edit = is_at(v, edit);
      found.said = v.stage + " " + v.case_name + ": " + v.reason;
      break;
    }
    return found;
  }

 private:
  std::size_t below(std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_);
  }
  const std::string& one_of(const std::vector<std::string>& names) {
    return names[below(names.size())];
  }

  std::vector<std::string> named(const std::string& part) const {
    std::vector<std::string> names;
    for (const std::string& name : judged_) {
      if (name.find(part) != std::string::npos) names.push_back(name);
    }
    return names;
  }

  AnyTensor copy_of(const std::string& name) const { return trace_.tensor(name).value().copied(); }

  // The verdict's first failure is the edited tensor at the edited element, or the stage fed by the
  // weight.
  bool is_at(const Verdict& v, const Edit& edit) const {
    if (!edit.culprit.empty()) return v.case_name == edit.culprit;
    for (const TensorFinding& f : v.tensors) {
      if (f.outcome == Outcome::kPass) continue;
      const fixtures::TensorEntry* entry = trace_.stored_name(f.tensor);
      if (entry == nullptr || entry->name != edit.tensor) return false;
      if (!f.failure) return false;
      const AnyTensor t = trace_.tensor(entry->name).value();
      const AnyTensor& now = edit.overlay.trace.at(entry->name);
      // The element named must be one that was changed.
      const Index element = flat(f.failure->index, t);
      return element >= 0 && at(t, element) != at(now, element);
    }
    return false;
  }

  // Row-major position of an index whose shape may differ from the stored one by leading extents of
  // 1, or by batch and token written as one axis.
  static Index flat(const std::vector<std::int64_t>& index, const AnyTensor& t) {
    Index position = 0;
    const std::size_t shift = t.rank() >= index.size() ? t.rank() - index.size() : 0;
    for (std::size_t axis = 0; axis < index.size(); ++axis) {
      const Index extent = t.extent(std::min(axis + shift, t.rank() - 1));
      position = position * extent + index[axis];
    }
    return position < t.size() ? position : -1;
  }

  Edit changed(const std::string& name, AnyTensor now) const {
    Edit e;
    e.tensor = name;
    const AnyTensor before = trace_.tensor(name).value();
    for (Index i = 0; i < now.size() && e.element < 0; ++i) {
      if (at(before, i) != at(now, i)) e.element = i;
    }
    e.changes = e.element >= 0;
    e.overlay.trace[name] = std::move(now);
    return e;
  }

  static void put(AnyTensor& t, Index i, double v) {
    store_exact(t.bytes(), t.dtype(), i, round_to(t.dtype() == Dtype::kBf16 ? kBf16 : kF32, v));
  }

  Edit moved(int k) {
    const std::string& name = one_of(numbers_);
    AnyTensor t = copy_of(name);
    const auto i = static_cast<Index>(below(static_cast<std::size_t>(t.size())));
    const double step = std::ldexp(largest(t), -k) * (below(2) == 0 ? 1 : -1);
    put(t, i, at(t, i) + step);
    Edit e = changed(name, std::move(t));
    e.k = k;
    return e;
  }

  Edit sign() {
    for (;;) {
      const std::string& name = one_of(numbers_);
      AnyTensor t = copy_of(name);
      const auto i = static_cast<Index>(below(static_cast<std::size_t>(t.size())));
      if (!(std::fabs(at(t, i)) > std::ldexp(largest(t), -8))) continue;
      put(t, i, -at(t, i));
      return changed(name, std::move(t));
    }
  }

  static void exchange(AnyTensor& t, Index a, Index b, Index width) {
    for (Index j = 0; j < width; ++j) {
      const double x = at(t, a * width + j);
      const double y = at(t, b * width + j);
      store_exact(t.bytes(), t.dtype(), a * width + j, y);
      store_exact(t.bytes(), t.dtype(), b * width + j, x);
    }
  }

  Edit rows(const std::vector<std::string>& names) {
    for (;;) {
      const std::string& name = one_of(names);
      AnyTensor t = copy_of(name);
      const Index width = t.extent(t.rank() - 1);
      const Index count = t.size() / width;
      if (count < 2) continue;
      const auto a = static_cast<Index>(below(static_cast<std::size_t>(count)));
      const auto b = static_cast<Index>(below(static_cast<std::size_t>(count)));
      if (a == b) continue;
      exchange(t, a, b, width);
      return changed(name, std::move(t));
    }
  }

  // Two tokens exchange one expert each, so that both sets change.
  Edit experts() {
    for (;;) {
      const std::string name = one_of(named("topk_idx"));
      AnyTensor t = copy_of(name);
      const Index k = t.extent(t.rank() - 1);
      const Index tokens = t.size() / k;
      if (tokens < 2) {
        // One token alone: it takes an expert that it did not choose.
        if (Edit e; alone(name, t, e)) return e;
        continue;
      }
      const auto a = static_cast<Index>(below(static_cast<std::size_t>(tokens)));
      const auto b = static_cast<Index>(below(static_cast<std::size_t>(tokens)));
      const Index i = a * k + static_cast<Index>(below(static_cast<std::size_t>(k)));
      const Index j = b * k + static_cast<Index>(below(static_cast<std::size_t>(k)));
      if (a == b || holds(t, a * k, k, at(t, j)) || holds(t, b * k, k, at(t, i))) continue;
      const double x = at(t, i);
      store_exact(t.bytes(), t.dtype(), i, at(t, j));
      store_exact(t.bytes(), t.dtype(), j, x);
      return changed(name, std::move(t));
    }
  }

  static bool holds(const AnyTensor& t, Index begin, Index k, double v) {
    for (Index i = 0; i < k; ++i) {
      if (at(t, begin + i) == v) return true;
    }
    return false;
  }

  bool alone(const std::string& name, AnyTensor& t, Edit& e) {
    const auto other =
        static_cast<double>(below(static_cast<std::size_t>(config_.n_routed_experts)));
    if (holds(t, 0, t.size(), other)) return false;
    store_exact(t.bytes(), t.dtype(), 0, other);
    e = changed(name, std::move(t));
    return true;
  }

  // A row of the tensor takes the values of the one after it.
  Edit next_row(const std::vector<std::string>& names) {
    for (;;) {
      const std::string& name = one_of(names);
      AnyTensor t = copy_of(name);
      const Index width = t.extent(t.rank() - 1);
      const Index count = t.size() / width;
      if (count < 2) continue;
      const auto row = static_cast<Index>(below(static_cast<std::size_t>(count - 1)));
      copy_row(t, row + 1, row, width);
      return changed(name, std::move(t));
    }
  }

  static void copy_row(AnyTensor& t, Index from, Index to, Index width) {
    for (Index j = 0; j < width; ++j) {
      store_exact(t.bytes(), t.dtype(), to * width + j, at(t, from * width + j));
    }
  }

  // A block of a weight takes the scale of the next one.
  Edit scale() {
    const std::string& name = one_of(scales_);
    AnyTensor t = checkpoint_.tensor(name).value().copied();
    const auto i = static_cast<Index>(below(static_cast<std::size_t>(t.size())));
    const Index next = (i + 1) % t.size();
    Edit e;
    e.changes = at(t, i) != at(t, next);
    store_exact(t.bytes(), t.dtype(), i, at(t, next));
    e.tensor = name;
    e.culprit = name.substr(6, name.size() - 6 - std::string(".weight_scale_inv").size());
    e.overlay.weights[name] = std::move(t);
    return e;
  }

  // The newest row of a cache is the one of the step before.
  Edit cached() {
    for (;;) {
      const std::string name = one_of(named(".cached"));
      AnyTensor t = copy_of(name);
      const Index length = t.extent(2);
      if (length < 2) continue;
      const Index width = t.extent(3);
      const auto head = static_cast<Index>(below(static_cast<std::size_t>(t.extent(1))));
      copy_row(t, head * length + length - 2, head * length + length - 1, width);
      return changed(name, std::move(t));
    }
  }

  Trace trace_;
  reference::r1::R1Config config_;
  fixtures::Checkpoint checkpoint_;
  const Reading& reading_;
  std::mt19937 random_;
  JudgementCache cache_;
  std::set<std::string> judged_;
  std::vector<std::string> numbers_, scales_;
};

class DoctoredTrace : public testing::TestWithParam<const char*> {};

TEST_P(DoctoredTrace, IsFoundWhereItWasEdited) {
  constexpr unsigned kSeed = 20260;
  Doctor doctor(GetParam(), kSeed);
  const int always_up_to = std::string(GetParam()).ends_with("bf16") ? 6 : 10;
  const std::vector<Kind> kinds = doctor.kinds();
  std::map<int, std::array<int, 2>> moved;  // k -> found, tried
  int unchanged = 0;
  for (int n = 0; n < kEdits; ++n) {
    const Kind kind = kinds[static_cast<std::size_t>(n) % kinds.size()];
    const Edit edit = doctor.edit(kind, n / static_cast<int>(kinds.size()));
    if (!edit.changes) {
      ++unchanged;
      continue;
    }
    const Found found = doctor.judge(edit);
    const bool must = kind != Kind::kMoved || edit.k <= always_up_to;
    if (kind == Kind::kMoved) {
      ++moved[edit.k][1];
      moved[edit.k][0] += found.any ? 1 : 0;
    }
    EXPECT_TRUE(found.any || !must) << "edit " << n << " of " << edit.tensor << " k " << edit.k;
    // A smaller step may fit the budget of its own stage and break a narrower one behind it.
    EXPECT_TRUE(found.at_the_edit || !must)
        << "edit " << n << " of " << edit.tensor << "; found: " << found.said;
  }
  std::string shares;
  for (const auto& [k, count] : moved)
    shares += fmt::format(" 2^-{}: {}/{}", k, count[0], count[1]);
  fmt::print("{}: seed {}, {} edits, {} left every bit as it was; moved values found:{}\n",
             GetParam(), kSeed, kEdits, unchanged, shares);
}

INSTANTIATE_TEST_SUITE_P(R1, DoctoredTrace,
                         testing::Values("r1-tiny-f32", "r1-tiny-fp8", "r1-tiny-bf16",
                                         "r1-tiny-decode"),
                         [](const auto& param) {
                           std::string name = param.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace plumb::conformance
