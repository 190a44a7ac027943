// SPDX-License-Identifier: Apache-2.0
#include "reference/tensor/stage_call.h"

#include <utility>

namespace plumb {

const AnyTensor* StageCall::find(std::string_view name) const {
  for (const NamedTensor& t : tensors) {
    if (t.name == name && !t.tensor.empty()) return &t.tensor;
  }
  return nullptr;
}

AnyTensor* StageCall::find(std::string_view name) {
  return const_cast<AnyTensor*>(std::as_const(*this).find(name));
}

const ParamValue* StageCall::find_param(std::string_view name) const {
  for (const NamedParam& p : params) {
    if (p.name == name) return &p.value;
  }
  return nullptr;
}

const AnyTensor& StageCall::tensor(std::string_view name) const {
  const AnyTensor* t = find(name);
  PLUMB_REQUIRE(t != nullptr, stage, site.path, name);
  return *t;
}

AnyTensor& StageCall::tensor(std::string_view name) {
  return const_cast<AnyTensor&>(std::as_const(*this).tensor(name));
}

std::int64_t StageCall::integer(std::string_view name) const {
  const ParamValue* p = find_param(name);
  PLUMB_REQUIRE(p != nullptr && std::holds_alternative<std::int64_t>(*p), stage, name);
  return std::get<std::int64_t>(*p);
}

double StageCall::number(std::string_view name) const {
  const ParamValue* p = find_param(name);
  PLUMB_REQUIRE(p != nullptr && std::holds_alternative<double>(*p), stage, name);
  return std::get<double>(*p);
}

const std::string& StageCall::word(std::string_view name) const {
  const ParamValue* p = find_param(name);
  PLUMB_REQUIRE(p != nullptr && std::holds_alternative<std::string>(*p), stage, name);
  return std::get<std::string>(*p);
}

void StageCall::set(std::string_view name, AnyTensor tensor) {
  for (NamedTensor& t : tensors) {
    if (t.name == name) {
      t.tensor = std::move(tensor);
      return;
    }
  }
  tensors.push_back({std::string(name), std::move(tensor)});
}

}  // namespace plumb
