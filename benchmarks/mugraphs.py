#!/usr/bin/env python3
"""Reaches a verdict on every graph of stored files, and lowers each to PTX.

For each FILE.json there is a FILE.mlir beside it, its reference. Prints a table
for docs/mugraph-json.md, with --json one object for each graph. Exit status 1 when
a graph is without a verdict.
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

VERDICTS = ("not equivalent", "cannot tell", "equivalent")


def run(*command):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)


def verdict_of(text):
    """The line of the verdict: which one, and what the verifier says of it."""
    for line in text.splitlines():
        for verdict in VERDICTS:
            if (at := line.find(f": {verdict}")) >= 0:
                return verdict, line[at + 2:].split("; loads in bounds")[0]
    return "none", text.strip().splitlines()[0] if text.strip() else ""


def measure(tools, file, graph, target, folder):
    imported, lowered = folder / "imported.mlir", folder / "lowered.mlir"
    reference = file.with_suffix(".mlir")
    result = run(tools / "mirage-translate", "--import-mugraph-json", file,
                 f"--mugraph-reference={reference}", f"--mugraph-graph={graph}", "-o", imported)
    if result.returncode != 0:
        return {"file": file.name, "graph": graph, "verdict": "none", "says": result.stderr.strip()}
    start = time.monotonic()
    result = run(tools / "mirage-opt", imported, "--mirage-verify", "-o", "/dev/null")
    seconds = time.monotonic() - start
    verdict, says = verdict_of(result.stderr)
    result = run(tools / "mirage-opt", imported, "--mirage-strip-reference",
                 f"--mirage-lower-to-ptx=target={target}", "-o", lowered)
    kernels, why = 0, ""
    if result.returncode == 0:
        result = run(tools / "mirage-translate", "--export-ptx", lowered)
        kernels = result.stdout.count(".entry")
    if kernels == 0:
        errors = [line for line in result.stderr.splitlines() if "error: " in line]
        why = re.sub(r".*error: ('func.func' op )?", "", errors[0]) if errors else "no kernel"
    return {"file": file.name, "graph": graph, "verdict": verdict, "says": says,
            "seconds": round(seconds, 2), "kernels": kernels, "not_lowered": why}


def print_table(rows):
    """One line for each set of graphs of a file that fare alike."""
    groups = collections.OrderedDict()
    for row in rows:
        reason = row.get("not_lowered", "")
        groups.setdefault((row["file"], row["verdict"], row["says"], row.get("kernels", 0), reason), []).append(row)
    print("| file | graphs | verdict | seconds each, median (most) | PTX |")
    print("|---|---|---|---|---|")
    for (file, verdict, says, kernels, reason), group in groups.items():
        numbers = ", ".join(str(row["graph"]) for row in group)
        seconds = sorted(row.get("seconds", 0) for row in group)
        ptx = f"{kernels} kernel{'s' * (kernels > 1)}" if kernels else f"no: {reason}"
        text = says if verdict != "none" else f"none: {says}"
        print(f"| {file} | {numbers} | {text} | {seconds[len(seconds) // 2]:.1f} ({seconds[-1]:.1f}) | {ptx} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--tools", type=pathlib.Path, default=pathlib.Path("build/bin"))
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--json", type=pathlib.Path, help="file for one object for each graph")
    args = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as name:
        for file in args.files:
            for graph in range(len(json.loads(file.read_text(encoding="utf-8")))):
                rows.append(measure(args.tools, file, graph, args.target, pathlib.Path(name)))
                print(f"{file.name} {graph}: {rows[-1]['says']}", file=sys.stderr, flush=True)
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    print_table(rows)
    return 1 if any(row["verdict"] == "none" for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
