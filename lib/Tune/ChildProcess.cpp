//===- ChildProcess.cpp - A process that answers in lines -----------------===//

#include "ChildProcess.h"
#include "llvm/Support/FormatVariadic.h"
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace mirage::tune;
using Clock = std::chrono::steady_clock;
using std::chrono::duration_cast;
using std::chrono::milliseconds;

extern char **environ;

/// How long a killed child may take to be gone: one that the driver holds in
/// the kernel cannot be ended, and we go on without it.
static constexpr milliseconds kEndPatience(5000);

llvm::Expected<std::unique_ptr<ChildProcess>>
ChildProcess::start(llvm::ArrayRef<std::string> command,
                    llvm::StringRef errorFile) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return llvm::createStringError(
        llvm::Twine("expected a pair of sockets, but got ") + strerror(errno));
  std::vector<char *> arguments;
  for (const std::string &word : command)
    arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO,
                                   errorFile.str().c_str(),
                                   O_WRONLY | O_CREAT | O_APPEND, 0644);
  pid_t pid = -1;
  int status = posix_spawn(&pid, arguments[0], &actions, nullptr,
                           arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (status != 0) {
    close(ends[0]);
    return llvm::createStringError("expected to start " + command[0] +
                                   ", but got " + strerror(status));
  }
  return std::unique_ptr<ChildProcess>(new ChildProcess(pid, ends[0]));
}

ChildProcess::~ChildProcess() {
  end();
  close(socket);
}

bool ChildProcess::send(llvm::StringRef line) {
  std::string text = (line + "\n").str();
  // Without MSG_NOSIGNAL a child that is gone would end us, too.
  return ::send(socket, text.data(), text.size(), MSG_NOSIGNAL) ==
         static_cast<ssize_t>(text.size());
}

Wait ChildProcess::receive(std::string &line, double timeoutSeconds) {
  auto deadline =
      Clock::now() + milliseconds(static_cast<int64_t>(timeoutSeconds * 1e3));
  while (true) {
    size_t newline = pending.find('\n');
    if (newline != std::string::npos) {
      line = pending.substr(0, newline);
      pending.erase(0, newline + 1);
      return Wait::Line;
    }
    auto left = duration_cast<milliseconds>(deadline - Clock::now()).count();
    if (left <= 0)
      return Wait::TimedOut;
    pollfd poller = {socket, POLLIN, 0};
    int ready =
        poll(&poller, 1, static_cast<int>(std::min<int64_t>(left, 1 << 30)));
    if (ready < 0 && errno != EINTR)
      return Wait::Ended;
    if (ready <= 0)
      continue;
    char buffer[4096];
    ssize_t got = recv(socket, buffer, sizeof buffer, 0);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return Wait::Ended;
    pending.append(buffer, got);
  }
}

std::string ChildProcess::end() {
  if (pid < 0)
    return "";
  int status = 0;
  auto waitUntil = [&](Clock::time_point deadline) {
    while (true) {
      pid_t got = waitpid(pid, &status, WNOHANG);
      if (got == pid || (got < 0 && errno != EINTR))
        return true;
      if (Clock::now() >= deadline)
        return false;
      std::this_thread::sleep_for(milliseconds(2));
    }
  };
  // One whose output closed is about to end by itself, and then says how.
  bool gone = waitUntil(Clock::now() + milliseconds(200));
  if (!gone) {
    kill(pid, SIGKILL);
    gone = waitUntil(Clock::now() + kEndPatience);
  }
  pid = -1;
  if (!gone)
    return "not ended by SIGKILL";
  if (WIFSIGNALED(status))
    return llvm::formatv("signal {0} ({1})", WTERMSIG(status),
                         strsignal(WTERMSIG(status)))
        .str();
  return llvm::formatv("exit status {0}", WEXITSTATUS(status)).str();
}
