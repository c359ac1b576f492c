#include "calibration/cuda/cudnn_prefill.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <list>
#include <string>

#include "calibration/device.hpp"

namespace headway {

namespace {

using Dimensions = std::vector<std::int64_t>;

// Tensors that launch() gives data for; virtual ones count on from kFirstVirtual.
enum Uid : std::int64_t { kQ = 1, kK, kV, kOut, kScale, kNothing, kKeys, kChunk, kWindow };
constexpr std::int64_t kFirstVirtual = 100;

Dimensions packed_strides(const Dimensions& dimensions) {
  Dimensions strides(dimensions.size(), 1);
  for (std::size_t i = dimensions.size() - 1; i > 0; --i)
    strides[i - 1] = strides[i] * dimensions[i];
  return strides;
}

// The operations of softmax(mask(scale · Q · Kᵀ)) · V, in the pattern that the library's fused
// attention kernels match (cuDNN developer guide, "Fused attention forward").
class AttentionGraph {
 public:
  explicit AttentionGraph(const PrefillShape& shape)
      : scores_{shape.batch, shape.heads, shape.chunk, shape.keys()},
        rows_{shape.batch, shape.heads, shape.chunk, 1} {
    const std::int64_t d = shape.head_dim, s = shape.chunk, t = shape.keys(), h = shape.heads,
                       g = shape.kv_heads, b = shape.batch;
    const auto& q = tensor(kQ, CUDNN_DATA_BFLOAT16, {b, h, s, d}, {s * h * d, d, h * d, 1});
    const auto& k = tensor(kK, CUDNN_DATA_BFLOAT16, {b, g, d, t}, {t * g * d, d, 1, g * d});
    const auto& v = tensor(kV, CUDNN_DATA_BFLOAT16, {b, g, t, d}, {t * g * d, d, g * d, 1});
    const auto& out = tensor(kOut, CUDNN_DATA_BFLOAT16, {b, h, s, d}, {s * h * d, d, h * d, 1});
    const auto& products = inner(CUDNN_DATA_FLOAT, scores_);
    multiply(q, k, products);
    const auto& scaled = inner(CUDNN_DATA_FLOAT, scores_);
    pointwise(CUDNN_POINTWISE_MUL, CUDNN_DATA_FLOAT, products, &scalar(kScale, CUDNN_DATA_FLOAT),
              scaled);
    const auto& weights = inner(CUDNN_DATA_BFLOAT16, scores_);
    softmax(masked(scaled, shape.window > 0), weights);
    multiply(weights, v, out);
  }

  CudnnDescriptor finished(cudnnHandle_t handle) const {
    std::vector<cudnnBackendDescriptor_t> handles;
    for (const CudnnDescriptor& operation : operations_) handles.push_back(operation.get());
    CudnnDescriptor graph(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
    graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, handle)
        .set(CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, handles)
        .finalize();
    return graph;
  }

 private:
  const CudnnDescriptor& tensor(std::int64_t uid, cudnnDataType_t type,
                                const Dimensions& dimensions, const Dimensions& strides,
                                bool inside = false, bool by_value = false) {
    CudnnDescriptor& made = tensors_.emplace_back(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    made.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, uid)
        .set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, type)
        .set(CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, dimensions)
        .set(CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, strides)
        .set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, std::int64_t{16})
        .set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, inside)
        .set(CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, by_value)
        .finalize();
    return made;
  }
  // A tensor that exists inside the kernel alone.
  const CudnnDescriptor& inner(cudnnDataType_t type, const Dimensions& dimensions) {
    return tensor(next_virtual_++, type, dimensions, packed_strides(dimensions), true);
  }
  const CudnnDescriptor& scalar(std::int64_t uid, cudnnDataType_t type) {
    return tensor(uid, type, {1, 1, 1, 1}, {1, 1, 1, 1}, false, true);
  }

  void multiply(const CudnnDescriptor& a, const CudnnDescriptor& b, const CudnnDescriptor& c) {
    CudnnDescriptor& matmul = parts_.emplace_back(CUDNN_BACKEND_MATMUL_DESCRIPTOR);
    matmul.set(CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT).finalize();
    operations_.emplace_back(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR)
        .set(CUDNN_ATTR_OPERATION_MATMUL_ADESC, a)
        .set(CUDNN_ATTR_OPERATION_MATMUL_BDESC, b)
        .set(CUDNN_ATTR_OPERATION_MATMUL_CDESC, c)
        .set(CUDNN_ATTR_OPERATION_MATMUL_DESC, matmul)
        .finalize();
  }

  // y = mode(x, b), or x where `chosen` and b elsewhere; `axis` of an index.
  void pointwise(cudnnPointwiseMode_t mode, cudnnDataType_t compute, const CudnnDescriptor& x,
                 const CudnnDescriptor* b, const CudnnDescriptor& y,
                 const CudnnDescriptor* chosen = nullptr, std::int64_t axis = -1) {
    CudnnDescriptor& what = parts_.emplace_back(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
    what.set(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, mode)
        .set(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, compute);
    if (axis >= 0) what.set(CUDNN_ATTR_POINTWISE_AXIS, CUDNN_TYPE_INT64, axis);
    what.finalize();
    CudnnDescriptor& operation =
        operations_.emplace_back(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
    operation.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, what)
        .set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, x);
    if (b != nullptr) operation.set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, *b);
    if (chosen != nullptr) operation.set(CUDNN_ATTR_OPERATION_POINTWISE_TDESC, *chosen);
    operation.set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y).finalize();
  }

  // Index of the place along an axis, shifted by scalars.
  const CudnnDescriptor& index(const CudnnDescriptor& scores, std::int64_t axis) {
    const auto& place = inner(CUDNN_DATA_INT32, scores_);
    pointwise(CUDNN_POINTWISE_GEN_INDEX, CUDNN_DATA_FLOAT, scores, nullptr, place, nullptr, axis);
    return place;
  }
  const CudnnDescriptor& shifted(const CudnnDescriptor& place, cudnnPointwiseMode_t mode,
                                 const CudnnDescriptor& by) {
    const auto& result = inner(CUDNN_DATA_INT32, scores_);
    pointwise(mode, CUDNN_DATA_INT32, place, &by, result);
    return result;
  }
  const CudnnDescriptor& where(cudnnPointwiseMode_t mode, const CudnnDescriptor& a,
                               const CudnnDescriptor& b, const CudnnDescriptor& scores,
                               const CudnnDescriptor& nothing) {
    const auto& chosen = inner(CUDNN_DATA_BOOLEAN, scores_);
    pointwise(mode, CUDNN_DATA_BOOLEAN, a, &b, chosen);
    const auto& result = inner(CUDNN_DATA_FLOAT, scores_);
    pointwise(CUDNN_POINTWISE_BINARY_SELECT, CUDNN_DATA_FLOAT, scores, &nothing, result, &chosen);
    return result;
  }

  // Keys after the query have no weight (row + keys - chunk ≥ column), nor have those before its
  // window (column + window - keys + chunk > row).
  const CudnnDescriptor& masked(const CudnnDescriptor& scores, bool windowed) {
    const auto& nothing = scalar(kNothing, CUDNN_DATA_FLOAT);
    const auto& keys = scalar(kKeys, CUDNN_DATA_INT32);
    const auto& chunk = scalar(kChunk, CUDNN_DATA_INT32);
    const auto& row = index(scores, 2);
    const auto& column = index(scores, 3);
    const auto& position =
        shifted(shifted(row, CUDNN_POINTWISE_ADD, keys), CUDNN_POINTWISE_SUB, chunk);
    const auto& causal = where(CUDNN_POINTWISE_CMP_GE, position, column, scores, nothing);
    if (!windowed) return causal;
    const auto& from = index(causal, 2);
    const auto& to = shifted(
        shifted(shifted(index(causal, 3), CUDNN_POINTWISE_ADD, scalar(kWindow, CUDNN_DATA_INT32)),
                CUDNN_POINTWISE_SUB, keys),
        CUDNN_POINTWISE_ADD, chunk);
    return where(CUDNN_POINTWISE_CMP_GT, to, from, causal, nothing);
  }

  const CudnnDescriptor& reduced(cudnnReduceTensorOp_t what, const CudnnDescriptor& x) {
    const auto& result = inner(CUDNN_DATA_FLOAT, rows_);
    CudnnDescriptor& reduction = parts_.emplace_back(CUDNN_BACKEND_REDUCTION_DESCRIPTOR);
    reduction.set(CUDNN_ATTR_REDUCTION_OPERATOR, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE, what)
        .set(CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT)
        .finalize();
    operations_.emplace_back(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR)
        .set(CUDNN_ATTR_OPERATION_REDUCTION_XDESC, x)
        .set(CUDNN_ATTR_OPERATION_REDUCTION_YDESC, result)
        .set(CUDNN_ATTR_OPERATION_REDUCTION_DESC, reduction)
        .finalize();
    return result;
  }

  void softmax(const CudnnDescriptor& scores, const CudnnDescriptor& weights) {
    const auto& peak = reduced(CUDNN_REDUCE_TENSOR_MAX, scores);
    const auto& below = inner(CUDNN_DATA_FLOAT, scores_);
    pointwise(CUDNN_POINTWISE_SUB, CUDNN_DATA_FLOAT, scores, &peak, below);
    const auto& powers = inner(CUDNN_DATA_FLOAT, scores_);
    pointwise(CUDNN_POINTWISE_EXP, CUDNN_DATA_FLOAT, below, nullptr, powers);
    const auto& total = reduced(CUDNN_REDUCE_TENSOR_ADD, powers);
    pointwise(CUDNN_POINTWISE_DIV, CUDNN_DATA_FLOAT, powers, &total, weights);
  }

  Dimensions scores_, rows_;
  std::int64_t next_virtual_ = kFirstVirtual;
  std::list<CudnnDescriptor> tensors_, parts_, operations_;
};

// Kernels that the library's heuristics propose for the handle's card, best first.
std::list<CudnnDescriptor> proposals(const CudnnDescriptor& graph) {
  constexpr std::int64_t kMost = 8;
  CudnnDescriptor heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph)
      .set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, CUDNN_HEUR_MODE_A)
      .finalize();
  std::list<CudnnDescriptor> configurations;
  std::vector<cudnnBackendDescriptor_t> handles;
  for (std::int64_t i = 0; i < kMost; ++i)
    handles.push_back(configurations.emplace_back(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR).get());
  std::int64_t count = 0;
  HEADWAY_CUDNN(cudnnBackendGetAttribute(heuristics.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                         CUDNN_TYPE_BACKEND_DESCRIPTOR, kMost, &count,
                                         handles.data()));
  while (static_cast<std::int64_t>(configurations.size()) > count) configurations.pop_back();
  return configurations;
}

// The first of the kernels that can be compiled.
CudnnDescriptor first_plan(const PrefillShape& shape, cudnnHandle_t handle) {
  const CudnnDescriptor graph = AttentionGraph(shape).finished(handle);
  std::string why = "the library proposes none";
  for (const CudnnDescriptor& configuration : proposals(graph)) {
    try {
      CudnnDescriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
      plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, handle)
          .set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration)
          .finalize();
      return plan;
    } catch (const PointError& error) {
      why = error.what();
    }
  }
  throw PointError(PointFault::unsupported, "cuDNN has no kernel for this attention: " + why);
}

}  // namespace

CudnnPrefill::CudnnPrefill(const PrefillShape& shape, cudnnHandle_t handle)
    : plan_(first_plan(shape, handle)),
      scale_(1 / std::sqrt(static_cast<float>(shape.head_dim))),
      chunk_(static_cast<std::int32_t>(shape.chunk)),
      keys_(static_cast<std::int32_t>(shape.keys())),
      window_(static_cast<std::int32_t>(std::min<std::int64_t>(shape.window, shape.keys()))) {
  std::int64_t count = 0;
  HEADWAY_CUDNN(cudnnBackendGetAttribute(plan_.get(), CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE,
                                         CUDNN_TYPE_INT64, 1, &count, &workspace_bytes_));
}

void CudnnPrefill::launch(cudnnHandle_t handle, const void* q, const void* k, const void* v,
                          void* out, void* workspace) const {
  // The library takes pointers to scalars of the host beside those to device memory.
  float scale = scale_, nothing = std::numeric_limits<float>::lowest();
  std::int32_t keys = keys_, chunk = chunk_, window = window_;
  std::vector<std::int64_t> uids = {kQ, kK, kV, kOut, kScale, kNothing, kKeys, kChunk};
  std::vector<void*> data = {const_cast<void*>(q),
                             const_cast<void*>(k),
                             const_cast<void*>(v),
                             out,
                             &scale,
                             &nothing,
                             &keys,
                             &chunk};
  if (window > 0) {
    uids.push_back(kWindow);
    data.push_back(&window);
  }
  CudnnDescriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, uids)
      .set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, data)
      .set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, workspace)
      .finalize();
  HEADWAY_CUDNN(cudnnBackendExecute(handle, plan_.get(), pack.get()));
}

}  // namespace headway
