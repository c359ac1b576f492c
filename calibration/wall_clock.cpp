#include "calibration/wall_clock.hpp"

#include <time.h>

#include <chrono>
#include <cmath>

namespace headway {

namespace {

class SystemClock : public WallClock {
 public:
  double now() const override {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
  void wait(double seconds) override {
    timespec time{};
    time.tv_sec = static_cast<time_t>(seconds);
    time.tv_nsec = static_cast<long>((seconds - std::floor(seconds)) * 1e9);
    ::nanosleep(&time, nullptr);
  }
};

}  // namespace

WallClock& system_clock() {
  static SystemClock clock;
  return clock;
}

}  // namespace headway
