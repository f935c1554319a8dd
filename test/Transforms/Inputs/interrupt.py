"""Runs a search, interrupts it once it has begun, and prints what became of it.

The search writes its report before the work, so that the file says when. With
`--after=text` the signal waits for that text on standard error."""

import pathlib
import signal
import subprocess
import sys
import time

arguments = sys.argv[1:]
after = None
if arguments[0].startswith("--after="):
    after = arguments.pop(0).removeprefix("--after=")
program, report, *command = arguments
pathlib.Path(report).unlink(missing_ok=True)
process = subprocess.Popen(
    [*command, program, f"--mirage-superopt=seed=1 report={report}"],
    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
end = time.monotonic() + 120
while not pathlib.Path(report).exists() and process.poll() is None:
    if time.monotonic() > end:
        break
    time.sleep(0.01)
seen = ""
while after is not None and after not in seen:
    line = process.stderr.readline()
    if not line:
        break
    seen += line
process.send_signal(signal.SIGINT)
output, errors = process.communicate(timeout=120)
print(output + seen + errors)
print("exit status", process.returncode)
