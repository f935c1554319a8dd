"""Lowers a module, drops each op that moves or synchronises, one at a time, and
prints which kernels the verifier still takes. The module has a kept original @ref
and @f."""

import re
import subprocess
import sys

OPS = ("barrier", "cluster_barrier", "wait", "commit", "copy_async", "store", "store_global", "grid_dependency_wait")


def run(arguments: list[str], text: str) -> subprocess.CompletedProcess:
    return subprocess.run(["mirage-opt", "-", *arguments], input=text, capture_output=True, text=True)


with open(sys.argv[1], encoding="utf-8") as file:
    lowered = run(["--convert-mgraph-to-thread"], file.read())
if lowered.returncode:
    sys.exit(lowered.stderr)
lines = lowered.stdout.splitlines()
places = [i for i, line in enumerate(lines) if re.match(rf"\s+(mgraph_thread\.)?({'|'.join(OPS)})( |$)", line)]
taken = 0
for i in places:
    done = run(["--mirage-verify=reference=ref candidate=f seed=1", "-o", "/dev/null"], "\n".join(lines[:i] + lines[i + 1 :]))
    if done.returncode == 0:
        taken += 1
        print("taken without:", lines[i].split(":")[0].strip())
print(f"dropped {len(places)}, taken {taken}")
