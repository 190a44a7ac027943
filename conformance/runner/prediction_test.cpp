// SPDX-License-Identifier: Apache-2.0
// The layer that predicts the token after the next, beside its parts put together by hand.
#include <gtest/gtest.h>

#include <new>
#include <optional>

#include "fixtures/generators/random_weights.h"
#include "reference/models/r1/forward.h"
#include "reference/registry/readings.h"
#include "reference/scalar/real.h"
#include "reference/stages/executor.h"

namespace plumb::conformance::r1 {
namespace {

using reference::r1::Cache;
using reference::r1::Forward;
using reference::r1::LayerCache;
using reference::r1::R1Config;

// Rows of numbers, computed on directly.
struct Matrix {
  Index rows, columns;
  std::vector<Real> values;
  Real& at(Index r, Index c) { return values[static_cast<std::size_t>(r * columns + c)]; }
  const Real& at(Index r, Index c) const {
    return values[static_cast<std::size_t>(r * columns + c)];
  }
};

Matrix matrix_of(const AnyTensor& t) {
  const Index columns = t.extent(t.rank() - 1);
  Matrix m{t.size() / columns, columns, {}};
  for (Index i = 0; i < t.size(); ++i) {
    m.values.push_back(t.dtype() == Dtype::kReal ? t.data<Real>()[i]
                                                 : Real(double{t.data<float>()[i]}));
  }
  return m;
}

AnyTensor tensor_of(const Matrix& m) {
  AnyTensor t = AnyTensor::zeros(Dtype::kReal, {m.rows, m.columns});
  for (std::size_t i = 0; i < m.values.size(); ++i) {
    new (t.bytes() + i * sizeof(Real)) Real(m.values[i]);
  }
  return t;
}

class Prediction : public ::testing::Test {
 protected:
  Prediction() : config_(fixtures::tiny_config()) {
    config_.num_nextn_predict_layers = 1;
    tensors_ = fixtures::random_weights(config_, Dtype::kF32, "prediction");
    for (NamedTensor& t :
         fixtures::random_weights(prediction_weights(config_), Dtype::kF32, 8, "prediction")) {
      tensors_.push_back(std::move(t));
    }
    weights_.emplace(tensors_);
  }

  Matrix weight(const std::string& name) const {
    return matrix_of(weights_->find("model.layers.2." + name + ".weight"));
  }

  // v / sqrt(mean of v^2 + 1e-6) * g
  Matrix norm(const Matrix& x, const Matrix& gain) const {
    Matrix y = x;
    for (Index r = 0; r < x.rows; ++r) {
      Real squares(0);
      for (Index c = 0; c < x.columns; ++c) squares += x.at(r, c) * x.at(r, c);
      const Real size =
          sqrt(squares / Real(static_cast<int>(x.columns)) + Real::from_decimal("1e-6"));
      for (Index c = 0; c < x.columns; ++c) y.at(r, c) = x.at(r, c) / size * gain.at(0, c);
    }
    return y;
  }

  static Matrix multiplied(const Matrix& x, const Matrix& w) {
    Matrix y{x.rows, w.rows, std::vector<Real>(static_cast<std::size_t>(x.rows * w.rows))};
    for (Index r = 0; r < x.rows; ++r) {
      for (Index o = 0; o < w.rows; ++o) {
        for (Index i = 0; i < x.columns; ++i) y.at(r, o) += x.at(r, i) * w.at(o, i);
      }
    }
    return y;
  }

  // eh_proj's input, embedding first.
  Matrix joined(const Matrix& states) const {
    const Matrix table = weight("embed_tokens");
    Matrix embedded{states.rows, table.columns, {}};
    for (Index n = 0; n < states.rows; ++n) {
      for (Index c = 0; c < table.columns; ++c) {
        embedded.values.push_back(table.at(next_.data<std::int64_t>()[n], c));
      }
    }
    const Matrix e = norm(embedded, weight("enorm"));
    const Matrix h = norm(states, weight("hnorm"));
    Matrix both{states.rows, 2 * states.columns, {}};
    for (Index n = 0; n < states.rows; ++n) {
      for (Index c = 0; c < states.columns; ++c) both.values.push_back(e.at(n, c));
      for (Index c = 0; c < states.columns; ++c) both.values.push_back(h.at(n, c));
    }
    return both;
  }

  R1Config config_;
  std::vector<NamedTensor> tensors_;
  std::optional<fixtures::NamedWeights> weights_;
  AnyTensor ids_ = AnyTensor::of(std::vector<std::int64_t>{7, 3, 31, 0, 12}).reshaped({1, 5});
  AnyTensor next_ = AnyTensor::of(std::vector<std::int64_t>{3, 31, 0, 12, 39}).reshaped({1, 5});
};

TEST_F(Prediction, IsItsPartsPutTogether) {
  PlainExecutor executor(*find_reading("real"));
  Forward forward(config_, *weights_, executor);
  Cache cache(2);
  forward.begin({ids_, {}}, cache, 0);
  AnyTensor x = forward.embed();
  for (int l = 0; l < 2; ++l) x = forward.layer(l, x, cache.layers[static_cast<std::size_t>(l)]);
  const AnyTensor states = forward.final_norm(x);

  LayerCache predicted;
  const Matrix got = matrix_of(forward.predict_second(states, next_, predicted));

  LayerCache by_hand;
  const Matrix input = multiplied(joined(matrix_of(states)), weight("eh_proj"));
  const AnyTensor out = forward.layer(2, tensor_of(input), by_hand);
  const Matrix want =
      multiplied(norm(matrix_of(out), weight("shared_head.norm")), weight("shared_head.head"));
  ASSERT_EQ(got.rows, 5);
  ASSERT_EQ(got.columns, config_.vocab_size);
  for (std::size_t i = 0; i < got.values.size(); ++i) {
    const double error = (abs(got.values[i] - want.values[i]) / abs(want.values[i])).to_double();
    ASSERT_LE(error, 1e-44) << i;
  }
  EXPECT_EQ(predicted.keys.shape(), by_hand.keys.shape());
}

TEST_F(Prediction, ItsLayerHasExpertsAndItsWeightsAreNamedAsInTheCheckpoint) {
  ASSERT_TRUE(check_weights(*weights_, prediction_weights(config_), 8).ok());
  int experts = 0;
  for (const auto& spec : prediction_weights(config_)) {
    EXPECT_TRUE(spec.name.starts_with("model.layers.2.")) << spec.name;
    experts += spec.name.find(".experts.") != std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(experts, 3 * 8);
  const auto lacking = check_weights(fixtures::NamedWeights({}), prediction_weights(config_), 8);
  EXPECT_FALSE(lacking.ok());
}

TEST_F(Prediction, NeedsAConfigurationWithOneLayerForIt) {
  EXPECT_TRUE(check_prediction(config_).ok());
  for (int layers : {0, 2}) {
    config_.num_nextn_predict_layers = layers;
    const Status s = check_prediction(config_);
    ASSERT_FALSE(s.ok()) << layers;
    EXPECT_NE(s.error().message.find("num_nextn_predict_layers"), std::string::npos)
        << s.error().message;
  }
  config_.num_nextn_predict_layers = 1;
  config_.vocab_size = 0;
  EXPECT_FALSE(check_prediction(config_).ok());
}

}  // namespace
}  // namespace plumb::conformance::r1
