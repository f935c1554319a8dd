"""Does what the lowering makes compute what the interpreter says?

    lower_check.py generate FOLDER --tools build/bin --ptxas ptxas --target sm_90a
    lower_check.py check FOLDER [--only NAME]      on a machine with the GPU

`generate` needs no GPU: it lowers each case of lower_cases.py, assembles it, and
writes plan.json, kernel.cubin, the inputs, the result in f64 and the result op by
op in the program's types. `check` runs every case, plainly, with dependent launch
and twice more, over outputs and scratch filled with NaN patterns, and needs only
NumPy and the driver.

A case passes when its error against f64 (norm of the difference over the norm
of the result) is at most twice that of the op-by-op result plus a floor of one
rounding unit of the output's type, infinities and NaNs are where they are in
f64, and all its runs agree in every bit.
"""
from __future__ import annotations

import argparse
import ctypes
import json
import subprocess
import sys
from pathlib import Path

import numpy as np

import launch_plan

NUMPY = {"f16": np.float16, "bf16": np.uint16, "f32": np.float32, "f64": np.float64, "i1": np.bool_,
         "i32": np.int32, "i64": np.int64}
UNIT = {"f16": 2.0**-11, "bf16": 2.0**-8, "f32": 2.0**-21, "f64": 2.0**-21, "i1": 0.0, "i32": 0.0, "i64": 0.0}


def to_bf16(values: np.ndarray) -> np.ndarray:
    bits = values.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def to_f64(values: np.ndarray, dtype: str) -> np.ndarray:
    if dtype == "bf16":
        return (values.view(np.uint16).astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return values.astype(np.float64)


def save(path: Path, values: np.ndarray, dtype: str) -> None:
    np.save(path, values.view("V2") if dtype == "bf16" else values)


def move(name: str, values: np.ndarray) -> np.ndarray:
    """Normal values, moved to where a case by its name wants them."""
    if name.startswith("small_"):
        return np.float32(1e-5) * values
    if name.startswith("near_one_"):
        return 1 + np.float32(1e-4) * values
    if name.startswith("tail_"):
        return -4 - np.abs(values)
    return values


def make_inputs(name: str, plan: launch_plan.Plan) -> list[np.ndarray]:
    from lower_cases import POSITIVE
    rng = np.random.default_rng(sum(name.encode()))
    inputs = []
    for tensor in plan.inputs:
        if tensor.dtype == "i1":
            inputs.append(rng.integers(0, 2, tensor.shape).astype(np.bool_))
        elif tensor.dtype in ("i32", "i64"):
            inputs.append(rng.integers(0, 5, tensor.shape).astype(NUMPY[tensor.dtype]))
        else:
            values = rng.standard_normal(tensor.shape, dtype=np.float32)
            if any(name == f"unary_{op}" for op in POSITIVE):
                values = np.abs(values) + np.float32(0.01)
            values = move(name, values)
            inputs.append(to_bf16(values) if tensor.dtype == "bf16" else values.astype(NUMPY[tensor.dtype]))
    return inputs


def run(command: list) -> subprocess.CompletedProcess:
    return subprocess.run([str(c) for c in command], capture_output=True, text=True)


def generate_case(name: str, text: str, folder: Path, args) -> str:
    """Writes one case; returns what went wrong, or nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    source, lowered = folder / "in.mlir", folder / "low.mlir"
    source.write_text(text)
    steps = [([args.tools / "mirage-opt", source, f"--mirage-lower-to-ptx=target={args.target}", "-o", lowered], None),
             ([args.tools / "mirage-translate", "--export-plan", lowered], folder / "plan.json"),
             ([args.tools / "mirage-translate", "--export-ptx", lowered], folder / "kernel.ptx"),
             ([args.ptxas, "-v", f"-arch={args.target}", folder / "kernel.ptx", "-o", folder / "kernel.cubin"], None)]
    for command, output in steps:
        done = run(command)
        if done.returncode:
            return done.stderr.strip()[:400]
        if output:
            output.write_text(done.stdout)
    notes = done.stdout + done.stderr
    if " 0 bytes spill stores" not in notes or any(
            " 0 bytes spill" not in line for line in notes.splitlines() if "bytes spill" in line):
        return "expected no spills, but got: " + notes[:400]
    plan = launch_plan.parse((folder / "plan.json").read_text())
    command = [args.tools / "mirage-run", "--cpu", source]
    for i, (tensor, values) in enumerate(zip(plan.inputs, make_inputs(name, plan))):
        save(folder / f"input_{i}.npy", values, tensor.dtype)
        command.append(f"--input={folder / f'input_{i}.npy'}")
    for precision in ("f64", "program"):
        done = run(command + [f"--precision={precision}", f"--output-dir={folder / precision}"])
        if done.returncode:
            return done.stderr.strip()[:400]
    for path in (lowered, folder / "kernel.ptx"):
        path.unlink()
    return ""


def generate(args) -> int:
    from lower_cases import cases
    failures = 0
    for name, text in cases().items():
        if args.only and args.only not in name:
            continue
        problem = generate_case(name, text, args.folder / name, args)
        if problem:
            failures += 1
            print(f"{name}: {problem}", file=sys.stderr)
            (args.folder / name / "plan.json").unlink(missing_ok=True)
    print(f"{failures} case(s) not generated")
    return 1 if failures else 0


class Memory:
    """Device memory of one case, given back at the end."""

    def __init__(self, driver):
        self.driver, self.addresses = driver, []

    def allocate(self, nbytes: int) -> int:
        address = ctypes.c_uint64()
        self.driver.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(nbytes))
        self.addresses.append(address.value)
        return address.value

    def upload(self, address: int, values: np.ndarray) -> None:
        self.driver.call("cuMemcpyHtoD_v2", ctypes.c_uint64(address), ctypes.c_void_p(values.ctypes.data),
                         ctypes.c_size_t(values.nbytes))

    def download(self, address: int, shape, dtype) -> np.ndarray:
        values = np.empty(shape, dtype)
        self.driver.call("cuMemcpyDtoH_v2", ctypes.c_void_p(values.ctypes.data), ctypes.c_uint64(address),
                         ctypes.c_size_t(values.nbytes))
        return values

    def free(self) -> None:
        for address in self.addresses:
            self.driver.call("cuMemFree_v2", ctypes.c_uint64(address))


def compare(got: np.ndarray, exact: np.ndarray, baseline: np.ndarray, dtype: str) -> tuple[bool, float, float]:
    finite = np.isfinite(exact) & np.isfinite(baseline)
    overflows = np.isfinite(exact) & ~np.isfinite(baseline)  # the type's own limit: either answer will do
    same = finite | overflows | (got == exact) | (np.isnan(got) & np.isnan(exact))
    norm = np.linalg.norm(exact[finite]) or 1.0
    error = float(np.linalg.norm((got - exact)[finite]) / norm)
    allowed = 2 * float(np.linalg.norm((baseline - exact)[finite]) / norm) + UNIT[dtype]
    return bool(same.all()) and error <= allowed, error, allowed


def check_case(folder: Path, driver) -> str:
    """What is wrong with the case, or nothing."""
    from cuda_driver import LoadedPlan
    plan, image = launch_plan.load(folder)
    loaded, memory = LoadedPlan(driver, plan, image), Memory(driver)
    inputs = []
    for i, tensor in enumerate(plan.inputs):
        values = np.load(folder / f"input_{i}.npy").view(NUMPY[tensor.dtype]).reshape(tensor.shape)
        inputs.append(memory.allocate(tensor.nbytes))
        memory.upload(inputs[-1], np.ascontiguousarray(values))
    outputs = [memory.allocate(tensor.nbytes) for tensor in plan.outputs]
    scratch = [memory.allocate(buffer.bytes) for buffer in plan.scratch]
    bound = loaded.bind(inputs, outputs, scratch)
    runs = []
    for dependent in (False, True, True, False):
        for address, nbytes in [*zip(outputs, (t.nbytes for t in plan.outputs)),
                                *zip(scratch, (s.bytes for s in plan.scratch))]:
            driver.call("cuMemsetD8_v2", ctypes.c_uint64(address), 0xFF, ctypes.c_size_t(nbytes))
        driver.call("cuCtxSynchronize")
        # Back to back: a kernel that starts too early would read what its predecessor has not written.
        for _ in range(3 if dependent else 1):
            bound.launch(0, dependent)
        driver.call("cuCtxSynchronize")
        runs.append([memory.download(a, t.shape, NUMPY[t.dtype]) for a, t in zip(outputs, plan.outputs)])
    memory.free()
    driver.call("cuModuleUnload", loaded.module)
    for i, tensor in enumerate(plan.outputs):
        got = to_f64(runs[0][i], tensor.dtype)
        exact = np.load(folder / "f64" / f"output_{i}.npy").astype(np.float64)
        baseline = to_f64(np.load(folder / "program" / f"output_{i}.npy"), tensor.dtype)
        ok, error, allowed = compare(got, exact, baseline, tensor.dtype)
        if not ok:
            worst = np.unravel_index(np.nanargmax(np.abs(np.nan_to_num(got - exact, nan=1e30))), got.shape)
            return (f"output {i}: expected a relative error of at most {allowed:.3g}, but got {error:.3g}; at "
                    f"{[int(n) for n in worst]} expected {exact[worst]:.6g}, but got {got[worst]:.6g}")
        for other in runs[1:]:
            if runs[0][i].tobytes() != other[i].tobytes():
                return f"output {i}: expected equal bits in every run, but got differences"
    return ""


def check(args) -> int:
    from cuda_driver import CudaError, Driver
    driver = Driver()
    driver.own_context()
    folders = sorted(path.parent for path in args.folder.glob("*/plan.json") if path.parent.name > args.after)
    results = {}
    for folder in folders:
        if args.only and args.only not in folder.name:
            continue
        try:
            results[folder.name] = check_case(folder, driver)
        except CudaError as error:
            results[folder.name] = str(error)
        print(f"{folder.name}: {results[folder.name] or 'pass'}", flush=True)
        if results[folder.name].startswith("expected cu") and folder != folders[-1]:
            # The context may be lost with the error: a new process takes the rest.
            print("the rest runs in a new process", flush=True)
            rest = subprocess.run([sys.executable, __file__, "check", args.folder, "--only", args.only,
                                   "--after", folder.name])
            return rest.returncode or 1
    failed = [name for name, problem in results.items() if problem]
    print(f"{len(results) - len(failed)} of {len(folders)} cases pass; failed: {', '.join(failed) or 'none'}")
    return 1 if failed or not results else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, handler in (("generate", generate), ("check", check)):
        sub = commands.add_parser(name)
        sub.add_argument("folder", type=Path)
        sub.add_argument("--only", default="", help="a part of the names of the cases to take")
        sub.add_argument("--after", default="", help="take the cases after this name")
        sub.set_defaults(handler=handler)
        if name == "generate":
            sub.add_argument("--tools", type=Path, default=Path("build/bin"), help="where the tools lie")
            sub.add_argument("--ptxas", default="ptxas")
            sub.add_argument("--target", default="sm_90a")
    args = parser.parse_args()
    return args.handler(args)


if __name__ == "__main__":
    sys.exit(main())
