// Work on several threads. Flow: what can be done side by side -> check, mutate, simulate, search.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace rip::verify {

/// The threads that are meant by `wish`: 0 as many as the machine has, and never more than it would give.
unsigned jobs_meant(unsigned wish);

/// Calls work(i) for all i < n on `jobs` threads; an exception is thrown again here.
void in_parallel(std::size_t n, unsigned jobs, const std::function<void(std::size_t)>& work);

/// Threads that stay, for work that comes in many short rounds: one that waits looks for work for some microseconds before it
/// sleeps.
class Team {
 public:
  /// `size` threads, the one that calls among them; at least that one.
  explicit Team(unsigned size);
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  ~Team();

  /// Calls work(i) for all i < size(), each on its own thread, 0 on this one. Returns when all are done; an exception is thrown
  /// again here.
  void run(const std::function<void(unsigned)>& work);
  unsigned size() const { return static_cast<unsigned>(threads_.size()) + 1; }

 private:
  void serve(unsigned me);
  void take(unsigned me);

  unsigned spins_;
  std::atomic<std::uint32_t> round_{0};
  std::atomic<std::uint32_t> busy_{0};
  const std::function<void(unsigned)>* work_ = nullptr;  ///< none: the team goes home
  std::mutex guard_;
  std::exception_ptr fault_;
  std::vector<std::thread> threads_;
};

}  // namespace rip::verify
