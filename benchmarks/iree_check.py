"""Does IREE run exported kernels, and do they compute what the interpreter says?

    iree_check.py generate FOLDER PROGRAM.mlir... --tools build/bin \\
        --iree-compile .venv/bin/iree-compile [--target sm_90a]
    iree_check.py check FOLDER [--wheel iree_base_runtime.whl] [--benchmark]

`generate` needs no GPU: it optimizes the one public function of each program,
lowers it for plain launches, exports and compiles it for IREE, and writes
NAME.vmfb, NAME.json and the interpreter's f64 results, NAME.0.npy and on. Inputs
are made of a seed, exactly, and kept as digests only: weights are large.

`check` needs NumPy, a CUDA driver and iree-run-module, which it takes from the
wheel, unpacked into a temporary folder, or from the PATH. It runs each module
twice, over CUDA streams and over CUDA graphs, and prints one line for each run.
A run passes when the norm of the error over the norm of the result is at most
that of the program run op by op in its own types, plus one rounding unit.
"""
from __future__ import annotations

import argparse
import ctypes
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

NUMPY = {"f16": np.float16, "f32": np.float32}
UNIT = {"f16": 2.0**-11, "f32": 2.0**-21}
MODES = {"streams": "--cuda_use_streams=true", "graphs": "--cuda_use_streams=false"}


def make_input(seed: int, index: int, shape: list[int], dtype: str) -> np.ndarray:
    """Multiples of 2^-12 in [-1/2, 1/2], matrices of many rows scaled down."""
    rng = np.random.default_rng([seed, index])
    scale = 2.0**-6 if len(shape) > 1 and shape[-2] >= 1024 else 1.0
    values = rng.integers(-2048, 2049, size=shape, dtype=np.int16)
    return (values * (scale / 4096)).astype(NUMPY[dtype])


def digest(values: np.ndarray) -> str:
    return hashlib.sha256(values.tobytes()).hexdigest()


def relative_error(got: np.ndarray, want: np.ndarray) -> float:
    """Infinite where `got` is not finite."""
    difference = np.linalg.norm((got.astype(np.float64) - want).ravel())
    size = np.linalg.norm(want.ravel())
    return float(difference / size) if np.isfinite(difference) else np.inf


def generate(args: argparse.Namespace) -> int:
    args.folder.mkdir(parents=True, exist_ok=True)
    tool = lambda name: str(args.tools / name)
    for source in args.programs:
        name = source.stem
        with tempfile.TemporaryDirectory() as scratch:
            at = lambda suffix: os.path.join(scratch, name + suffix)
            subprocess.run(
                [tool("mirage-opt"), str(source), f"--mirage-superopt=target={args.target}",
                 "--mirage-strip-reference", f"--mirage-lower-to-ptx=target={args.target} launch=plain",
                 "-o", at(".low.mlir")], check=True, stdout=subprocess.DEVNULL)
            plan = json.loads(subprocess.run(
                [tool("mirage-translate"), "--export-plan", at(".low.mlir")], check=True,
                capture_output=True, text=True).stdout)
            subprocess.run([tool("mirage-translate"), "--export-iree", at(".low.mlir"), "-o",
                            at(".iree.mlir")], check=True)
            subprocess.run([args.iree_compile, at(".iree.mlir"), "--iree-hal-target-device=cuda",
                            "--iree-cuda-target=" + args.target.rstrip("a"),
                            "-o", str(args.folder / f"{name}.vmfb")], check=True)
            inputs, run = [], [tool("mirage-run"), "--cpu", str(source)]
            for i, entry in enumerate(plan["inputs"]):
                values = make_input(args.seed, i, entry["shape"], entry["dtype"])
                np.save(at(f".in{i}.npy"), values)
                run.append("--input=" + at(f".in{i}.npy"))
                inputs.append({**entry, "sha256": digest(values)})
            for precision in ("f64", "program"):
                subprocess.run(run + [f"--precision={precision}", "--output-dir=" + at(precision)],
                               check=True, stdout=subprocess.DEVNULL)
            outputs = []
            for i, entry in enumerate(plan["outputs"]):
                want = np.load(os.path.join(at("f64"), f"output_{i}.npy"))
                rounded = np.load(os.path.join(at("program"), f"output_{i}.npy"))
                np.save(args.folder / f"{name}.{i}.npy", want)
                outputs.append({**entry, "bound": relative_error(rounded, want) + UNIT[entry["dtype"]]})
        # Of a module whose public function is the only one.
        function = re.search(r"func\.func (?:public )?@([\w.$-]+)", source.read_text()).group(1)
        meta = {"function": function, "seed": args.seed, "target": plan["target"], "inputs": inputs,
                "outputs": outputs, "clusters": [k["cluster"] for k in plan["kernels"]]}
        (args.folder / f"{name}.json").write_text(json.dumps(meta, indent=1) + "\n")
        print(f"{name}: {len(plan['kernels'])} kernel(s), clusters {meta['clusters']}")
    return 0


def find_tool(name: str, wheel: Path | None, folder: str) -> str | None:
    if not wheel:
        return shutil.which(name)
    # Of the package only these programs are used, and they need no other.
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps",
                    "--no-compile", "--target", folder, str(wheel)], check=True)
    path = Path(folder) / "iree" / "_runtime_libs" / name
    path.chmod(0o755)
    return str(path)


def driver_environment(folder: str) -> dict[str, str] | None:
    """IREE looks for libcuda.so, which is a development package's name: a link to
    the driver's libcuda.so.1 stands in. None without a driver."""
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None
    path = re.search(r"\S*libcuda\.so\S*", Path("/proc/self/maps").read_text()).group(0)
    Path(folder).mkdir()
    os.symlink(path, os.path.join(folder, "libcuda.so"))
    folders = [folder, os.path.dirname(path), os.environ.get("LD_LIBRARY_PATH", "")]
    return {**os.environ, "LD_LIBRARY_PATH": ":".join(filter(None, folders))}


def check_one(folder: Path, name: str, mode: str, runner: str, environment: dict[str, str],
              scratch: str) -> tuple[bool, str]:
    meta = json.loads((folder / f"{name}.json").read_text())
    command = [runner, "--device=cuda", MODES[mode], f"--module={folder / (name + '.vmfb')}",
               "--function=" + meta["function"]]
    for i, entry in enumerate(meta["inputs"]):
        path = Path(scratch) / f"{name}.in{i}.npy"
        if not path.exists():
            values = make_input(meta["seed"], i, entry["shape"], entry["dtype"])
            if digest(values) != entry["sha256"]:
                return False, f"expected input {i} with digest {entry['sha256']}, but got {digest(values)}"
            np.save(path, values)
        command.append(f"--input=@{path}")
    results = [Path(scratch) / f"{name}.{mode}.{i}.npy" for i in range(len(meta["outputs"]))]
    command += [f"--output=@{path}" for path in results]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
    if done.returncode != 0:
        return False, f"iree-run-module ended with status {done.returncode}: {done.stderr.strip()[-600:]}"
    good, words = True, []
    for i, (entry, path) in enumerate(zip(meta["outputs"], results)):
        got, want = np.load(path), np.load(folder / f"{name}.{i}.npy")
        if list(got.shape) != entry["shape"] or got.dtype != NUMPY[entry["dtype"]]:
            return False, (f"expected output {i} to be {entry['dtype']} {entry['shape']}, "
                           f"but got {got.dtype} {list(got.shape)}")
        error = relative_error(got, want)
        good = good and error <= entry["bound"]
        words.append(f"output {i} error {error:.2e} of at most {entry['bound']:.2e}")
    return good, ", ".join(words)


def benchmark(folder: Path, name: str, tool: str, environment: dict[str, str], scratch: str) -> str:
    meta = json.loads((folder / f"{name}.json").read_text())
    command = [tool, "--device=cuda", f"--module={folder / (name + '.vmfb')}",
               "--function=" + meta["function"], "--benchmark_format=json"]
    command += [f"--input=@{scratch}/{name}.in{i}.npy" for i in range(len(meta["inputs"]))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
    if done.returncode != 0:
        return f"iree-benchmark-module ended with status {done.returncode}"
    entry = json.loads(done.stdout)["benchmarks"][0]
    return f"{entry['real_time']:.4g} {entry['time_unit']} a call on the host"


def check(args: argparse.Namespace) -> int:
    names = sorted(path.stem for path in args.folder.glob("*.vmfb"))
    if not names:
        print(f"expected .vmfb files in {args.folder}, but found none", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as scratch:
        runner = find_tool("iree-run-module", args.wheel, os.path.join(scratch, "site"))
        if not runner:
            print("expected iree-run-module on the PATH or a --wheel, but found neither", file=sys.stderr)
            return 1
        environment = driver_environment(os.path.join(scratch, "driver"))
        if environment is None:
            print("expected a CUDA driver, libcuda.so.1, but found none", file=sys.stderr)
            return 3
        failures = 0
        for name in names:
            for mode in MODES:
                good, words = check_one(args.folder, name, mode, runner, environment, scratch)
                failures += not good
                print(f"{name} ({mode}): {'ok' if good else 'FAILED'}, {words}", flush=True)
            if args.benchmark:
                tool = str(Path(runner).with_name("iree-benchmark-module"))
                if args.wheel:
                    os.chmod(tool, 0o755)
                print(f"{name}: {benchmark(args.folder, name, tool, environment, scratch)}", flush=True)
    print(f"{len(names) * len(MODES)} runs, {failures} failures")
    return 1 if failures else 0


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    making = commands.add_parser("generate")
    making.add_argument("folder", type=Path)
    making.add_argument("programs", type=Path, nargs="+")
    making.add_argument("--tools", type=Path, default=Path("build/bin"))
    making.add_argument("--iree-compile", default="iree-compile")
    making.add_argument("--target", default="sm_90a")
    making.add_argument("--seed", type=int, default=1)
    making.set_defaults(run=generate)
    checking = commands.add_parser("check")
    checking.add_argument("folder", type=Path)
    checking.add_argument("--wheel", type=Path)
    checking.add_argument("--benchmark", action="store_true", help="time calls too")
    checking.set_defaults(run=check)
    args = parser.parse_args(arguments)
    return args.run(args)


if __name__ == "__main__":
    sys.exit(main())
