#include "sim/engine/simgrid_kernel.hpp"

#include <xbt/log.h>

#include <exception>

namespace headway {

namespace s4u = simgrid::s4u;

SimGridKernel::SimGridKernel() {
  int argc = 1;
  char program[] = "headway";
  char* arguments[] = {program, nullptr};
  xbt_log_control_set("root.threshold:critical");
  engine_ = std::make_unique<s4u::Engine>(&argc, arguments);
  s4u::Engine::set_config("network/model:CM02");
  s4u::Engine::set_config("network/crosstraffic:0");
  s4u::Engine::set_config("network/TCP-gamma:0");
  zone_ = s4u::create_full_zone("headway");
  host_ = zone_->create_host("driver", 1.0)->seal();
}

void SimGridKernel::run(const std::function<void()>& drive) {
  zone_->seal();
  std::exception_ptr failure;  // an exception that leaves an actor would abort the process
  s4u::Actor::create("driver", host_, [&] {
    try {
      drive();
    } catch (...) {
      failure = std::current_exception();
    }
  });
  engine_->run();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace headway
