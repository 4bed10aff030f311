#include "verify/check.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

namespace rip::verify {

unsigned jobs_meant(unsigned wish) {
  constexpr unsigned kMost = 1024;  // more are no faster
  return std::min(kMost, wish != 0 ? wish : std::max(1u, std::thread::hardware_concurrency()));
}

void in_parallel(std::size_t n, unsigned jobs, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr fault;
  std::mutex guard;
  auto run = [&] {
    for (std::size_t i = next++; i < n; i = next++) {
      try {
        work(i);
      } catch (...) {
        const std::lock_guard lock(guard);
        if (!fault) fault = std::current_exception();
        next = n;
      }
    }
  };
  std::vector<std::thread> threads;
  const std::size_t helpers = std::min<std::size_t>(std::max(1u, jobs), n);
  for (std::size_t i = 1; i < helpers; ++i) threads.emplace_back(run);
  run();
  for (std::thread& thread : threads) thread.join();
  if (fault) std::rethrow_exception(fault);
}

std::vector<ScenarioResult> run_scenarios(const Loaded& loaded, const std::optional<std::string>& variant, const std::string& match, unsigned jobs,
                                          const ScenarioOptions& options) {
  struct Case {
    const Version* version;
    const rules::Scenario* scenario;
  };
  std::vector<Case> cases;
  for (const auto& version : loaded.versions) {
    if (version->rules == nullptr || (variant && version->name != *variant)) continue;
    for (const rules::Scenario& scenario : version->rules->scenarios) {
      if (scenario.name.find(match) != std::string::npos) cases.push_back({version.get(), &scenario});
    }
  }
  std::vector<ScenarioResult> results(cases.size());
  in_parallel(cases.size(), jobs, [&](std::size_t i) { results[i] = run_scenario(*cases[i].version, *cases[i].scenario, loaded.sources, options); });
  std::stable_sort(results.begin(), results.end(), [](const ScenarioResult& a, const ScenarioResult& b) {
    return std::pair(a.span.file, a.span.begin) < std::pair(b.span.file, b.span.begin);
  });
  return results;
}

}  // namespace rip::verify
