// SPDX-License-Identifier: Apache-2.0
// plumb forward: the reference's pass over token ids, written as a trace.
#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>

#include "conformance/runner/forward_trace.h"
#include "reference/registry/readings.h"
#include "tools/plumb/build_info.h"
#include "tools/plumb/terminal.h"
#include "tools/plumb/verb.h"

namespace plumb::tools {
namespace {

using Json = nlohmann::ordered_json;

// "1,2,3"; none when it is anything else.
std::optional<std::vector<std::int64_t>> integers_of(std::string_view text) {
  std::vector<std::int64_t> values;
  while (true) {
    std::int64_t v = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
    if (error != std::errc() || end == text.data()) return std::nullopt;
    values.push_back(v);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty()) return values;
    if (text.front() != ',') return std::nullopt;
    text.remove_prefix(1);
  }
}

Exit run_forward(const Options& options) {
  const auto ids = integers_of(options.word("--ids"));
  if (!ids) {
    return report(kWrongUse, fmt::format("--ids '{}' is no list of whole numbers like 1,2,3",
                                         escaped(options.word("--ids"))));
  }
  const std::string reading = options.word("--reading", "hf_bf16");
  if (find_reading(reading) == nullptr) {
    std::string names;
    for (const Reading& r : all_readings()) names += fmt::format(" {}", r.name);
    return report(kWrongUse,
                  fmt::format("there is no reading '{}'; there are{}", escaped(reading), names));
  }
  conformance::ForwardRequest request{
      options.word("--model", "r1"), options.word("--config"), {}, *ids, reading,
      options.word("--out")};
  if (options.has("--checkpoint")) request.checkpoint = options.word("--checkpoint");
  const auto written = conformance::write_forward_trace(request);
  if (!written.ok()) {
    const bool open = written.error().message.find("give --") != std::string::npos;
    return report(open ? kWrongUse : kCouldNotRun, written.error().message);
  }
  if (options.json()) {
    print_json("passes", Json::array({{{"model", request.model},
                                       {"reading", reading},
                                       {"trace", options.word("--out")},
                                       {"tensors", written->tensors},
                                       {"next_id", written->next_id},
                                       {"next_logit", written->next_logit}}}));
    return kDone;
  }
  fmt::print("{} tensors written to {}\n", written->tensors, escaped(options.word("--out")));
  fmt::print("largest logit of the last token: {} at id {}\n", written->next_logit,
             written->next_id);
  return kDone;
}

}  // namespace

extern const Verb forward_verb;
const Verb forward_verb{
    .name = "forward",
    .sentence = "Run the reference over token ids and write what every stage gave as a trace",
    .example =
        "plumb forward --config tiny --ids 3,1,4,1,5 --reading hf_f32 --out /tmp/pass\n"
        "  plumb check --trace /tmp/pass",
    .options = {{.name = "--model", .value = "NAME", .meaning = "r1", .choices = {"r1"}},
                {.name = "--config",
                 .value = "FILE",
                 .meaning = "config.json of the model, or tiny: a small one that is built in",
                 .required = true},
                {.name = "--checkpoint",
                 .value = "DIR",
                 .meaning = "Its weights, a folder or a safetensors file; tiny makes its own"},
                {.name = "--ids",
                 .value = "LIST",
                 .meaning = "Token ids of one sequence: 1,2,3",
                 .required = true},
                {.name = "--reading",
                 .value = "NAME",
                 .meaning = "hf_bf16 unless given; hf_f32, real, ..."},
                {.name = "--out",
                 .value = "DIR",
                 .meaning = "The trace's folder, made if need be",
                 .required = true}},
    .run = run_forward,
};

}  // namespace plumb::tools
