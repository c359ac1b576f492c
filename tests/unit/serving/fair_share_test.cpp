// Weighted fair sharing between tenants: start-time fair queueing.
#include "sim/serving/fair_share.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "sim/serving/waiting_queue.hpp"

namespace headway {
namespace {

constexpr std::int64_t kToken = 1 << 20;

TEST(FairShare, ARequestOfAWeightyTenantEndsSooner) {
  FairShare share({{.name = "light"}, {.name = "heavy", .weight = 4}});
  share.admit(0, 0, 100, true);
  share.admit(1, 0, 100, true);
  EXPECT_EQ(share.start(0, 0), 100 * kToken);
  EXPECT_EQ(share.start(1, 0), 25 * kToken);
  EXPECT_EQ(share.virtual_time(), 0) << "both started at 0";
}

TEST(FairShare, WhoWasAwaySavesNothingUp) {
  FairShare share({{.name = "busy"}, {.name = "away"}});
  for (int i = 0; i < 10; ++i) share.admit(0, share.virtual_time(), 100, true);
  EXPECT_EQ(share.virtual_time(), 900 * kToken);
  EXPECT_EQ(share.start(1, share.virtual_time()), 900 * kToken) << "not 0";
}

TEST(FairShare, WhoIsServedOutOfTurnPaysAndMovesNobody) {
  FairShare share({{.name = "a"}, {.name = "b"}});
  share.admit(0, 0, 100, true);
  share.admit(0, 0, 100, false);
  EXPECT_EQ(share.start(0, 0), 200 * kToken);
  EXPECT_EQ(share.virtual_time(), 0);
}

TEST(FairShare, StaysAtTheEndOfItsTimeAndTakesAnyWeight) {
  FairShare share({{.name = "a", .weight = 1e-300}, {.name = "b", .weight = 1e300}});
  for (int i = 0; i < 10; ++i) share.admit(0, 0, INT64_MAX / 2, true);
  EXPECT_EQ(share.start(0, 0), INT64_MAX);
  share.admit(1, 0, 1000, true);
  EXPECT_EQ(share.start(1, 0), 1000 * 1049) << "2^20 / 1000, rounded";
  share.admit(7, 0, 5, true);
  EXPECT_EQ(share.start(7, 0), 5 * kToken) << "a tenant that is not in the list weighs 1";
}

Pool fair_pool() {
  Pool pool;
  pool.order = QueueOrder::fair;
  return pool;
}

/// A queue in which the tenants' clients wait, as many as there is room for.
struct Shop {
  explicit Shop(const std::vector<Tenant>& tenants) : queue(fair_pool(), tenants) {}
  void come(std::uint32_t tenant, std::int32_t tokens) {
    const Queued request{.tenant = tenant, .input_tokens = tokens - 1, .output_tokens = 1};
    tickets.push_back(queue.push(request, queue.virtual_time(), tenant));
  }
  std::uint32_t serve() {
    const QueueEntry entry = queue.pop(0);
    served[entry.tenant] += entry.tokens;
    return entry.tenant;
  }
  WaitingQueue queue;
  std::vector<std::int64_t> tickets;
  std::map<std::uint32_t, std::int64_t> served;  // tokens
};

TEST(FairQueue, BackloggedTenantsAreServedTokensInTheRatioOfTheirWeights) {
  Shop shop({{.name = "a"}, {.name = "b", .weight = 2}, {.name = "c", .weight = 5}});
  for (int i = 0; i < 1000; ++i) {
    shop.come(0, 100);
    shop.come(1, 350);
    shop.come(2, 40);
  }
  for (int i = 0; i < 700; ++i) shop.serve();
  // Nobody is further from its share than the largest request of each (Goyal et al., theorem 1).
  const double each = static_cast<double>(shop.served[0]);
  EXPECT_GE(each, 5000);
  EXPECT_NEAR(static_cast<double>(shop.served[1]) / 2, each, 100 + 350.0 / 2);
  EXPECT_NEAR(static_cast<double>(shop.served[2]) / 5, each, 100 + 40.0 / 5);
}

TEST(FairQueue, AShortRequestDoesNotWaitBehindAnothersBacklog) {
  Shop shop({{.name = "crowd"}, {.name = "single"}});
  for (int i = 0; i < 100; ++i) shop.come(0, 1000);
  EXPECT_EQ(shop.serve(), 0u);
  EXPECT_EQ(shop.serve(), 0u);
  shop.come(1, 10);
  EXPECT_EQ(shop.serve(), 1u) << "it starts now; the crowd's third starts 1000 tokens later";
  EXPECT_EQ(shop.serve(), 0u);
}

TEST(FairQueue, RequestsThatLeftUnservedCostTheirTenantNothing) {
  Shop shop({{.name = "impatient"}, {.name = "patient"}});
  for (int i = 0; i < 100; ++i) shop.come(0, 1000);
  for (const std::int64_t ticket : shop.tickets) shop.queue.erase(ticket);
  EXPECT_TRUE(shop.queue.empty());
  shop.come(1, 10);
  shop.come(1, 10);
  shop.come(0, 10);
  EXPECT_EQ(shop.serve(), 1u);
  EXPECT_EQ(shop.serve(), 0u) << "its turn, as if it had never come before";
  EXPECT_EQ(shop.serve(), 1u);
}

TEST(FairQueue, APreemptedRequestComesBackWhereItStartedAndIsNotChargedTwice) {
  Shop shop({{.name = "a"}, {.name = "b"}});
  shop.come(0, 100);
  shop.come(1, 100);
  QueueEntry first = shop.queue.pop(0);
  EXPECT_EQ(first.tenant, 0u);
  first.sequence = 3;
  shop.queue.push_preempted(first);
  EXPECT_EQ(shop.queue.pop(0).sequence, 3u) << "it starts at 0, and came before";
  shop.come(0, 100);
  EXPECT_EQ(shop.queue.pop(0).tenant, 1u);
  EXPECT_EQ(shop.queue.pop(0).rank, 100 << 20) << "one request before it was paid for";
}

}  // namespace
}  // namespace headway
