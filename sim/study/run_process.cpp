#include "sim/study/run_process.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <memory>
#include <new>
#include <optional>

#include "sim/engine/engine.hpp"
#include "sim/metrics/fanout.hpp"
#include "sim/metrics/recorder.hpp"
#include "sim/report/result_files.hpp"
#include "sim/report/summary_json.hpp"
#include "sim/scenario/input_error.hpp"

namespace headway {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kProgressEvery = std::chrono::milliseconds(100);

volatile std::sig_atomic_t asked_to_stop = 0;

// Memory has run out when this is needed, so both are made beforehand.
int memory_error_pipe = -1;
std::string memory_error;

void ask_to_stop(int) {
  asked_to_stop = 1;
}

// False: nobody listens any more.
bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

[[noreturn]] void out_of_memory() {
  write_all(memory_error_pipe, memory_error);
  ::_exit(3);
}

void set_up(const RunOrder& order, int pipe, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(3);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  struct sigaction action {};
  action.sa_handler = ask_to_stop;
  ::sigaction(SIGTERM, &action, nullptr);
  // SIGINT stays blocked: the parent, which has it from the terminal too, sends SIGTERM, and an
  // engine that takes SIGINT for itself would end the process.
  sigset_t stopping;
  ::sigemptyset(&stopping);
  ::sigaddset(&stopping, SIGTERM);
  ::sigprocmask(SIG_UNBLOCK, &stopping, nullptr);

  memory_error_pipe = pipe;
  memory_error = error_line("the run is out of memory", false);
  if (order.memory_limit_bytes > 0) {
    memory_error = error_line(
        "the run needs more memory than its limit of " +
            format_quantity(static_cast<double>(order.memory_limit_bytes), Dimension::bytes),
        false);
    const auto bytes = static_cast<rlim_t>(order.memory_limit_bytes);
    const rlimit limit{bytes, bytes};
    ::setrlimit(RLIMIT_DATA, &limit);
  }
  std::set_new_handler(out_of_memory);
}

// Tells where the run stands, and knows when it has to end before its time.
class Watch {
 public:
  Watch(const RunOrder& order, int pipe, pid_t parent)
      : order_(order), pipe_(pipe), parent_(parent) {}

  bool go_on(const RunProgress& progress) {
    const Clock::time_point now = Clock::now();
    if (asked_to_stop != 0) {
      stopped_by_ = "cancellation";
    } else if (order_.time_limit_seconds > 0 && seconds() > order_.time_limit_seconds) {
      stopped_by_ =
          "the time limit of " + format_quantity(order_.time_limit_seconds, Dimension::time);
    }
    if (::getppid() != parent_) orphaned_ = true;
    if (now - told_ >= kProgressEvery) {
      told_ = now;
      orphaned_ |= !write_all(pipe_, progress_line({progress.fraction, to_seconds(progress.now),
                                                    progress.offered, progress.departed}));
    }
    return stopped_by_.empty() && !orphaned_;
  }

  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  const std::string& stopped_by() const { return stopped_by_; }
  bool orphaned() const { return orphaned_; }

 private:
  const RunOrder& order_;
  int pipe_;
  pid_t parent_;
  Clock::time_point begin_ = Clock::now(), told_ = begin_;
  std::string stopped_by_;
  bool orphaned_ = false;
};

// Returns the bytes of summary.json; nothing where nobody waits for them.
std::optional<std::string> make_run(const RunOrder& order, Watch& watch) {
  const Scenario& scenario = order.scenario;
  Recorder recorder(scenario);
  std::unique_ptr<ResultFiles> files;
  std::vector<Observer*> observers = {&recorder};
  if (!order.out.empty()) {
    files = std::make_unique<ResultFiles>(order.out, scenario);
    observers.push_back(&files->requests());
    observers.push_back(&files->trace());
  }
  Fanout fanout(std::move(observers));
  Observer& observer = files ? static_cast<Observer&>(fanout) : recorder;
  const RunTotals totals = run_scenario(
      scenario, observer, [&](const RunProgress& progress) { return watch.go_on(progress); });
  if (watch.orphaned()) return {};
  Report report{recorder.summarise(scenario, totals), facts_of(scenario), {}};
  tell_step_times(report.summary, totals.step_time_sources, report.facts);
  for (const std::string& note : totals.notes) report.facts.warnings.push_back(note);
  report.facts.stopped_by = watch.stopped_by();
  report.provenance = provenance_of(scenario, watch.seconds());
  if (files) files->commit(report);
  return summary_json(report);
}

}  // namespace

void run_in_this_process(const RunOrder& order, int pipe, pid_t parent) {
  set_up(order, pipe, parent);
  write_all(pipe, hello_line());
  Watch watch(order, pipe, parent);
  try {
    const std::optional<std::string> result = make_run(order, watch);
    if (!result) ::_exit(3);
    write_all(pipe, result_line(*result));
    ::_exit(0);
  } catch (const std::bad_alloc&) {
    out_of_memory();
  } catch (const InputError& error) {
    write_all(pipe, error_line(error.what(), true));
    ::_exit(2);
  } catch (const std::exception& error) {
    write_all(pipe, error_line(error.what(), false));
    ::_exit(3);
  }
}

}  // namespace headway
