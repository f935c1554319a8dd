"""Runs a search, interrupts it once it has begun, and prints what became of it.

The search writes its report before the work, so that the file says when."""

import pathlib
import signal
import subprocess
import sys
import time

program, report, *command = sys.argv[1:]
pathlib.Path(report).unlink(missing_ok=True)
process = subprocess.Popen(
    [*command, program, f"--mirage-superopt=seed=1 report={report}"],
    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
end = time.monotonic() + 120
while not pathlib.Path(report).exists() and process.poll() is None:
    if time.monotonic() > end:
        break
    time.sleep(0.01)
process.send_signal(signal.SIGINT)
output, errors = process.communicate(timeout=120)
print(output + errors)
print("exit status", process.returncode)
