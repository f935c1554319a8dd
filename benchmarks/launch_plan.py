"""Launch plans, as include/Mirage/Runtime/LaunchPlan.h defines them (schema 1).

Needs nothing but Python, so that plans can be read where neither torch nor a
GPU is. Reading is strict: a missing key, an unknown key or a value of the wrong
type is a PlanError that names the place.
"""
from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SCHEMA = 1
BYTES = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8, "i1": 1, "i32": 4, "i64": 8}
GRID_LIMIT = ((1 << 31) - 1, 65535, 65535)
SHARED_LIMIT = 227 * 1024


class PlanError(ValueError):
    pass


@dataclass(frozen=True)
class Tensor:
    shape: tuple[int, ...]
    dtype: str
    constant: bool = False

    @property
    def nbytes(self) -> int:
        return math.prod(self.shape) * BYTES[self.dtype]


@dataclass(frozen=True)
class Scratch:
    bytes: int
    zero: bool


@dataclass(frozen=True)
class Kernel:
    name: str
    grid: tuple[int, int, int]
    cluster: tuple[int, int, int]
    threads: int
    shared_bytes: int
    dependent_launch: bool
    parameters: tuple[tuple[str, int], ...]  # (kind, index)


@dataclass(frozen=True)
class Plan:
    target: str
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    scratch: tuple[Scratch, ...]
    kernels: tuple[Kernel, ...] = field(default_factory=tuple)


def _show(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _check(ok: bool, place: str, expected: str, got: Any) -> None:
    if not ok:
        raise PlanError(f"launch plan: expected {place} to be {expected}, but got {_show(got)}")


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


class _Reader:
    """One JSON object, read key by key; `finish` complains about the rest."""

    def __init__(self, value: Any, place: str):
        _check(isinstance(value, dict), place or "the plan", "an object", value)
        self.value, self.place, self.known = value, place, []

    def get(self, key: str, expected: str, valid, default: Any = ...) -> Any:
        self.known.append(key)
        place = f"{self.place}.{key}" if self.place else key
        if key not in self.value:
            if default is not ...:
                return default
            raise PlanError(f"launch plan: expected {place} to be {expected}, but got nothing")
        got = self.value[key]
        _check(valid(got), place, expected, got)
        return got

    def integer(self, key: str, low: int, high: int) -> int:
        return self.get(key, f"an integer in [{low}, {high}]", lambda v: _is_int(v) and low <= v <= high)

    def boolean(self, key: str, default: Any = ...) -> bool:
        return self.get(key, "true or false", lambda v: isinstance(v, bool), default)

    def string(self, key: str) -> str:
        return self.get(key, "a string", lambda v: isinstance(v, str))

    def array(self, key: str, default: Any = ...) -> list:
        return self.get(key, "an array", lambda v: isinstance(v, list), default)

    def triple(self, key: str, limits, default: Any = ...) -> tuple[int, int, int]:
        def valid(v):
            return (isinstance(v, list) and len(v) == 3
                    and all(_is_int(n) and 1 <= n <= m for n, m in zip(v, limits)))
        return tuple(self.get(key, f"3 integers in [1, {list(limits)}]", valid, default))

    def finish(self) -> None:
        for key in self.value:
            if key not in self.known:
                raise PlanError(f"launch plan: expected {self.place or 'the plan'} to have only the keys "
                                f"{', '.join(self.known)}, but got \"{key}\"")


def _tensor(value: Any, place: str, is_input: bool) -> Tensor:
    reader = _Reader(value, place)
    shape = reader.get("shape", "an array of positive integers",
                       lambda v: isinstance(v, list) and all(_is_int(n) and n >= 1 for n in v))
    dtype = reader.get("dtype", "one of " + ", ".join(BYTES), lambda v: isinstance(v, str) and v in BYTES)
    constant = reader.boolean("constant") if is_input else False
    reader.finish()
    return Tensor(tuple(shape), dtype, constant)


def _scratch(value: Any, place: str) -> Scratch:
    reader = _Reader(value, place)
    result = Scratch(reader.integer("bytes", 1, 1 << 50), reader.boolean("zero"))
    reader.finish()
    return result


def _kernel(value: Any, place: str, counts: dict[str, int]) -> Kernel:
    reader = _Reader(value, place)
    name = reader.get("name", "the name of a kernel", lambda v: isinstance(v, str) and v != "")
    grid = reader.triple("grid", GRID_LIMIT)
    cluster = reader.triple("cluster", (16, 16, 16), (1, 1, 1))
    _check(math.prod(cluster) <= 16, f"{place}.cluster", "16 blocks at most", list(cluster))
    _check(all(g % c == 0 for g, c in zip(grid, cluster)), f"{place}.grid",
           f"a multiple of the cluster {list(cluster)}", list(grid))
    threads = reader.integer("threads", 1, 1024)
    shared = reader.integer("shared_bytes", 0, SHARED_LIMIT)
    dependent = reader.boolean("dependent_launch", False)
    parameters = []
    for i, entry in enumerate(reader.array("parameters")):
        one = _Reader(entry, f"{place}.parameters[{i}]")
        kind = one.get("kind", "input, output or scratch", lambda v: isinstance(v, str) and v in counts)
        index = one.get("index", f"an integer below the number of {kind} tensors, {counts[kind]}",
                        lambda v: _is_int(v) and 0 <= v < counts[kind])
        one.finish()
        parameters.append((kind, index))
    reader.finish()
    return Kernel(name, grid, cluster, threads, shared, dependent, tuple(parameters))


def parse(text: str) -> Plan:
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise PlanError(f"launch plan: expected JSON, but got {error}") from None
    reader = _Reader(value, "")
    reader.get("schema", str(SCHEMA), lambda v: _is_int(v) and v == SCHEMA)
    target = reader.string("target")
    inputs = tuple(_tensor(v, f"inputs[{i}]", True) for i, v in enumerate(reader.array("inputs")))
    outputs = tuple(_tensor(v, f"outputs[{i}]", False) for i, v in enumerate(reader.array("outputs")))
    scratch = tuple(_scratch(v, f"scratch[{i}]") for i, v in enumerate(reader.array("scratch", [])))
    counts = {"input": len(inputs), "output": len(outputs), "scratch": len(scratch)}
    kernels = tuple(_kernel(v, f"kernels[{i}]", counts) for i, v in enumerate(reader.array("kernels")))
    reader.finish()
    if not kernels:
        raise PlanError("launch plan: expected at least 1 kernel, but got 0")
    written = {index for kernel in kernels for kind, index in kernel.parameters if kind == "output"}
    for i in range(len(outputs)):
        if i not in written:
            raise PlanError(f"launch plan: expected outputs[{i}] to be a parameter of some kernel, but got none")
    return Plan(target, inputs, outputs, scratch, kernels)


def load(folder: Path) -> tuple[Plan, bytes]:
    """The plan and the machine code (a cubin, or PTX) of an exported folder."""
    plan = parse((folder / "plan.json").read_text())
    for name in ("kernel.cubin", "kernel.ptx"):
        path = folder / name
        if path.exists():
            image = path.read_bytes()
            if not image:
                raise PlanError(f"expected {path} to hold machine code, but got an empty file")
            return plan, image
    raise PlanError(f"expected kernel.cubin or kernel.ptx in {folder}, but got neither")
