#include "verify/parallel.h"

#include <algorithm>
#include <utility>

namespace rip::verify {

namespace {

/// Until the number is no longer this one.
void wait_while(const std::atomic<std::uint32_t>& number, std::uint32_t value, unsigned spins) {
  for (unsigned i = 0; i < spins; ++i) {
    if (number.load(std::memory_order_acquire) != value) return;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  number.wait(value, std::memory_order_acquire);
}

}  // namespace

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

Team::Team(unsigned size) : spins_(size <= std::thread::hardware_concurrency() ? 3000 : 0) {
  for (unsigned me = 1; me < size; ++me) threads_.emplace_back([this, me] { serve(me); });
}

Team::~Team() {
  work_ = nullptr;
  ++round_;
  round_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Team::run(const std::function<void(unsigned)>& work) {
  work_ = &work;
  busy_ = static_cast<std::uint32_t>(threads_.size());
  ++round_;
  round_.notify_all();
  take(0);
  for (std::uint32_t left = busy_; left != 0; left = busy_) wait_while(busy_, left, spins_);
  if (fault_) std::rethrow_exception(std::exchange(fault_, nullptr));
}

void Team::serve(unsigned me) {
  for (std::uint32_t seen = 0;; ++seen) {
    wait_while(round_, seen, spins_);
    if (work_ == nullptr) return;
    take(me);
    --busy_;
    busy_.notify_one();
  }
}

void Team::take(unsigned me) {
  try {
    (*work_)(me);
  } catch (...) {
    const std::lock_guard lock(guard_);
    if (!fault_) fault_ = std::current_exception();
  }
}

}  // namespace rip::verify
