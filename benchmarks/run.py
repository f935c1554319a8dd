"""Check and time exported kernels on the GPU at hand, beside PyTorch.

    python3 benchmarks/run.py FOLDER [--only NAME ...] [--quick] [--json FILE] [--svg FILE]

FOLDER holds one folder for each kernel: `plan.json` (the launch plan) with
`kernel.cubin` or `kernel.ptx`, and optionally `meta.json` with
{"program": NAME of programs.py, "eps": epsilon of the norms, "note": TEXT}.
Without meta.json the program is the one whose name the folder's name starts with.

Each kernel is run on several seeds and kinds of input, outputs poisoned and
fenced, every element compared with float64; its error may be 1.5 times that of
PyTorch eager. Times are medians over replays of one CUDA graph that cycles over
input sets of more than twice the L2 cache (cold) or over one set (warm), with and
without dependent launch, in one process with eager, torch.compile, with
--max-autotune its max-autotune mode, and scaled_dot_product_attention where the
program is attention. These are compared with float64 as well. The table and the
picture show no figure whose check failed; --json has it, under its verdict.

The work is done by a child process, step by step: a kernel that crashes, hangs or
spoils the context costs its own row, and a fresh child goes on after it.
Exit status: 0 if every kernel passed, 1 if one failed, 2 for bad arguments.
"""
from __future__ import annotations

import argparse
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import launch_plan
import picture

WORKER = Path(__file__).with_name("run_worker.py")
MARK = "@@STEP "
# Seconds that a step may take before its child is ended. The first step of a
# child also imports torch and starts CUDA.
PATIENCE = {"eager": 60, "kernel": 60, "sdpa": 60, "compile": 150, "max_autotune": 240}
BASELINES = {"eager": "eager", "compile": "torch.compile", "max_autotune": "max-autotune", "sdpa": "SDPA"}
# Programs that are one call of scaled_dot_product_attention.
ATTENTION = {"attention"}
STARTUP = 90


def read_folders(root: Path, only):
    """name -> job (program, shapes, ...) of each folder, or an error string."""
    jobs = {}
    candidates = [root] if (root / "plan.json").exists() else sorted(p for p in root.iterdir() if p.is_dir())
    for folder in candidates:
        if only and not any(folder.name.startswith(name) for name in only):
            continue
        if not (folder / "plan.json").exists():
            continue
        try:
            plan, _ = launch_plan.load(folder)
            meta_path = folder / "meta.json"
            meta = json.loads(meta_path.read_text()) if meta_path.exists() else {}
            jobs[folder.name] = {
                "folder": str(folder), "program": meta.get("program"), "eps": meta.get("eps"),
                "note": meta.get("note", ""), "shapes": [list(t.shape) for t in plan.inputs],
                "dtypes": [t.dtype for t in plan.inputs]}
        except (OSError, ValueError) as error:
            jobs[folder.name] = {"error": str(error)}
    return jobs


def group_of(name: str, job: dict) -> str:
    """Kernels of one program on inputs of one shape share PyTorch's figures."""
    return json.dumps([job["program"], job["shapes"], job["dtypes"], job["eps"]])


def plan_steps(jobs: dict, quick: bool, max_autotune: bool):
    steps, groups = [], {}
    for name, job in jobs.items():
        if "error" not in job:
            groups.setdefault(group_of(name, job), []).append(name)
    for group, names in groups.items():
        steps.append({"kind": "eager", "group": group, "names": names})
        steps += [{"kind": "kernel", "group": group, "names": [name]} for name in names]
        if jobs[names[0]]["program"] in ATTENTION:
            steps.append({"kind": "sdpa", "group": group, "names": names})
        if not quick:
            steps.append({"kind": "compile", "group": group, "names": names})
        if max_autotune:
            steps.append({"kind": "max_autotune", "group": group, "names": names})
    return steps


class Child:
    """A worker over the remaining steps; results come as lines on its output."""

    def __init__(self, jobs, steps, args, log: Path):
        self.log = log
        request = json.dumps({"jobs": jobs, "steps": steps, "dry_run": args.dry_run, "rounds": args.rounds})
        with open(log, "ab") as log_file:
            self.process = subprocess.Popen(
                [sys.executable, str(WORKER)], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=log_file, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"})
        self.lines: queue.Queue = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        try:
            self.process.stdin.write(request)
            self.process.stdin.close()
        except BrokenPipeError:
            pass  # it died at once; next_result says so

    def _read(self):
        for line in self.process.stdout:
            if line.startswith(MARK):
                self.lines.put(json.loads(line[len(MARK):]))
        self.lines.put(None)

    def next_result(self, patience: float) -> dict:
        try:
            result = self.lines.get(timeout=patience)
        except queue.Empty:
            return {"error": f"no answer within {patience:.0f} s (a hang)", "dead": True}
        if result is None:
            self.process.wait()
            tail = self.log.read_text(errors="replace").strip().splitlines()[-3:]
            return {"error": f"the process ended with status {self.process.returncode}: " + " | ".join(tail),
                    "dead": True}
        return result

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


def run_steps(jobs, steps, args, log: Path):
    """[(step, result)] in order; steps past the time limit say so."""
    done, child, fresh = [], None, True
    end = time.monotonic() + args.limit
    for position, step in enumerate(steps):
        left = end - time.monotonic()
        if left < 5:
            done.append((step, {"error": f"not run: the limit of {args.limit} s was reached"}))
            continue
        if child is None:
            child, fresh = Child(jobs, steps[position:], args, log), True
        patience = min(left, PATIENCE[step["kind"]] + (STARTUP if fresh else 0))
        result, fresh = child.next_result(patience), False
        done.append((step, result))
        what = step["kind"] + " " + (step["names"][0] if step["kind"] == "kernel" else json.loads(step["group"])[0])
        print(f"# {what}: {json.dumps({k: v for k, v in result.items() if k != 'checks'})}", flush=True)
        # After an error of the driver nothing in that process can be trusted.
        if result.get("dead") or result.get("context_lost"):
            child.end()
            child = None
    if child:
        child.end()
    return done


def collect(jobs, done):
    """One row for each kernel, joined with PyTorch's figures of its group."""
    groups: dict = {}
    for step, result in done:
        if step["kind"] != "kernel":
            groups.setdefault(step["group"], {})[step["kind"]] = result
    rows = []
    for name, job in jobs.items():
        row = {"name": name, "program": job.get("program"), "shapes": job.get("shapes"), "note": job.get("note", "")}
        if "error" in job:
            row["kernel"] = {"error": job["error"]}
        else:
            row["pytorch"] = groups.get(group_of(name, job), {})
            row["kernel"] = next((r for s, r in done if s["kind"] == "kernel" and s["names"] == [name]),
                                 {"error": "not run"})
        rows.append(row)
    return rows


def figures(row) -> dict:
    """What was measured, by kind, cold, and whose numbers were right: None where they were not, or it was not run."""
    def right(result, key):
        value = (result or {}).get(key)
        good = (result or {}).get("verdict") == "pass" and not (result or {}).get("error")
        return float(value) if good and isinstance(value, (int, float)) else None

    torch_, kernel = row.get("pytorch", {}), row["kernel"]
    result = {label: right(torch_[kind], "cold_us") for kind, label in BASELINES.items() if kind in torch_}
    result["Mirage"] = right(kernel, "cold_us")
    result["Mirage warm"] = right(kernel, "warm_us")
    if "cold_dependent_us" in kernel:
        result["Mirage, dependent launch"] = right(kernel, "cold_dependent_us")
        result["warm, dependent launch"] = right(kernel, "warm_dependent_us")
    return result


def table(rows) -> str:
    def show(value):
        return f"{value:.2f}" if isinstance(value, (int, float)) else "-"

    head = ["kernel", "verdict", "err/eager", "cold", "cold dep", "warm", "warm dep", "eager", "compile", "autotune",
            "sdpa", "regs", "spill", "waves"]
    lines = [head]
    for row in rows:
        kernel, right = row["kernel"], figures(row)
        facts = (kernel.get("facts") or [{}])[0]
        lines.append([row["name"], kernel.get("verdict", "error"), show(kernel.get("worst_ratio")),
                      *[show(right.get(k)) for k in ("Mirage", "Mirage, dependent launch", "Mirage warm",
                                                     "warm, dependent launch", *BASELINES.values())],
                      *[str(facts.get(k, "-")) for k in ("registers", "local_bytes", "waves")]])
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    text = "\n".join("  ".join(c.ljust(w) if i < 2 else c.rjust(w) for i, (c, w) in enumerate(zip(line, widths)))
                     for line in lines)
    errors = [f"{row['name']}: {row['kernel']['error']}" for row in rows if row["kernel"].get("error")]
    errors += [f"{row['name']}, {BASELINES[kind]}: {result['error']}" for row in rows
               for kind, result in row.get("pytorch", {}).items() if result.get("error")]
    return "\n".join([text, "(microseconds; eager, compile, autotune and sdpa are cold; - where a check failed)",
                      *dict.fromkeys(errors)])


def draw(rows, device) -> str:
    """The cold times as a picture."""
    kinds = [*BASELINES.values(), "Mirage", "Mirage, dependent launch"]
    name = (device or {}).get("name", "no device")
    return picture.bars(f"microseconds, cold, on {name}",
                        [(row["name"], [(kind, value) for kind, value in figures(row).items() if kind in kinds])
                         for row in rows])


def sanitize(jobs, tools, limit):
    """Runs each kernel once under compute-sanitizer, without torch around it."""
    script = str(Path(__file__).with_name("bare_run.py"))
    end, failed = time.monotonic() + limit, False
    for name, job in jobs.items():
        for tool in tools:
            left = end - time.monotonic()
            if "error" in job or left < 5:
                print(f"{tool} {name}: not run: {job.get('error', 'the limit was reached')}")
                failed = True
                continue
            command = ["compute-sanitizer", "--tool", tool, "--error-exitcode", "9", sys.executable, script,
                       job["folder"]]
            try:
                run = subprocess.run(command, capture_output=True, text=True, timeout=left)
            except FileNotFoundError:
                print("expected compute-sanitizer on the PATH, but got none")
                return True
            except subprocess.TimeoutExpired:
                print(f"{tool} {name}: no answer within {left:.0f} s")
                failed = True
                continue
            failed |= run.returncode != 0
            lines = (run.stdout + run.stderr).strip().splitlines()
            shown = lines[-1:] if run.returncode == 0 else lines[-25:]
            print(f"{tool} {name}: {'clean' if run.returncode == 0 else f'status {run.returncode}'}")
            print("\n".join("  " + line for line in shown), flush=True)
    return failed


def main() -> int:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("folder", type=Path)
    ap.add_argument("--only", nargs="*", help="kernels whose folder's name starts with one of these")
    ap.add_argument("--quick", action="store_true", help="leave torch.compile out")
    ap.add_argument("--max-autotune", action="store_true", help="time torch.compile's max-autotune too")
    ap.add_argument("--json", type=Path, help="where to write every figure")
    ap.add_argument("--svg", type=Path, help="where to draw the cold times")
    ap.add_argument("--limit", type=float, default=540, help="seconds for everything (default 540)")
    ap.add_argument("--rounds", type=int, default=20, help="graph replays for each median (default 20)")
    ap.add_argument("--sanitize", nargs="*", metavar="TOOL",
                    help="instead, run under compute-sanitizer (default: memcheck racecheck)")
    ap.add_argument("--dry-run", action="store_true",
                    help="walk through every step on the CPU, eager standing in for the kernels: measures nothing")
    args = ap.parse_args()
    if not args.folder.is_dir():
        print(f"expected a folder, but got {args.folder}", file=sys.stderr)
        return 2
    jobs = read_folders(args.folder, args.only)
    if not jobs:
        print(f"expected at least one folder with a plan.json in {args.folder}, but got none", file=sys.stderr)
        return 2
    if args.sanitize is not None:
        return 1 if sanitize(jobs, args.sanitize or ["memcheck", "racecheck"], args.limit) else 0

    from programs import PROGRAMS, program_of  # torch, which reading plans can do without
    for name, job in jobs.items():
        if "error" in job:
            continue
        job["program"] = job["program"] or program_of(name)
        if job["program"] not in PROGRAMS:
            job["error"] = f"expected {name} to name one of {', '.join(PROGRAMS)}, but got {job['program']}"
    with tempfile.NamedTemporaryFile(prefix="mirage-run-", suffix=".log", delete=False) as log:
        log_path = Path(log.name)
    done = run_steps(jobs, plan_steps(jobs, args.quick, args.max_autotune), args, log_path)
    log_path.unlink()
    rows = collect(jobs, done)
    device = next((r["device"] for _, r in done if "device" in r), None)
    if args.json:
        args.json.parent.mkdir(parents=True, exist_ok=True)
        args.json.write_text(json.dumps({"device": device, "rounds": args.rounds, "rows": rows}, indent=1) + "\n")
    if args.svg:
        args.svg.parent.mkdir(parents=True, exist_ok=True)
        args.svg.write_text(draw(rows, device))
    print(f"\n{json.dumps(device)}\n{table(rows)}")
    return 0 if all(row["kernel"].get("verdict") == "pass" for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
