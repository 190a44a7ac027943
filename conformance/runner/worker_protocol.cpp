// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/worker_protocol.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace plumb::conformance {
namespace {

void put_param(ByteWriter& w, const NamedParam& param) {
  w.put(param.name);
  w.put(static_cast<std::uint8_t>(param.value.index()));
  if (const auto* integer = std::get_if<std::int64_t>(&param.value)) {
    w.put(*integer);
  } else if (const auto* number = std::get_if<double>(&param.value)) {
    w.put(*number);
  } else {
    w.put(std::get<std::string>(param.value));
  }
}

NamedParam get_param(ByteReader& r) {
  std::string name = r.get_string();
  const auto kind = r.get<std::uint8_t>();
  if (kind == 0) return {std::move(name), r.get<std::int64_t>()};
  if (kind == 1) return {std::move(name), r.get<double>()};
  return {std::move(name), r.get_string()};
}

void put_tensor(ByteWriter& w, const PlacedTensor& t) {
  w.put(t.name);
  w.put(static_cast<std::uint8_t>(t.role));
  w.put(t.dtype);
  w.put(t.shape);
  w.put(t.strides);
  w.put(t.region);
  w.put(t.offset);
}

PlacedTensor get_tensor(ByteReader& r) {
  PlacedTensor t;
  t.name = r.get_string();
  t.role = static_cast<plumb_role>(r.get<std::uint8_t>());
  t.dtype = r.get<Dtype>();
  t.shape = r.get_shape();
  t.strides = r.get_shape();
  t.region = r.get<Region>();
  t.offset = r.get<std::size_t>();
  return t;
}

void put_request(ByteWriter& w, const CallRequest& request) {
  w.put(request.row);
  w.put(request.threads);
  w.put(request.stage);
  w.put(request.params.size());
  for (const NamedParam& param : request.params) put_param(w, param);
  w.put(request.layout.map_bytes);
  w.put(request.layout.message);
  w.put(request.layout.tensors.size());
  for (const PlacedTensor& tensor : request.layout.tensors) put_tensor(w, tensor);
}

void get_request(ByteReader& r, CallRequest& request) {
  request.row = r.get<std::uint32_t>();
  request.threads = r.get<std::int32_t>();
  request.stage = r.get_string();
  for (std::size_t n = r.get_count(); n > 0; --n) request.params.push_back(get_param(r));
  request.layout.map_bytes = r.get<std::size_t>();
  request.layout.message = r.get<Region>();
  for (std::size_t n = r.get_count(); n > 0; --n) request.layout.tensors.push_back(get_tensor(r));
}

void put_reply(ByteWriter& w, const CallReply& reply) {
  w.put(reply.kind);
  w.put(reply.code);
  w.put(reply.children_left);
}

bool get_reply(ByteReader& r, CallReply& reply) {
  reply.kind = r.get<CallReply::Kind>();
  reply.code = r.get<std::int32_t>();
  reply.children_left = r.get<std::int32_t>();
  return r.ok() && reply.kind >= CallReply::Kind::kReturned &&
         reply.kind <= CallReply::Kind::kUnable;
}

}  // namespace

void ByteWriter::append(const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  const std::size_t size = bytes_.size();
  bytes_.resize(size + bytes);
  std::memcpy(bytes_.data() + size, from, bytes);
}

void ByteWriter::put(const std::string& text) {
  put(text.size());
  append(text.data(), text.size());
}

void ByteWriter::put(const Shape& shape) {
  put(shape.size());
  for (Index extent : shape) put(extent);
}

Bytes ByteWriter::framed() const {
  ByteWriter whole;
  whole.put(static_cast<std::uint64_t>(bytes_.size()));
  static_assert(sizeof(std::uint64_t) == kLengthBytes);
  whole.append(bytes_.data(), bytes_.size());
  return std::move(whole.bytes_);
}

const std::byte* ByteReader::take(std::size_t bytes) {
  ok_ = ok_ && bytes <= rest_.size();
  if (!ok_) return nullptr;
  const std::byte* at = rest_.data();
  rest_ = rest_.subspan(bytes);
  return at;
}

std::size_t ByteReader::get_count() {
  const auto n = get<std::size_t>();
  ok_ = ok_ && n <= rest_.size();
  return ok_ ? n : 0;
}

std::string ByteReader::get_string() {
  const std::size_t n = get_count();
  const std::byte* at = take(n);
  return at == nullptr ? std::string() : std::string(reinterpret_cast<const char*>(at), n);
}

Shape ByteReader::get_shape() {
  Shape shape(get_count());
  for (Index& extent : shape) extent = get<Index>();
  return shape;
}

Bytes list_request() {
  ByteWriter w;
  w.put(Verb::kList);
  return w.framed();
}

Bytes encode(const CallRequest& request) {
  ByteWriter w;
  w.put(Verb::kRun);
  put_request(w, request);
  return w.framed();
}

bool decode(ByteReader& r, CallRequest& request) {
  get_request(r, request);
  return r.finished();
}

Bytes encode(const CallReply& reply) {
  ByteWriter w;
  put_reply(w, reply);
  return w.framed();
}

bool decode(std::span<const std::byte> bytes, CallReply& reply) {
  ByteReader r(bytes);
  return get_reply(r, reply) && r.finished();
}

Bytes encode(const TimeRequest& request) {
  ByteWriter w;
  w.put(Verb::kTime);
  w.put(request.samples);
  w.put(request.seconds);
  put_request(w, request.run);
  return w.framed();
}

bool decode(ByteReader& r, TimeRequest& request) {
  request.samples = r.get<std::uint32_t>();
  request.seconds = r.get<double>();
  get_request(r, request.run);
  return r.finished();
}

Bytes encode(const TimeReply& reply) {
  ByteWriter w;
  put_reply(w, reply.run);
  w.put(reply.seconds.size());
  for (const double seconds : reply.seconds) w.put(seconds);
  return w.framed();
}

bool decode(std::span<const std::byte> bytes, std::size_t samples, TimeReply& reply) {
  ByteReader r(bytes);
  if (!get_reply(r, reply.run)) return false;
  const std::size_t count = r.get_count();
  if (count > samples) return false;
  reply.seconds.resize(count);
  for (double& seconds : reply.seconds) seconds = r.get<double>();
  const bool sane = std::ranges::all_of(
      reply.seconds, [](double seconds) { return std::isfinite(seconds) && seconds > 0; });
  const bool succeeded = reply.run.kind == CallReply::Kind::kReturned && reply.run.code == 0;
  return r.finished() && sane && (count == samples || !succeeded);
}

Bytes encode(const Result<std::vector<KernelRow>>& rows) {
  ByteWriter w;
  w.put(std::uint8_t{rows.ok()});
  if (!rows.ok()) {
    w.put(rows.error().message);
    return w.framed();
  }
  w.put(rows->size());
  for (const KernelRow& row : *rows) {
    w.put(row.stage);
    w.put(row.variant);
    w.put(std::uint8_t{row.contract_json.has_value()});
    w.put(row.contract_json.value_or(""));
    w.put(row.alignment);
  }
  return w.framed();
}

Result<std::vector<KernelRow>> decode_rows(std::span<const std::byte> bytes,
                                           const std::string& file) {
  ByteReader r(bytes);
  const bool fine = r.get<std::uint8_t>() == 1;
  if (!fine) {
    std::string message = r.get_string();
    return Error{r.finished() ? message
                              : file + ": its worker answered with bytes that are no reply"};
  }
  std::vector<KernelRow> rows;
  for (std::size_t n = r.get_count(); n > 0 && r.ok(); --n) {
    KernelRow row;
    row.stage = r.get_string();
    row.variant = r.get_string();
    const bool declared = r.get<std::uint8_t>() != 0;
    std::string contract = r.get_string();
    if (declared) row.contract_json = std::move(contract);
    row.alignment = r.get<std::size_t>();
    rows.push_back(std::move(row));
  }
  if (!r.finished()) return Error{file + ": its worker answered with rows that are cut short"};
  if (const Status status = check_rows(rows, file); !status.ok()) return status.error();
  return rows;
}

}  // namespace plumb::conformance
