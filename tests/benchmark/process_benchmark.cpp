// The time of a whole process: `headway run` on W1 as a file, from exec to exit. HEADWAY names the
// program; else the one that was built beside this one runs.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>

namespace {

void whole_process(benchmark::State& state) {
  const char* const given = std::getenv("HEADWAY");
  const std::string program = given ? given : HEADWAY_PROGRAM;
  const std::string scenario = HEADWAY_SOURCE_DIR "/tests/benchmark/w1.yaml";
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    const pid_t child = fork();
    if (child == 0) {
      const int null = open("/dev/null", O_WRONLY);
      dup2(null, 1);
      execl(program.c_str(), program.c_str(), "run", scenario.c_str(), nullptr);
      _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) {
      state.SkipWithError(("this failed: " + program + " run " + scenario).c_str());
      return;
    }
    state.SetIterationTime(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
}
BENCHMARK(whole_process)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
