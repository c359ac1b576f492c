// Replicas over several nodes: how they lie, and what crosses from node to node.
#include "models/node_layout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "models/operators.hpp"
#include "models/profile_cost.hpp"
#include "models/roofline.hpp"
#include "tests/unit/models/placements.hpp"

namespace headway {
namespace {

using ::testing::HasSubstr;

std::string layout_text(const Parallel& parallel) {
  return explain(lay_out(parallel, 8), parallel);
}

TEST(NodeLayout, PutsPipelineStagesOnDifferentNodesFirst) {
  EXPECT_EQ(layout_text({.tensor = 8, .pipeline = 2}),
            "2 nodes of 8 GPUs; 2 pipeline stages of 8 GPUs, 1 to a node; tensor groups of 8 "
            "inside a node");
  EXPECT_EQ(layout_text({.tensor = 16}), "2 nodes of 8 GPUs; tensor groups of 16 over 2 nodes");
  EXPECT_EQ(layout_text({.tensor = 2, .pipeline = 6}),
            "2 nodes of 8 GPUs; 6 pipeline stages of 2 GPUs, 4 to a node; tensor groups of 2 "
            "inside a node");
  EXPECT_EQ(layout_text({.tensor = 2, .expert = 16, .data = 8}),
            "2 nodes of 8 GPUs; tensor groups of 2 inside a node; 8 data-parallel ranks over 2 "
            "nodes; experts over 16 GPUs");
  EXPECT_EQ(lay_out({.tensor = 4, .pipeline = 3}, 8).sends_between, 1);
  EXPECT_EQ(lay_out({.tensor = 16, .pipeline = 3}, 8).sends_between, 2);
  EXPECT_EQ(lay_out({.tensor = 16, .pipeline = 3}, 8).nodes, 6);
}

TEST(NodeLayout, RefusesGroupsThatStraddleNodes) {
  EXPECT_THROW(lay_out({.tensor = 12}, 8), PlacementError);
  EXPECT_THROW(lay_out({.tensor = 3, .data = 8}, 8), PlacementError);
  EXPECT_NO_THROW(lay_out({.tensor = 6}, 8));
}

/// TP 16 over two nodes: inside, as over 8 GPUs; between, every GPU passes its eighth up and down
/// once, over 50 GB/s at 65 %, after 4.5 us of start and two hops of 8.3 us.
TEST(Nodes, AllReduceInsideThemAndThenBetweenThem) {
  const Placement placement = place("llama-3.1-70b", "h100", 16);
  std::vector<Operator> operators;
  list_token_operators(placement, 100, operators);
  double inside = 0, between = 0;
  for (const Operator& op : operators) {
    if (op.kind != OperatorKind::all_reduce) continue;
    EXPECT_EQ(op.repeats, 160);
    if (op.hops == 0) {
      EXPECT_EQ(op.group, 8);
      inside = op.network_bytes;
      continue;
    }
    between = op.network_bytes;
    EXPECT_EQ(op.hops, 2);
    const double seconds = roofline_time(op, placement.gpu, placement.engine).total();
    EXPECT_NEAR(seconds, 4.5e-6 + 2 * 8.3e-6 + 100 * 8192 * 2.0 / 8 / (50e9 * 0.65), 1e-9);
  }
  EXPECT_DOUBLE_EQ(inside, 100 * 8192 * 2.0 * 2 * 7 / 8);
  EXPECT_DOUBLE_EQ(between, 100 * 8192 * 2.0 / 8);
}

TEST(Nodes, SendFromStageToStageOverOneAdapterAGpu) {
  Placement placement = place("llama-3.1-70b", "h100", 8);
  placement.parallel.pipeline = 2;
  std::vector<Operator> operators;
  list_token_operators(placement, 100, operators);
  int sends = 0;
  for (const Operator& op : operators) {
    if (op.kind != OperatorKind::send) continue;
    ++sends;
    EXPECT_EQ(op.hops, 1);
    EXPECT_DOUBLE_EQ(op.network_bytes, 2 * 100 * 8192 * 2.0 / 8);  // stream and block output
  }
  EXPECT_EQ(sends, 1);
}

TEST(Nodes, MakeTensorParallelismOverTwoOfThemSlowerThanAPipelineForFewSequences) {
  const auto across = make_profile_cost(place("llama-3.1-70b", "h100", 16), {});
  Placement staged = place("llama-3.1-70b", "h100", 8);
  staged.parallel.pipeline = 2;
  const auto pipeline = make_profile_cost(staged, {});
  for (const std::int32_t sequences : {1, 4, 16}) {
    EXPECT_GT(across->step(decode_shape(sequences, 1000)),
              pipeline->step(decode_shape(sequences, 1000)))
        << sequences;
  }
}

TEST(Nodes, WithoutAKnownNetworkAreNotSpanned) {
  Placement placement = place("llama-3.1-8b", "l40s", 8);
  placement.parallel.pipeline = 2;
  try {
    check_placement(placement);
    FAIL();
  } catch (const PlacementError& error) {
    EXPECT_THAT(error.what(), HasSubstr("a replica over 16 GPUs does not fit into a node of 8 "
                                        "l40s-48gb, and no network between such nodes is known"));
  }
}

}  // namespace
}  // namespace headway
