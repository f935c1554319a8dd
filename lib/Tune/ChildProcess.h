//===- ChildProcess.h - A process that answers in lines ---------*- C++ -*-===//

#ifndef MIRAGE_LIB_TUNE_CHILDPROCESS_H
#define MIRAGE_LIB_TUNE_CHILDPROCESS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <sys/types.h>

namespace mirage::tune {

/// How waiting for a line ended.
enum class Wait : uint8_t { Line, TimedOut, Ended };

/// A child whose standard input and output are a socket of ours. It is killed
/// and waited for with the object.
class ChildProcess {
public:
  static llvm::Expected<std::unique_ptr<ChildProcess>>
  start(llvm::ArrayRef<std::string> command, llvm::StringRef errorFile);
  ~ChildProcess();

  /// Sends a line; false when the child is gone.
  bool send(llvm::StringRef line);
  /// Waits for the child's next line.
  Wait receive(std::string &line, double timeoutSeconds);
  /// Kills the child if it runs, and says how it ended: `exit status 1`,
  /// `signal 11 (Segmentation fault)`.
  std::string end();

private:
  ChildProcess(pid_t pid, int socket) : pid(pid), socket(socket) {}
  pid_t pid; ///< -1 once it was waited for
  int socket;
  std::string pending; ///< received after the last line
};

} // namespace mirage::tune

#endif // MIRAGE_LIB_TUNE_CHILDPROCESS_H
