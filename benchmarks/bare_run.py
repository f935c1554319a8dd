"""Run one exported kernel once, without torch: what compute-sanitizer watches.

    compute-sanitizer --tool racecheck python3 benchmarks/bare_run.py FOLDER
"""
from __future__ import annotations

import ctypes
import sys
from pathlib import Path

import numpy as np

import launch_plan
from cuda_driver import Driver, LoadedPlan

NUMPY = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "i1": np.bool_, "i32": np.int32, "i64": np.int64}


def host_values(tensor: launch_plan.Tensor, rng) -> np.ndarray:
    if tensor.dtype in ("i1", "i32", "i64"):  # any index is in range at 0
        return np.zeros(tensor.shape, NUMPY[tensor.dtype])
    values = rng.standard_normal(tensor.shape, dtype=np.float32) * np.float32(0.05)
    if tensor.dtype == "bf16":
        return (values.view(np.uint32) >> 16).astype(np.uint16)
    return values.astype(NUMPY[tensor.dtype])


def allocate(driver: Driver, nbytes: int) -> int:
    address = ctypes.c_uint64()
    driver.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(nbytes))
    return address.value


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    plan, image = launch_plan.load(Path(sys.argv[1]))
    driver, rng = Driver(), np.random.default_rng(1)
    driver.own_context()
    loaded = LoadedPlan(driver, plan, image)
    inputs = []
    for tensor in plan.inputs:
        values = np.ascontiguousarray(host_values(tensor, rng))
        inputs.append(allocate(driver, tensor.nbytes))
        driver.call("cuMemcpyHtoD_v2", ctypes.c_uint64(inputs[-1]), ctypes.c_void_p(values.ctypes.data),
                    ctypes.c_size_t(tensor.nbytes))
    # Sizes are exact, so that memcheck sees the first byte past a tensor.
    outputs = [allocate(driver, tensor.nbytes) for tensor in plan.outputs]
    scratch = [allocate(driver, buffer.bytes) for buffer in plan.scratch]
    loaded.bind(inputs, outputs, scratch).launch(0, dependent=False)
    driver.call("cuCtxSynchronize")
    print(f"ran {len(plan.kernels)} kernel(s)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
