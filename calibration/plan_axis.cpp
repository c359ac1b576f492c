#include "calibration/plan_axis.hpp"

#include <algorithm>
#include <deque>
#include <utility>

namespace headway {

std::vector<std::size_t> refinement_order(std::size_t count) {
  std::vector<std::size_t> order;
  if (count == 0) return order;
  order.push_back(0);
  if (count == 1) return order;
  order.push_back(count - 1);
  std::deque<std::pair<std::size_t, std::size_t>> gaps{{0, count - 1}};
  while (!gaps.empty()) {
    const auto [low, high] = gaps.front();
    gaps.pop_front();
    if (high - low < 2) continue;
    const std::size_t middle = (low + high) / 2;
    order.push_back(middle);
    gaps.emplace_back(low, middle);
    gaps.emplace_back(middle, high);
  }
  return order;
}

std::vector<std::int64_t> thinned(const std::vector<std::int64_t>& values, std::size_t count) {
  if (values.size() <= count || count < 2) return values;
  std::vector<std::int64_t> chosen;
  for (std::size_t i = 0; i < count; ++i)
    chosen.push_back(values[i * (values.size() - 1) / (count - 1)]);
  return chosen;
}

std::vector<std::int64_t> token_axis(std::int64_t largest) {
  std::vector<std::int64_t> values = {1, 2, 4, 8};
  for (std::int64_t m = 16; m <= 256; m += 16) values.push_back(m);
  for (std::int64_t m = 320; m <= 1024; m += 64) values.push_back(m);
  for (std::int64_t m = 1280; m <= 2048; m += 256) values.push_back(m);
  for (std::int64_t m = 2560; m <= 4096; m += 512) values.push_back(m);
  for (std::int64_t m = 5120; m <= largest; m += 1024) values.push_back(m);
  values.push_back(129);
  values.push_back(257);
  std::sort(values.begin(), values.end());
  values.erase(std::upper_bound(values.begin(), values.end(), largest), values.end());
  return values;
}

std::vector<std::int64_t> geometric_axis(std::int64_t first, std::int64_t last,
                                         std::int64_t factor) {
  std::vector<std::int64_t> values;
  for (std::int64_t value = first; value < last; value *= factor) values.push_back(value);
  values.push_back(last);
  return values;
}

}  // namespace headway
