// Triton serving Inception on one GPU: triton-inference-server/server,
// docs/user_guide/optimization.md (perf_analyzer --percentile=95, inception_graphdef). One
// station stands for both reports, fitted to three of their twelve points as the scenario file
// says; the others are predictions.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "measured_run.hpp"

namespace headway {
namespace {

constexpr double kWithin = 0.10;

struct Point {
  int concurrency;
  double infer_per_second, p95_microseconds;
  bool fitted;
};

struct Errors {
  double throughput, p95;
};

Errors print_point(const std::string& name, const std::string& file, std::vector<std::string> sets,
                   const Point& point, const std::string& remark) {
  sets.push_back(fmt::format("workload.perf_analyzer.arrivals.closed.users={}", point.concurrency));
  const Summary summary = run_ready_scenario(file, sets);
  const std::string what = fmt::format("{}, concurrency {}", name, point.concurrency);
  return {print_beside(what + ", throughput", summary.achieved_per_second, point.infer_per_second,
                       "infer/s", remark),
          print_beside(what + ", p95", 1e3 * summary.latencies.e2e.p95.value,
                       1e-3 * point.p95_microseconds, "ms", remark)};
}

void expect_reproduced(const std::string& name, const std::string& file,
                       const std::vector<Point>& points) {
  double worst = 0;
  for (const Point& point : points) {
    const Errors errors = print_point(name, file, {}, point, point.fitted ? "fitted" : "");
    EXPECT_LE(std::fabs(errors.throughput), kWithin) << name << ", " << point.concurrency;
    EXPECT_LE(std::fabs(errors.p95), kWithin) << name << ", " << point.concurrency;
    if (!point.fitted)
      worst = std::max({worst, std::fabs(errors.throughput), std::fabs(errors.p95)});
  }
  std::cout << fmt::format("{}: worst prediction {:.1f} % off\n", name, 100 * worst);
}

TEST(TritonInception, WithoutBatching) {
  expect_reproduced("no batching", "triton-inception.yaml",
                    {{1, 62.6, 21371, false},
                     {2, 73.2, 34381, true},
                     {3, 73.2, 50298, false},
                     {4, 73.4, 65569, false}});
}

TEST(TritonInception, WithDynamicBatching) {
  expect_reproduced("dynamic batching", "triton-inception-dynamic.yaml",
                    {{1, 66.8, 19785, false},
                     {2, 80.8, 30732, false},
                     {3, 118, 32968, false},
                     {4, 165.2, 32974, true},
                     {5, 194.4, 33035, false},
                     {6, 217.6, 34258, false},
                     {7, 249.8, 34522, false},
                     {8, 272, 35988, true}});
}

// Two instances share one GPU: another configuration, in which a service is slower while the other
// instance works. A station with two independent servers bounds it; shown, and not scored.
TEST(TritonInception, TwoInstancesShareAGpuAndAreNoTwoServers) {
  const std::string remark = "two independent servers: a bound";
  const Errors plain =
      print_point("2 instances, no batching", "triton-inception.yaml",
                  {"fleet.triton.service.servers=2"}, {4, 108.6, 43588, false}, remark);
  const Errors dynamic =
      print_point("2 instances, dynamic batching", "triton-inception-dynamic.yaml",
                  {"fleet.triton.service.servers=2"}, {16, 289.6, 59817, false}, remark);
  EXPECT_GT(plain.throughput, 0);
  EXPECT_GT(dynamic.throughput, 0);
}

}  // namespace
}  // namespace headway
