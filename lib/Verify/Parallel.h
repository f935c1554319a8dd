//===- Parallel.h - Loops over independent work -----------------*- C++ -*-===//

#ifndef MIRAGE_LIB_VERIFY_PARALLEL_H
#define MIRAGE_LIB_VERIFY_PARALLEL_H

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace mirage::verify {

/// Calls body(i) for i in [0, count), each once, in no order, on up to
/// `threads` threads. `body` writes only to what belongs to i.
template <class Body>
void parallelFor(int64_t count, unsigned threads, Body body) {
  if (threads <= 1 || count <= 1) {
    for (int64_t i = 0; i < count; ++i)
      body(i);
    return;
  }
  std::atomic<int64_t> next{0};
  auto work = [&] {
    for (int64_t i; (i = next.fetch_add(1)) < count;)
      body(i);
  };
  std::vector<std::thread> workers;
  for (unsigned t = 1; t < threads && t < count; ++t)
    workers.emplace_back(work);
  work();
  for (std::thread &worker : workers)
    worker.join();
}

} // namespace mirage::verify

#endif // MIRAGE_LIB_VERIFY_PARALLEL_H
