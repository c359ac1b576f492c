#include "calibration/cuda/paged_decode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "calibration/cuda/attention_reference.hpp"
#include "calibration/cuda/decode_split.hpp"
#include "calibration/point_work.hpp"

namespace headway {

namespace {

constexpr float kQueryScale = 4;  // so that the weights of keys differ

std::int64_t pages_of(std::int64_t keys) {
  return (keys + kPageKeys - 1) / kPageKeys;
}

std::int64_t first_page(std::int64_t context, std::int64_t window) {
  return window > 0 ? std::max<std::int64_t>(0, context - window) / kPageKeys : 0;
}

StorageFormat cache_format(const OperatorPoint& point) {
  return point.kv == "fp8" ? StorageFormat::fp8_e4m3 : StorageFormat::bf16;
}

void check_shape(const OperatorPoint& point) {
  const auto refuse = [](const std::string& text) {
    throw PointError(PointFault::unsupported, text);
  };
  if (!decode_head_dim(point.head_dim))
    refuse(
        fmt::format("decode attention with head_dim {}; it has 64, 128 and 256", point.head_dim));
  if (point.heads % point.kv_heads != 0) refuse("query heads that the KV heads do not divide");
  if (point.batch > 65535 || point.heads > 65535)
    refuse("over 65,535 sequences or heads in a batch");
  if (std::max(point.context, point.longest) > (1 << 30)) refuse("a context over 2^30 keys");
}

}  // namespace

double PagedDecode::buffer_bytes(const OperatorPoint& point) {
  const auto real = [](std::int64_t value) { return static_cast<double>(value); };
  const double keys =
      point.window > 0 ? real(std::min(point.context, point.window)) : real(point.context);
  const double bytes = point.kv == "fp8" ? 2 : 4;
  return real(point.batch) *
             ((keys + kPageKeys) * bytes * real(point.kv_heads) + 8 * real(point.heads)) *
             real(point.head_dim) +
         real(point.batch) * real(std::max(point.context, point.longest)) / 4;
}

PagedDecode::PagedDecode(CudaGpu& gpu, const OperatorPoint& point) : gpu_(gpu) {
  check_shape(point);
  contexts_ = decode_contexts(point);
  DecodeArguments& in = arguments_;
  in.batch = static_cast<std::int32_t>(point.batch);
  in.heads = static_cast<std::int32_t>(point.heads);
  in.kv_heads = static_cast<std::int32_t>(point.kv_heads);
  in.head_dim = static_cast<std::int32_t>(point.head_dim);
  in.window = static_cast<std::int32_t>(std::min<std::int64_t>(point.window, 1 << 30));
  in.fp8 = point.kv == "fp8";

  std::vector<std::int64_t> pages;
  for (const std::int64_t context : contexts_)
    pages.push_back(pages_of(context) - first_page(context, in.window));
  const std::int64_t tiles = (point.heads / point.kv_heads + kHeadsTogether - 1) / kHeadsTogether;
  const DecodeSplit split = choose_decode_split(
      pages, point.kv_heads * tiles,
      gpu.multiprocessors() * decode_blocks_per_multiprocessor(point.head_dim, in.fp8));
  in.splits = split.splits;
  in.pages_per_split = split.pages_per_split;

  const std::int64_t rows =
      std::accumulate(pages.begin(), pages.end(), std::int64_t{0}) * kPageKeys;
  const std::int64_t width = point.kv_heads * point.head_dim, queries = point.batch * point.heads;
  q_ = {gpu.stream(), StorageFormat::bf16, queries, point.head_dim, kQueryScale, 20};
  out_ = {StorageFormat::bf16, queries, point.head_dim};
  k_ = {gpu.stream(), cache_format(point), rows, width, 1, 21};
  v_ = {gpu.stream(), cache_format(point), rows, width, 1, 22};
  lay_pages();
  partial_ = DeviceBuffer(static_cast<std::size_t>(split.partial_bytes(queries, point.head_dim)));
  logarithm_ = DeviceBuffer(static_cast<std::size_t>(split.logarithm_bytes(queries)));
  in.q = q_.data(), in.k = k_.data(), in.v = v_.data(), in.out = out_.data();
  in.table = device_table_.as<std::int32_t>();
  in.contexts = device_contexts_.as<std::int32_t>();
  in.partial = partial_.as<float>();
  in.logarithm = logarithm_.as<float>();
}

void PagedDecode::lay_pages() {
  const std::int64_t count = k_.rows() / kPageKeys;
  std::int64_t stride = count * 5 / 8 + 1;  // a step that visits all pages before it repeats one
  while (std::gcd(stride, count) != 1) ++stride;
  const std::int64_t width = pages_of(*std::max_element(contexts_.begin(), contexts_.end()));
  arguments_.table_width = static_cast<std::int32_t>(width);
  table_.assign(static_cast<std::size_t>(width) * contexts_.size(), 0);
  std::int64_t next = 0;
  std::vector<std::int32_t> contexts;
  for (std::size_t sequence = 0; sequence < contexts_.size(); ++sequence) {
    const std::int64_t context = contexts_[sequence];
    contexts.push_back(static_cast<std::int32_t>(context));
    for (std::int64_t page = first_page(context, arguments_.window); page < pages_of(context);
         ++page)
      table_[sequence * static_cast<std::size_t>(width) + static_cast<std::size_t>(page)] =
          static_cast<std::int32_t>(next++ * stride % count);
  }
  device_table_ = device_copy(table_);
  device_contexts_ = device_copy(contexts);
}

std::int64_t PagedDecode::seen(std::int64_t context) const {
  return arguments_.window > 0 ? std::min<std::int64_t>(context, arguments_.window) : context;
}

std::vector<float> PagedDecode::rows_of(const DeviceMatrix& cache, std::int64_t sequence,
                                        std::int64_t kv_head) const {
  const std::int64_t context = contexts_[static_cast<std::size_t>(sequence)];
  const std::int64_t begin = context - seen(context), dim = arguments_.head_dim;
  std::vector<float> rows;
  for (std::int64_t page = begin / kPageKeys; page < pages_of(context); ++page) {
    const std::int64_t at =
        table_[static_cast<std::size_t>(sequence * arguments_.table_width + page)];
    const std::int64_t first = std::max<std::int64_t>(0, begin - page * kPageKeys);
    const std::int64_t last = std::min(kPageKeys, context - page * kPageKeys);
    const std::vector<float> some =
        cache.block(at * kPageKeys + first, last - first, kv_head * dim, dim);
    rows.insert(rows.end(), some.begin(), some.end());
  }
  return rows;
}

void PagedDecode::compare(Comparison& comparison) const {
  constexpr std::int64_t kPairs = 4;
  const std::int64_t group = arguments_.heads / arguments_.kv_heads;
  for (std::int64_t pair = 0; pair < std::min(kPairs, q_.rows()); ++pair) {
    const std::int64_t sequence = pair * 40503 % arguments_.batch,
                       head = (pair * 7 + pair / 2) % arguments_.heads;
    const std::vector<float> keys = rows_of(k_, sequence, head / group),
                             values = rows_of(v_, sequence, head / group);
    const std::vector<float> query = q_.row(sequence * arguments_.heads + head),
                             got = out_.row(sequence * arguments_.heads + head);
    const std::vector<double> expected = attention_reference(query, keys, values);
    for (std::size_t i = 0; i < expected.size(); ++i)
      comparison.add(static_cast<double>(got[i]), expected[i]);
  }
}

double PagedDecode::flops() const {
  double keys = 0;
  for (const std::int64_t context : contexts_) keys += static_cast<double>(seen(context));
  return 4 * keys * arguments_.heads * arguments_.head_dim;
}

double PagedDecode::memory_bytes() const {
  double keys = 0;
  for (const std::int64_t context : contexts_) keys += static_cast<double>(seen(context));
  return 2 * keys * arguments_.kv_heads * arguments_.head_dim * (arguments_.fp8 ? 1 : 2);
}

}  // namespace headway
