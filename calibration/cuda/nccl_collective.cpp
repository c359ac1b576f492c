#include "calibration/cuda/nccl_collective.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "calibration/cpu/cpu_operator.hpp"
#include "calibration/cuda/device_matrix.hpp"

namespace headway {

namespace {

void check_nccl(ncclResult_t status, const char* expression, const char* file, int line) {
  if (status != ncclSuccess)
    library_failed(PointFault::unsupported, ncclGetErrorString(status), expression, file, line);
}

#define HEADWAY_NCCL(expression) check_nccl((expression), #expression, __FILE__, __LINE__)

// Makes a card current for a while.
class CurrentCard {
 public:
  explicit CurrentCard(int index) {
    HEADWAY_CUDA(cudaGetDevice(&before_));
    HEADWAY_CUDA(cudaSetDevice(index));
  }
  CurrentCard(const CurrentCard&) = delete;
  CurrentCard& operator=(const CurrentCard&) = delete;
  ~CurrentCard() { cudaSetDevice(before_); }

 private:
  int before_ = 0;
};

enum class Exchange { all_reduce, all_gather, reduce_scatter, all_to_all };

Exchange exchange_of(const std::string& op) {
  return op == "all_reduce"       ? Exchange::all_reduce
         : op == "all_gather"     ? Exchange::all_gather
         : op == "reduce_scatter" ? Exchange::reduce_scatter
                                  : Exchange::all_to_all;
}

class NcclCollective : public CudaOperator {
 public:
  NcclCollective(NcclGroup& group, const OperatorPoint& point)
      : CudaOperator(group.rank(0)),
        group_(group),
        exchange_(exchange_of(point.op)),
        numbers_(point.bytes / 2),
        part_(numbers_ / group.count()) {
    for (int rank = 0; rank < group.count(); ++rank) {
      const CurrentCard current(group.rank(rank).index());
      Side& side = sides_.emplace_back();
      side.begin = std::make_unique<DeviceEvent>();
      side.end = std::make_unique<DeviceEvent>();
      side.in = {group.rank(rank).stream(),
                 StorageFormat::bf16,
                 1,
                 exchange_ == Exchange::all_gather ? part_ : numbers_,
                 1,
                 50 + static_cast<std::uint32_t>(rank)};
      side.out = {StorageFormat::bf16, 1, exchange_ == Exchange::reduce_scatter ? part_ : numbers_};
    }
  }
  double memory_bytes() const override { return 2.0 * static_cast<double>(numbers_); }

  double run_once(double timeout_seconds) override {
    // While every card empties its cache twice, the host has launched on all of them. The card that
    // comes last waits for none: its time is the collective's.
    for (int rank = 0; rank < group_.count(); ++rank) {
      const CurrentCard current(group_.rank(rank).index());
      group_.rank(rank).flush_cache();
      group_.rank(rank).flush_cache();
      HEADWAY_CUDA(cudaEventRecord(side(rank).begin->get(), group_.rank(rank).stream()));
    }
    launch();
    wait_for_all(timeout_seconds);
    double least = 0;
    for (int rank = 0; rank < group_.count(); ++rank) {
      const CurrentCard current(group_.rank(rank).index());
      float milliseconds = 0;
      HEADWAY_CUDA(
          cudaEventElapsedTime(&milliseconds, side(rank).begin->get(), side(rank).end->get()));
      const double seconds = 1e-3 * static_cast<double>(milliseconds);
      least = rank == 0 ? seconds : std::min(least, seconds);
    }
    return std::max(least, 1e-9);
  }

 protected:
  void launch() override {
    HEADWAY_NCCL(ncclGroupStart());
    for (int rank = 0; rank < group_.count(); ++rank) launch_rank(rank);
    HEADWAY_NCCL(ncclGroupEnd());
    for (int rank = 0; rank < group_.count(); ++rank) {
      const CurrentCard current(group_.rank(rank).index());
      HEADWAY_CUDA(cudaEventRecord(side(rank).end->get(), group_.rank(rank).stream()));
    }
  }

  Verification compare() override {
    constexpr double kTolerance = 2e-2, kPatience = 10;  // sums are rounded to bf16 at each step
    constexpr std::int64_t kCompared = 32;
    wait_for_all(kPatience);
    Comparison comparison;
    for (int rank = 0; rank < group_.count(); ++rank)
      for (std::int64_t i = 0; i < kCompared; ++i) {
        const std::int64_t at = i * 2654435761 % side(rank).out.columns();
        comparison.add(value(side(rank).out, rank, at), expected(rank, at));
      }
    return comparison.result(kTolerance);
  }

 private:
  struct Side {
    std::unique_ptr<DeviceEvent> begin, end;
    DeviceMatrix in, out;
  };
  const Side& side(int rank) const { return sides_[static_cast<std::size_t>(rank)]; }

  void launch_rank(int rank) {
    const cudaStream_t stream = group_.rank(rank).stream();
    const ncclComm_t connection = group_.connection(rank);
    const auto whole = static_cast<std::size_t>(numbers_), part = static_cast<std::size_t>(part_);
    const void* in = side(rank).in.data();
    void* out = side(rank).out.data();
    switch (exchange_) {
      case Exchange::all_reduce:
        HEADWAY_NCCL(ncclAllReduce(in, out, whole, ncclBfloat16, ncclSum, connection, stream));
        break;
      case Exchange::all_gather:
        HEADWAY_NCCL(ncclAllGather(in, out, part, ncclBfloat16, connection, stream));
        break;
      case Exchange::reduce_scatter:
        HEADWAY_NCCL(ncclReduceScatter(in, out, part, ncclBfloat16, ncclSum, connection, stream));
        break;
      case Exchange::all_to_all:
        for (int peer = 0; peer < group_.count(); ++peer) {
          const std::size_t at = 2 * part * static_cast<std::size_t>(peer);
          HEADWAY_NCCL(ncclSend(static_cast<const char*>(in) + at, part, ncclBfloat16, peer,
                                connection, stream));
          HEADWAY_NCCL(
              ncclRecv(static_cast<char*>(out) + at, part, ncclBfloat16, peer, connection, stream));
        }
        break;
    }
  }

  void wait_for_all(double timeout_seconds) const {
    for (int rank = 0; rank < group_.count(); ++rank) {
      const CurrentCard current(group_.rank(rank).index());
      group_.rank(rank).wait_for(*side(rank).end, timeout_seconds);
    }
  }

  double value(const DeviceMatrix& matrix, int rank, std::int64_t at) const {
    const CurrentCard current(group_.rank(rank).index());
    return static_cast<double>(matrix.value(0, at));
  }
  double sum(std::int64_t at) const {
    double total = 0;
    for (int rank = 0; rank < group_.count(); ++rank) total += value(side(rank).in, rank, at);
    return total;
  }
  // What stands at a place of a card's result.
  double expected(int rank, std::int64_t at) const {
    const int peer = static_cast<int>(at / part_);
    switch (exchange_) {
      case Exchange::all_reduce:
        return sum(at);
      case Exchange::all_gather:
        return value(side(peer).in, peer, at % part_);
      case Exchange::reduce_scatter:
        return sum(rank * part_ + at);
      case Exchange::all_to_all:
        return value(side(peer).in, peer, rank * part_ + at % part_);
    }
    return 0;
  }

  NcclGroup& group_;
  Exchange exchange_;
  std::int64_t numbers_, part_;
  std::vector<Side> sides_;
};

}  // namespace

NcclGroup::NcclGroup(CudaGpu& first, int count, int devices) {
  const CurrentCard current(first.index());
  ranks_.push_back(&first);
  std::vector<int> indices = {first.index()};
  for (int i = 1; i < count; ++i) {
    indices.push_back((first.index() + i) % devices);
    ranks_.push_back(others_.emplace_back(std::make_unique<CudaGpu>(indices.back())).get());
  }
  std::vector<ncclComm_t> connections(indices.size());
  HEADWAY_NCCL(ncclCommInitAll(connections.data(), count, indices.data()));
  connections_ = std::move(connections);
}

NcclGroup::~NcclGroup() {
  if (device_is_lost()) return;
  for (const ncclComm_t connection : connections_) ncclCommDestroy(connection);
}

std::unique_ptr<CudaOperator> make_nccl_collective(NcclGroup& group, const OperatorPoint& point,
                                                   double limit) {
  if (point.bytes % (2 * group.count()) != 0)
    throw PointError(
        PointFault::unsupported,
        fmt::format("{} bytes of bf16 do not divide among {} cards", point.bytes, group.count()));
  check_device_memory(2 * static_cast<double>(point.bytes), limit);
  return std::make_unique<NcclCollective>(group, point);
}

}  // namespace headway
