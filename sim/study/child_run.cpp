#include "sim/study/child_run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <thread>

#include "sim/report/atomic_file.hpp"
#include "sim/report/summary_json.hpp"
#include "sim/scenario/input_error.hpp"
#include "sim/study/run_process.hpp"

namespace headway {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPollMilliseconds = 50;
// A run looks at its time limit itself; one that hangs is killed this long after it.
constexpr double kGraceSeconds = 5;

// A process that makes one run; killed and reaped with the object.
class Child {
 public:
  Child(const RunOrder& order, std::size_t index) : order_(order), index_(index) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
      throw RunError(fmt::format("cannot start a run: {}", std::strerror(errno)));
    std::fflush(nullptr);  // what is buffered would be written twice
    // A signal to the child waits until the child knows what to do with it.
    sigset_t stopping, before;
    ::sigemptyset(&stopping);
    ::sigaddset(&stopping, SIGTERM);
    ::sigaddset(&stopping, SIGINT);
    ::sigprocmask(SIG_BLOCK, &stopping, &before);
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ == 0) {
      ::close(ends[0]);
      run_in_this_process(order, ends[1], parent);
    }
    const int error = errno;
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    ::close(ends[1]);
    pipe_ = ends[0];
    if (pid_ < 0) {
      ::close(pipe_);
      throw RunError(fmt::format("cannot start a run: {}", std::strerror(error)));
    }
    ::fcntl(pipe_, F_SETFL, O_NONBLOCK);
  }

  ~Child() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      reap();
    }
    ::close(pipe_);
    if (!order_.out.empty() && reply_.status == RunReply::Status::failed)
      remove_temporaries(order_.out, left_by_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  std::size_t index() const { return index_; }
  int pipe() const { return pipe_; }

  // Reads what there is. False when the run's process has said its last word.
  bool read(const RunWatch& watch) {
    char block[65536];
    for (;;) {
      const ssize_t count = ::read(pipe_, block, sizeof block);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EAGAIN) return true;
      if (count <= 0) return false;
      text_.append(block, static_cast<std::size_t>(count));
      take_lines(watch);
    }
  }

  void stop(Stop how) {
    if (how == Stop::no || pid_ <= 0 || how <= stopped_) return;
    stopped_ = how;
    ::kill(pid_, how == Stop::at_once ? SIGKILL : SIGTERM);
  }

  void kill_when_overdue() {
    const double limit = order_.time_limit_seconds;
    if (limit <= 0 || overdue_) return;
    if (std::chrono::duration<double>(Clock::now() - begin_).count() < limit + kGraceSeconds)
      return;
    overdue_ = true;
    ::kill(pid_, SIGKILL);
  }

  RunReply finish() {
    const int status = reap();
    if (!answered_) reply_.error = death(status);
    return reply_;
  }

 private:
  int reap() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    left_by_ = pid_;
    pid_ = -1;
    return status;
  }

  void take_lines(const RunWatch& watch) {
    std::size_t begin = 0;
    for (std::size_t end; (end = text_.find('\n', begin)) != std::string::npos; begin = end + 1)
      take(parse_run_line(std::string_view(text_).substr(begin, end - begin)), watch);
    text_.erase(0, begin);
  }

  void take(RunMessage message, const RunWatch& watch) {
    if (message.progress && watch.on_progress) watch.on_progress(index_, *message.progress);
    if (message.result) {
      reply_.summary_json = std::move(*message.result);
      reply_.report = parse_summary(reply_.summary_json, "the run's result");
      reply_.status =
          reply_.report.summary.partial ? RunReply::Status::partial : RunReply::Status::complete;
      answered_ = true;
    }
    if (message.error) {
      reply_.error = message.error->text;
      reply_.wrong_input = message.error->wrong_input;
      answered_ = true;
    }
  }

  // Why a process that gave no answer ended.
  std::string death(int status) const {
    if (overdue_)
      return "the run did not end at its time limit of " +
             format_quantity(order_.time_limit_seconds, Dimension::time) + " and was killed";
    if (stopped_ == Stop::at_once) return "cancelled";
    std::string text = "the run's process ended without a result";
    if (WIFSIGNALED(status))
      text = fmt::format("the run's process was ended by signal {} ({})", WTERMSIG(status),
                         ::strsignal(WTERMSIG(status)));
    if (order_.memory_limit_bytes > 0)
      text += "; it had a memory limit of " +
              format_quantity(static_cast<double>(order_.memory_limit_bytes), Dimension::bytes);
    else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
      text += "; the system does that when memory runs out";
    return text;
  }

  const RunOrder& order_;
  std::size_t index_;
  pid_t pid_ = -1, left_by_ = -1;
  int pipe_ = -1;
  Clock::time_point begin_ = Clock::now();
  std::string text_;
  RunReply reply_;
  bool answered_ = false, overdue_ = false;
  Stop stopped_ = Stop::no;
};

}  // namespace

std::vector<RunReply> run_all(const std::vector<RunOrder>& orders, int jobs,
                              const RunWatch& watch) {
  if (jobs <= 0) jobs = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  std::vector<RunReply> replies(orders.size());
  std::vector<std::unique_ptr<Child>> children;
  std::size_t next = 0;
  while (next < orders.size() || !children.empty()) {
    const Stop stop = watch.stop ? watch.stop() : Stop::no;
    for (; stop != Stop::no && next < orders.size(); ++next) {
      replies[next].error = "cancelled";
      if (watch.on_reply) watch.on_reply(next, replies[next]);
    }
    for (; next < orders.size() && children.size() < static_cast<std::size_t>(jobs); ++next)
      children.push_back(std::make_unique<Child>(orders[next], next));

    std::vector<pollfd> pipes;
    for (const auto& child : children) {
      child->stop(stop);
      child->kill_when_overdue();
      pipes.push_back({child->pipe(), POLLIN, 0});
    }
    ::poll(pipes.data(), pipes.size(), kPollMilliseconds);
    std::erase_if(children, [&](const std::unique_ptr<Child>& child) {
      if (child->read(watch)) return false;
      const std::size_t index = child->index();
      replies[index] = child->finish();
      if (watch.on_reply) watch.on_reply(index, replies[index]);
      return true;
    });
  }
  return replies;
}

}  // namespace headway
