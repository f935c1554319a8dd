"""Lowers a module, spoils its kernel one line at a time, and prints what the
verifier says of each.

    mutate.py MODULE < MUTANTS

A mutant is a line `NAME | NTH | PATTERN | REPLACEMENT`: the NTH line that holds the
PATTERN loses it to the REPLACEMENT, or is dropped where there is none. The module
has a kept original @ref and @f."""

import re
import subprocess
import sys


def run(arguments: list[str], text: str) -> subprocess.CompletedProcess:
    return subprocess.run(["mirage-opt", "-", *arguments], input=text, capture_output=True, text=True)


def say(name: str, lines: list[str]) -> None:
    done = run(["--mirage-verify=reference=ref candidate=f seed=1", "-o", "/dev/null"], "\n".join(lines))
    # The first diagnostic, without its place.
    print(f"{name}: {done.stderr.splitlines()[0].split(': ', 1)[1]}", flush=True)


with open(sys.argv[1], encoding="utf-8") as file:
    lowered = run(["--convert-mgraph-to-thread"], file.read())
if lowered.returncode:
    sys.exit(lowered.stderr)
whole = lowered.stdout.splitlines()
say("whole", whole)
for line in sys.stdin:
    if " | " not in line or line.startswith("RUN"):
        continue
    name, nth, pattern, *replacement = (part.strip() for part in line.split("|"))
    found = [i for i, text in enumerate(whole) if re.search(pattern, text)]
    if len(found) <= int(nth):
        sys.exit(f"{name}: no such line")
    at = found[int(nth)]
    changed = [re.sub(pattern, replacement[0], whole[at], count=1)] if replacement else []
    say(name, whole[:at] + changed + whole[at + 1 :])
