// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/forward_trace.h"

#include <algorithm>

#include "conformance/runner/check_trace.h"
#include "fixtures/generators/random_weights.h"
#include "fixtures/io/model_config.h"
#include "fixtures/io/test_folder.h"
#include "fixtures/io/trace.h"
#include "reference/registry/readings.h"

namespace plumb::conformance {
namespace {

class ForwardTrace : public fixtures::TestFolder {
 protected:
  ForwardRequest tiny(const std::string& reading) const {
    return {"r1", "tiny", {}, {3, 1, 4, 1, 5, 9, 2, 6}, reading, folder_ / "trace"};
  }
  // The message of a request that must fail.
  static std::string error_of(const ForwardRequest& request) {
    const auto report = write_forward_trace(request);
    return report.ok() ? "none" : report.error().message;
  }
  // A checkpoint of the tiny model, changed.
  template <class Change>
  fixtures::Path checkpoint(Change change) const {
    std::vector<NamedTensor> tensors =
        fixtures::random_weights(fixtures::tiny_config(), Dtype::kF32, "test");
    std::erase_if(tensors, [&](NamedTensor& t) { return !change(t); });
    EXPECT_TRUE(fixtures::write_safetensors(folder_ / "w.safetensors", tensors).ok());
    return folder_ / "w.safetensors";
  }
};

TEST_F(ForwardTrace, PassesTheCheckInEveryReading) {
  for (const char* reading : {"hf_f32", "hf_bf16", "real"}) {
    const auto written = write_forward_trace(tiny(reading));
    ASSERT_TRUE(written.ok()) << written.error().message;
    const auto report = check_trace({folder_ / "trace", {}, {}});
    ASSERT_TRUE(report.ok()) << report.error().message;
    EXPECT_EQ(report->model, "r1");
    EXPECT_EQ(report->reading, reading);
    EXPECT_EQ(report->first_culprit, "") << reading;
    EXPECT_GT(report->verdicts.size(), 60u);
    EXPECT_EQ(report->unjudged, std::vector<std::string>()) << reading;
    EXPECT_EQ(report->stored, static_cast<std::int64_t>(written->tensors));
    EXPECT_TRUE(report->missing_layers.empty());
  }
}

TEST_F(ForwardTrace, NamesTheLargestLogit) {
  const auto written = write_forward_trace(tiny("hf_f32"));
  ASSERT_TRUE(written.ok());
  const AnyTensor logits =
      fixtures::Trace::open(folder_ / "trace").value().tensor("logits").value();
  const float* last = logits.data<float>() + logits.size() - 40;
  EXPECT_EQ(std::max_element(last, last + 40) - last, written->next_id);
  EXPECT_EQ(last[written->next_id], static_cast<float>(written->next_logit));
}

TEST_F(ForwardTrace, ConfigurationComesBackFromItsText) {
  auto config = fixtures::tiny_config();
  for (int round = 0; round < 2; ++round) {
    const auto file = write("config.json", fixtures::r1_config_json(config));
    const auto back = fixtures::read_r1_config(file);
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(fixtures::r1_config_json(*back), fixtures::r1_config_json(config));
    EXPECT_EQ(back->q_lora_rank, config.q_lora_rank);
    EXPECT_EQ(back->weight_block_size, config.weight_block_size);
    EXPECT_EQ(back->rope_scaling.has_value(), config.rope_scaling.has_value());
    config.q_lora_rank.reset();
    config.rope_scaling.reset();
    config.pad_token_id = 3;
  }
}

TEST_F(ForwardTrace, ReadsAConfigurationAndACheckpoint) {
  ForwardRequest request = tiny("hf_f32");
  request.config = write("config.json", fixtures::r1_config_json(fixtures::tiny_config())).string();
  EXPECT_NE(error_of(request).find("--checkpoint"), std::string::npos);
  request.checkpoint = checkpoint([](NamedTensor&) { return true; });
  ASSERT_EQ(error_of(request), "none");
  const auto report = check_trace({folder_ / "trace", {}, {}});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->first_culprit, "");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "trace/model.safetensors"));
}

TEST_F(ForwardTrace, SaysWhatIsWrong) {
  ForwardRequest request = tiny("hf_f32");
  request.ids = {1, 40};
  EXPECT_EQ(error_of(request),
            "token id 40, number 1 of the ids, is not among the vocabulary's 0..39");
  request.ids = {-1};
  EXPECT_NE(error_of(request).find("token id -1"), std::string::npos);
  request.ids = {};
  EXPECT_NE(error_of(request).find("at least one"), std::string::npos);
  request = tiny("hf_f64");
  EXPECT_EQ(error_of(request), "there is no reading 'hf_f64'");
  request = tiny("hf_f32");
  request.model = "v9";
  EXPECT_NE(error_of(request).find("'v9'"), std::string::npos);
  request = tiny("hf_f32");
  request.checkpoint = folder_ / "nothing";
  EXPECT_NE(error_of(request).find("nothing"), std::string::npos);
}

TEST_F(ForwardTrace, NamesTheTensorThatIsMissingOrMisshapen) {
  const std::string name = "model.layers.1.mlp.experts.5.up_proj.weight";
  ForwardRequest request = tiny("hf_f32");
  request.checkpoint = checkpoint([&](NamedTensor& t) { return t.name != name; });
  EXPECT_NE(error_of(request).find("lacks the tensor '" + name + "'"), std::string::npos)
      << error_of(request);
  request.checkpoint = checkpoint([&](NamedTensor& t) {
    if (t.name == name) t.tensor = t.tensor.reshaped({24, 12});
    return true;
  });
  EXPECT_NE(error_of(request).find("'" + name + "' has shape [24, 12]"), std::string::npos)
      << error_of(request);
}

}  // namespace
}  // namespace plumb::conformance
