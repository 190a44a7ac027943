// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/schema.h"

#include <algorithm>
#include <array>
#include <optional>

namespace plumb {
namespace {

// "I/block": what it divides and by what; neither when the symbol stands for itself.
struct Quotient {
  std::string_view dividend, divisor;
};
std::optional<Quotient> quotient(std::string_view symbol) {
  const auto slash = symbol.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  return Quotient{symbol.substr(0, slash), symbol.substr(slash + 1)};
}

const Axis* find_axis(const std::vector<Axis>& axes, std::string_view symbol) {
  for (const Axis& axis : axes) {
    if (axis.symbol == symbol) return &axis;
  }
  return nullptr;
}

std::string quoted(const StageCall& call, std::string_view tensor) {
  return call.stage + ": tensor '" + std::string(tensor) + "'" +
         (call.site.path.empty() ? "" : " at " + call.site.path);
}

std::optional<Index> extent_of(std::string_view symbol, const std::vector<Axis>& axes) {
  if (const auto q = quotient(symbol)) {
    const Axis* dividend = find_axis(axes, q->dividend);
    const Axis* divisor = find_axis(axes, q->divisor);
    if (dividend == nullptr || divisor == nullptr || divisor->extent <= 0) return std::nullopt;
    return (dividend->extent + divisor->extent - 1) / divisor->extent;
  }
  const Axis* axis = find_axis(axes, symbol);
  return axis == nullptr ? std::nullopt : std::optional(axis->extent);
}

bool is_input(Role role) { return role == Role::kIn || role == Role::kInOut; }

Status bind_tensor(const TensorSchema& tensor, const StageCall& call, bool quotients,
                   std::vector<Axis>& axes) {
  const AnyTensor* given = call.find(tensor.name);
  if (given == nullptr) return Nothing{};
  if (given->rank() != tensor.axes.size()) {
    return Error{quoted(call, tensor.name) + " has shape " + to_string(given->shape()) + "; " +
                 std::to_string(tensor.axes.size()) + " axes are needed"};
  }
  for (std::size_t axis = 0; axis < tensor.axes.size(); ++axis) {
    const std::string_view symbol = tensor.axes[axis];
    if (quotient(symbol).has_value() != quotients) continue;
    const std::optional<Index> bound = extent_of(symbol, axes);
    if (!bound) {
      axes.push_back({symbol, given->extent(axis)});
    } else if (*bound != given->extent(axis)) {
      return Error{quoted(call, tensor.name) + " has extent " +
                   std::to_string(given->extent(axis)) + " on axis " + std::string(symbol) + "; " +
                   std::to_string(*bound) + " is needed"};
    }
  }
  return Nothing{};
}

std::string dtype_list(const TensorSchema& tensor) {
  std::string text;
  for (Dtype d : tensor.dtypes) text += (text.empty() ? "" : ", ") + std::string(name_of(d));
  return text;
}

Status check_tensor(const StageSchema& schema, const StageCall& call, const NamedTensor& given) {
  const TensorSchema* tensor = schema.find(given.name);
  if (tensor == nullptr) return Error{quoted(call, given.name) + " is none of this stage's"};
  if (given.tensor.empty() || is_wide(given.tensor.dtype())) return Nothing{};
  const Dtype dtype = given.tensor.dtype();
  if (std::ranges::find(tensor->dtypes, dtype) == tensor->dtypes.end()) {
    return Error{quoted(call, given.name) + " has type " + std::string(name_of(dtype)) +
                 "; admissible: " + dtype_list(*tensor)};
  }
  return Nothing{};
}

// An index outside what it points into would be read as one.
Status check_indices(const TensorSchema& tensor, const StageCall& call,
                     const std::vector<Axis>& axes) {
  const AnyTensor* given = is_input(tensor.role) ? call.find(tensor.name) : nullptr;
  if (given == nullptr || tensor.domain != Domain::kIndex) return Nothing{};
  const std::optional<Index> bound = extent_of(tensor.index_of, axes);
  if (!bound || given->dtype() != Dtype::kI64) return Nothing{};
  for (Index i = 0; i < given->size(); ++i) {
    const std::int64_t v = given->data<std::int64_t>()[given->offset_of(i)];
    if (v < 0 || v >= *bound) {
      return Error{quoted(call, tensor.name) + ": element " + std::to_string(i) + " is " +
                   std::to_string(v) + "; 0.." + std::to_string(*bound - 1) + " are admissible"};
    }
  }
  return Nothing{};
}

}  // namespace

std::string_view name_of(Role role) {
  constexpr std::array<std::string_view, 5> kNames{"in", "out", "inout", "tap", "scratch"};
  return kNames[static_cast<std::size_t>(role)];
}

const TensorSchema* StageSchema::find(std::string_view tensor) const {
  for (const TensorSchema& t : tensors) {
    if (t.name == tensor) return &t;
  }
  return nullptr;
}

const StageSchema* find_stage(std::string_view name) {
  for (const StageSchema& s : all_stages()) {
    if (s.name == name) return &s;
  }
  return nullptr;
}

Result<std::vector<Axis>> bind_axes(const StageSchema& schema, const StageCall& call) {
  std::vector<Axis> axes;
  for (const ParamSchema& p : schema.params) {
    const ParamValue* value = call.find_param(p.name);
    if (value != nullptr && std::holds_alternative<std::int64_t>(*value)) {
      axes.push_back({p.name, std::get<std::int64_t>(*value)});
    }
  }
  // Symbols that stand for themselves first, so that quotients find what they divide.
  for (const bool quotients : {false, true}) {
    for (const TensorSchema& tensor : schema.tensors) {
      if (Status s = bind_tensor(tensor, call, quotients, axes); !s) return s.error();
    }
  }
  return axes;
}

Shape shape_of(const TensorSchema& tensor, const std::vector<Axis>& axes) {
  Shape shape;
  for (std::string_view symbol : tensor.axes) {
    const std::optional<Index> extent = extent_of(symbol, axes);
    PLUMB_REQUIRE(extent.has_value(), tensor.name, symbol);
    shape.push_back(*extent);
  }
  return shape;
}

Status check_call(const StageSchema& schema, const StageCall& call) {
  for (const NamedTensor& given : call.tensors) {
    if (Status s = check_tensor(schema, call, given); !s) return s;
  }
  for (const TensorSchema& tensor : schema.tensors) {
    if (is_input(tensor.role) && !tensor.optional && call.find(tensor.name) == nullptr) {
      return Error{quoted(call, tensor.name) + " is missing"};
    }
  }
  for (const ParamSchema& p : schema.params) {
    const ParamValue* value = call.find_param(p.name);
    if (value == nullptr || value->index() != p.default_value.index()) {
      return Error{call.stage + ": parameter '" + std::string(p.name) +
                   "' is missing or of another kind"};
    }
  }
  auto axes = bind_axes(schema, call);
  if (!axes) return axes.error();
  for (const TensorSchema& tensor : schema.tensors) {
    if (Status s = check_indices(tensor, call, axes.value()); !s) return s;
  }
  return Nothing{};
}

}  // namespace plumb
