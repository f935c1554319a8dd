"""Every operator of the interpreter against NumPy, at kernel and at block level.

Each case is a line of MLIR and a NumPy function of the same inputs. In f64 the two
must agree nearly to the last bit; in the program's own precision within a
tolerance that follows from the type and from the length of the sums.
"""
from __future__ import annotations

import math
import os
import subprocess
from dataclasses import dataclass, field
from typing import Callable

import numpy as np
import pytest

MIRAGE_RUN = os.environ.get("MIRAGE_RUN", "mirage-run")
DTYPES = {"f16": np.float16, "f32": np.float32, "i32": np.int32, "i64": np.int64, "i1": np.bool_}
# Unit roundoff.
EPSILON = {"f16": 2.0 ** -11, "f32": 2.0 ** -24, "i1": 0.0, "i32": 0.0, "i64": 0.0}


def run(tmp_path, text, inputs, precision="f64", extra=()):
    source = tmp_path / "in.mlir"
    source.write_text(text)
    command = [MIRAGE_RUN, "--cpu", str(source), f"--precision={precision}", f"--output-dir={tmp_path}", *extra]
    for i, value in enumerate(inputs):
        np.save(tmp_path / f"in_{i}.npy", value)
        command.append(f"--input={tmp_path}/in_{i}.npy")
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr + "\n" + text
    paths = sorted(tmp_path.glob("output_*.npy"))
    return [np.load(path) for path in paths]


def tensor(shape, dtype):
    return "tensor<" + "".join(f"{n}x" for n in shape) + dtype + ">"


def tile(shape, dtype):
    return "<" + "".join(f"{n}x" for n in shape) + dtype + ">"


def erf(x):
    return np.vectorize(math.erf, otypes=[np.float64])(x)


def softmax(x, axis):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def norm(x, eps, center):
    if center:
        x = x - x.mean(axis=-1, keepdims=True)
    return x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + eps)


@dataclass
class Case:
    name: str
    op: str  # mnemonic
    shapes: list  # of the operands
    reference: Callable  # of float64 (or integer) arrays
    before: str = ""  # between the mnemonic and the operands
    after: str = ""  # between the operands and the types
    dtypes: list | None = None  # of the operands; default: all the same
    result: str | None = None  # result's element type, where it is not the operands'
    positive: bool = False  # operands are positive
    functional: bool = False  # the format writes a function type
    spell: Callable | None = None  # operand names -> text, where it is no plain list
    length: int = 1  # of the sums, for the tolerance
    values: list = field(default_factory=list)  # explicit operands, None for random


M, N = 6, 10
SAME = [[M, N]]
PAIR = [[M, N], [M, N]]


def unary(name, reference, **kw):
    return Case(name, name, SAME, reference, **kw)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


CASES = [
    unary("exp", np.exp), unary("log", np.log, positive=True), unary("silu", lambda x: x * sigmoid(x)),
    unary("gelu_tanh",
          lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))),
    unary("gelu_erf", lambda x: 0.5 * x * (1 + erf(x / math.sqrt(2)))),
    unary("relu", lambda x: np.maximum(x, 0)), unary("sigmoid", sigmoid), unary("tanh", np.tanh), unary("erf", erf),
    unary("sqrt", np.sqrt, positive=True), unary("rsqrt", lambda x: 1 / np.sqrt(x), positive=True),
    unary("square", np.square), unary("abs", np.abs), unary("neg", np.negative),
    unary("reciprocal", np.reciprocal, positive=True),
    unary("clamp", lambda x: np.clip(x, -0.25, 0.5), after="lo -0.25 hi 0.5"),
    Case("cast_narrow", "cast", SAME, lambda x: x, dtypes=["f32"], result="f16"),
    Case("cast_widen", "cast", SAME, lambda x: x, dtypes=["f16"], result="f32"),
    Case("cast_to_int", "cast", SAME, lambda x: np.trunc(x * 1.0), dtypes=["f32"], result="i32",
         values=[np.linspace(-9, 9, M * N, dtype=np.float32).reshape(M, N)]),
    Case("add", "add", PAIR, np.add), Case("sub", "sub", PAIR, np.subtract), Case("mul", "mul", PAIR, np.multiply),
    Case("div", "div", PAIR, np.divide, positive=True), Case("max", "max", PAIR, np.maximum),
    Case("min", "min", PAIR, np.minimum), Case("pow", "pow", PAIR, np.power, positive=True),
    Case("add_row", "add", [[M, N], [1, N]], np.add), Case("mul_column", "mul", [[M, 1], [M, N]], np.multiply),
    Case("sub_outer", "sub", [[M, 1], [1, N]], np.subtract),
    Case("div_scalar", "div", [[M, N], [1, 1]], np.divide, positive=True),
    *[Case(f"compare_{p}", "compare", PAIR, f, before=p, result="i1", dtypes=["f32", "f32"],
           values=[np.float32(np.arange(M * N).reshape(M, N) % 3), np.float32(np.arange(M * N).reshape(M, N) % 2)])
      for p, f in [("eq", np.equal), ("ne", np.not_equal), ("lt", np.less), ("le", np.less_equal),
                   ("gt", np.greater), ("ge", np.greater_equal)]],
    Case("select", "select", [[M, 1], [M, N], [M, N]], np.where, dtypes=["i1", "f32", "f32"], result="f32",
         values=[np.arange(M).reshape(M, 1) % 2 == 0, None, None]),
    Case("iota_0", "iota", [], lambda: np.broadcast_to(np.arange(M)[:, None], (M, N)), after="dim 0", result="f32"),
    Case("iota_1", "iota", [], lambda: np.broadcast_to(np.arange(N), (M, N)), after="dim 1", result="i32"),
    Case("matmul", "matmul", [[M, 8], [8, N]], np.matmul, length=8),
    Case("matmul_transposed", "matmul", [[M, 8], [N, 8]], lambda a, b: a @ b.T, after="transpose_rhs", length=8),
    Case("matmul_batched", "matmul", [[3, M, 8], [1, 8, N]], np.matmul, length=8),
    Case("reduce_sum", "reduce", SAME, lambda x: x.sum(1, keepdims=True), before="sum", after="dims [1]", length=N),
    Case("reduce_max", "reduce", SAME, lambda x: x.max(0, keepdims=True), before="max", after="dims [0]"),
    Case("reduce_mean", "reduce", SAME, lambda x: x.mean((0, 1), keepdims=True), before="mean", after="dims [0, 1]",
         length=M * N),
    Case("rms_norm", "rms_norm", SAME, lambda x: norm(x, 1e-5, False), after="eps 1.0e-05", functional=True, length=N),
    Case("rms_norm_scale", "rms_norm", [[M, N], [1, N]], lambda x, g: norm(x, 1e-5, False) * g,
         spell=lambda v: f"{v[0]} scale {v[1]}", after="eps 1.0e-05", functional=True, length=N),
    Case("layer_norm", "layer_norm", [[M, N], [1, N], [1, N]], lambda x, g, b: norm(x, 1e-5, True) * g + b,
         spell=lambda v: f"{v[0]} scale {v[1]} bias {v[2]}", after="eps 1.0e-05", functional=True, length=N),
    Case("softmax_1", "softmax", SAME, lambda x: softmax(x, 1), after="dim 1", length=N),
    Case("softmax_0", "softmax", SAME, lambda x: softmax(x, 0), after="dim 0", length=M),
    Case("transpose", "transpose", [[2, 3, 4]], lambda x: x.transpose(2, 0, 1), after="perm [2, 0, 1]"),
    Case("reshape", "reshape", SAME, lambda x: x.reshape(3, 2, N)),
    Case("broadcast", "broadcast", [[M, 1, 3]], lambda x: np.broadcast_to(x, (M, N, 3))),
    Case("concat", "concat", [[M, 2], [M, 5], [M, 1]], lambda *x: np.concatenate(x, 1), after="dim 1",
         functional=True),
    Case("slice", "slice", SAME, lambda x: x[1:6:2, 3:7], after="offsets [1, 3] sizes [3, 4] strides [2, 1]"),
    Case("gather", "gather", [[M, N], [4]], lambda x, i: x[:, i], after="dim 1", dtypes=[None, "i32"],
         values=[None, np.array([9, 0, 3, 3], np.int32)]),
    Case("gather_i64", "gather", [[M, N], [3]], lambda x, i: x[i], after="dim 0", dtypes=[None, "i64"],
         values=[None, np.array([5, 0, 5], np.int64)]),
    Case("constant", "constant", [], lambda: np.full((M, N), 0.3), after="0.3", result="f32"),
    Case("constant_extent", "constant", [], lambda: np.full((M, N), 3.0), after="extent 3", result="f32"),
    Case("constant_inverse", "constant", [], lambda: np.full((M, N), 1 / 3), after="inv_extent 3", result="f32"),
    Case("constant_rsqrt", "constant", [], lambda: np.full((M, N), 1 / math.sqrt(3)), after="rsqrt_extent 3",
         result="f32"),
    Case("constant_neg_inf", "constant", [], lambda: np.full((M, N), -np.inf), after="neg_inf", result="f32"),
]


def build(case: Case, level: str, dtype: str):
    """The MLIR text and the inputs of a case."""
    rng = np.random.default_rng(sum(map(ord, case.name)))
    dtypes = [d or dtype for d in (case.dtypes or [dtype] * len(case.shapes))]
    inputs = []
    for i, (shape, d) in enumerate(zip(case.shapes, dtypes)):
        if i < len(case.values) and case.values[i] is not None:
            inputs.append(case.values[i])
            continue
        value = rng.standard_normal(shape)
        inputs.append((np.abs(value) + 0.5 if case.positive else value).astype(DTYPES[d]))
    exact = [x.astype(np.float64) if x.dtype.kind == "f" else x for x in inputs]
    expected = np.asarray(case.reference(*exact))

    spelled = tile if level == "block" else tensor
    moves = case.op in ("transpose", "reshape", "broadcast", "concat", "slice", "gather")
    result = case.result or (dtypes[0] if moves or level == "kernel" else "f32")
    names = [f"%t{i}" for i in range(len(inputs))]
    operand_text = case.spell(names) if case.spell else ", ".join(names)
    types = [spelled(shape, d) for shape, d in zip(case.shapes, dtypes)]
    result_type = spelled(list(expected.shape), result)
    if not types:
        signature = result_type
    elif case.functional:  # a function type prints tiles by their full name
        full_name = "!mgraph_block.tile" if level == "block" else ""
        signature = f"({', '.join(full_name + t for t in types)}) -> {full_name}{result_type}"
    elif len(types) == 1:
        signature = f"{types[0]} -> {result_type}"
    else:
        signature = f"({', '.join(types)}) -> {result_type}"
    prefix = "mgraph_kernel." if level == "kernel" else ""
    line = f"%r = {prefix}{case.op} {case.before} {operand_text} {case.after} : {signature}"

    full = [tensor(shape, d) for shape, d in zip(case.shapes, dtypes)]
    stored = tensor(list(expected.shape), result)
    if level == "kernel":
        arguments = ", ".join(f"{n}: {t}" for n, t in zip(names, full))
        text = f"func.func @f({arguments}) -> {stored} {{\n  {line}\n  return %r : {stored}\n}}\n"
        return text, inputs, expected, result
    arguments = ", ".join(f"%x{i}: {t}" for i, t in enumerate(full))
    bound = ", ".join(f"%a{i} = %x{i}" for i in range(len(full)))
    loads = "\n".join(f"    {n} = load %a{i} imap [-1, -1, -1] : {t} -> {s}"
                      for i, (n, t, s) in enumerate(zip(names, full, types)))
    text = f"""func.func @f({arguments}) -> {stored} {{
  %o = mgraph_kernel.graph ({bound}) grid [1, 1, 1] : ({', '.join(full)}) -> {stored} {{
{loads}
    {line}
    %s = store %r omap [-1, -1, -1] : {result_type} -> {stored}
    yield %s : {stored}
  }}
  return %o : {stored}
}}
"""
    return text, inputs, expected, result


@pytest.mark.parametrize("level", ["kernel", "block"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_op(case, level, tmp_path):
    for dtype in ("f32",) if case.dtypes and None not in case.dtypes else ("f32", "f16"):
        text, inputs, expected, result = build(case, level, dtype)
        (exact,) = run(tmp_path, text, inputs, "f64")
        assert exact.shape == expected.shape
        np.testing.assert_allclose(exact, expected.astype(np.float64), rtol=1e-13, atol=1e-14)
        (rounded,) = run(tmp_path, text, inputs, "program")
        assert rounded.dtype == DTYPES[result]
        # One rounding to the result's type, one f32 rounding for each term.
        finite = expected[np.isfinite(expected)].astype(np.float64)
        scale = np.abs(finite).max() if finite.size else 1.0
        tolerance = EPSILON[result] * 2 + EPSILON["f32"] * 8 * case.length
        np.testing.assert_allclose(rounded.astype(np.float64), expected.astype(np.float64),
                                   rtol=tolerance, atol=tolerance * max(scale, 1.0))


def test_program_precision_rounds_to_f16_as_numpy_does(tmp_path):
    """Products and sums of f16 are exact in f32 or rounded like NumPy's."""
    text, inputs, _, _ = build(next(c for c in CASES if c.name == "mul"), "kernel", "f16")
    (rounded,) = run(tmp_path, text, inputs, "program")
    np.testing.assert_array_equal(rounded, inputs[0] * inputs[1])


FUSED = """
func.func @fused(%x: tensor<16x64xf16>, %w: tensor<64x96xf16>) -> tensor<16x96xf16> {
  %o = mgraph_kernel.graph (%a = %x, %b = %w) grid [3, 1, 4] cluster [1, 1, 4]
      : (tensor<16x64xf16>, tensor<64x96xf16>) -> tensor<16x96xf16> {
    %acc, %ss = for %i = 2 -> <16x32xf32>, <16x1xf32> {
      %0 = load %a[%i] imap [-1, -1, 1] fmap 1 : tensor<16x64xf16> -> <16x8xf16>
      %1 = load %b[%i] imap [1, -1, 0] fmap 0 : tensor<64x96xf16> -> <8x32xf16>
      %2 = matmul %0, %1 : (<16x8xf16>, <8x32xf16>) -> <16x32xf32>
      %3 = square %0 : <16x8xf16> -> <16x8xf32>
      yield sum %2, sum(1) %3 : <16x32xf32>, <16x8xf32>
    }
    %r = reduce_blocks sum %acc dim 2 : <16x32xf32>
    %rs = reduce_blocks sum %ss dim 2 : <16x1xf32>
    %n = constant inv_extent 64 : <1x1xf32>
    %m = mul %rs, %n : (<16x1xf32>, <1x1xf32>) -> <16x1xf32>
    %q = rsqrt %m : <16x1xf32> -> <16x1xf32>
    %t = mul %r, %q : (<16x32xf32>, <16x1xf32>) -> <16x32xf32>
    %s = store %t omap [1, -1, -1] : <16x32xf32> -> tensor<16x96xf16>
    yield %s : tensor<16x96xf16>
  }
  return %o : tensor<16x96xf16>
}
"""

ONLINE = """
func.func @online(%x: tensor<16x64xf32>) -> (tensor<16x1xf32>, tensor<16x1xf32>) {
  %o:2 = mgraph_kernel.graph (%a = %x) grid [4, 1, 1]
      : (tensor<16x64xf32>) -> (tensor<16x1xf32>, tensor<16x1xf32>) {
    %mm, %ss = for %i = 4 -> <4x1xf32>, <4x1xf32> {
      %0 = load %a[%i] imap [0, -1, -1] fmap 1 interleaved : tensor<16x64xf32> -> <4x16xf32>
      %1 = running current 0[%i] : <4x1xf32>
      %2 = running previous 0[%i] : <4x1xf32>
      %3 = sub %2, %1 : (<4x1xf32>, <4x1xf32>) -> <4x1xf32>
      %4 = exp %3 : <4x1xf32> -> <4x1xf32>
      %5 = sub %0, %1 : (<4x16xf32>, <4x1xf32>) -> <4x16xf32>
      %6 = exp %5 : <4x16xf32> -> <4x16xf32>
      yield max(1) %0, rescale(%4, 1) %6 : <4x16xf32>, <4x1xf32>, <4x16xf32>
    }
    %s = store %ss omap [0, -1, -1] : <4x1xf32> -> tensor<16x1xf32>
    %t = store %mm omap [0, -1, -1] : <4x1xf32> -> tensor<16x1xf32>
    yield %s, %t : tensor<16x1xf32>, tensor<16x1xf32>
  }
  return %o#0, %o#1 : tensor<16x1xf32>, tensor<16x1xf32>
}
"""


def test_fused_rmsnorm_linear(tmp_path):
    rng = np.random.default_rng(1)
    x, w = rng.standard_normal((16, 64)).astype(np.float16), rng.standard_normal((64, 96)).astype(np.float16)
    expected = norm(x.astype(np.float64), 0, False) @ w.astype(np.float64)
    (exact,) = run(tmp_path, FUSED, [x, w])
    np.testing.assert_allclose(exact, expected, rtol=1e-12, atol=1e-12)
    (rounded,) = run(tmp_path, FUSED, [x, w], "program")
    assert rounded.dtype == np.float16
    np.testing.assert_allclose(rounded, expected, rtol=2 ** -10, atol=1e-4)


def test_online_softmax_statistics(tmp_path):
    x = np.random.default_rng(2).standard_normal((16, 64)).astype(np.float32) * 300  # exp overflows without the max
    total, largest = run(tmp_path, ONLINE, [x])
    exact = x.astype(np.float64)
    np.testing.assert_array_equal(largest, exact.max(1, keepdims=True))
    np.testing.assert_allclose(total, np.exp(exact - exact.max(1, keepdims=True)).sum(1, keepdims=True), rtol=1e-12)


def test_seed_decides_the_inputs(tmp_path):
    def outputs(seed, threads):
        folder = tmp_path / f"{seed}-{threads}"
        folder.mkdir(exist_ok=True)
        return run(folder, FUSED, [], "program", [f"--seed={seed}", f"--threads={threads}"])[0]
    np.testing.assert_array_equal(outputs(1, 1), outputs(1, 3))
    assert (outputs(1, 1) != outputs(2, 2)).any()
