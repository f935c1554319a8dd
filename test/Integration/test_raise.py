"""Programs exported by torch-mlir, raised and interpreted, against NumPy.

Every function of Inputs/ops_*.mlir and Inputs/small_*.mlir runs through
`mirage-run --cpu`, which raises it first. In f64 the result must be the one that
PyTorch documents for the op, computed here in float64; the only roundings left are
those of literals. What is not raised is listed, in docs/raising.md too: a function
that leaves or joins the list fails a test here until the page says so.
"""

from __future__ import annotations

import math
import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

MIRAGE_RUN = os.environ.get("MIRAGE_RUN", "mirage-run")
MIRAGE_OPT = os.environ.get("MIRAGE_OPT", "mirage-opt")
INPUTS = Path(__file__).parent / "Inputs"
PAGE = Path(__file__).parents[2] / "docs" / "raising.md"
# bf16 has no NumPy type: mirage-run reads it from f32.
DTYPES = {"f16": np.float16, "bf16": np.float32, "f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64}


def erf(x):
    return np.vectorize(math.erf, otypes=[np.float64])(x)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def silu(x):
    return x * sigmoid(x)


def gelu(x):
    return x / 2 * (1 + erf(x / math.sqrt(2)))


def gelu_tanh(x):
    return x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def rms_norm(x, eps=0.0):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + eps)


def layer_norm(x, weight, bias, eps=1e-5):
    x = x - x.mean(-1, keepdims=True)
    return rms_norm(x, eps) * weight + bias


def swap(x):
    return np.swapaxes(x, -1, -2)


def sdpa(q, k, v, mask=0.0):
    k, v = (np.repeat(t, q.shape[1] // t.shape[1], axis=1) for t in (k, v))
    return softmax(q @ swap(k) / math.sqrt(q.shape[-1]) + mask) @ v


def causal(q, k):
    keep = np.arange(q.shape[-2])[:, None] >= np.arange(k.shape[-2])
    return np.where(keep, 0.0, -np.inf)


def rotate(x, cos, sin):
    half = x.shape[-1] // 2
    return x * cos + np.concatenate((-x[..., half:], x[..., :half]), -1) * sin


def llama_layer(x, g1, wq, wk, wv, wo, g2, wg, wu, wd, cos, sin):
    def split(t, heads):
        return t.reshape(*x.shape[:2], heads, -1).transpose(0, 2, 1, 3)

    n = rms_norm(x, 1e-5) * g1
    q, k, v = split(n @ wq.T, 4), split(n @ wk.T, 2), split(n @ wv.T, 2)
    y = sdpa(rotate(q, cos, sin), rotate(k, cos, sin), v)
    x = x + y.transpose(0, 2, 1, 3).reshape(x.shape) @ wo.T
    n = rms_norm(x, 1e-5) * g2
    return x + (silu(n @ wg.T) * (n @ wu.T)) @ wd.T


UNARY = {
    "exp": np.exp,
    "exp2": np.exp2,
    "log": np.log,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "square": np.square,
    "abs": np.abs,
    "neg": np.negative,
    "reciprocal": np.reciprocal,
    "tanh": np.tanh,
    "sigmoid": sigmoid,
    "erf": erf,
    "sign": np.sign,
    "relu": lambda x: np.maximum(x, 0),
    "silu": silu,
    "gelu": gelu,
    "relu6": lambda x: np.clip(x, 0, 6),
    "leaky_relu": lambda x: np.where(x > 0, x, 0.01 * x),
    "hardswish": lambda x: x * np.clip(x + 3, 0, 6) / 6,
    "elu": lambda x: np.where(x > 0, x, np.expm1(x)),
    "gelu_tanh": gelu_tanh,
    "clamp": lambda x: np.clip(x, -1, 2),
    "clamp_min": lambda x: np.maximum(x, 0),
    "to_f32": lambda x: x,
    "to_bf16": lambda x: x,
    "to_f16": lambda x: x,
    "add_scalar": lambda x: x + 1.5,
    "sub_scalar": lambda x: x - 0.5,
    "rsub_scalar": lambda x: 2 - x,
    "mul_scalar": lambda x: x * 2,
    "div_scalar": lambda x: x / 3,
    "rdiv_scalar": lambda x: 1 / x,
    "pow_2": lambda x: x**2,
    "pow_3": lambda x: x**3,
    "pow_half": lambda x: x**0.5,
    "pow_minus_half": lambda x: x**-0.5,
    "gt_scalar": lambda x: x > 0,
    "ge_scalar": lambda x: x >= 0,
    "masked_fill": lambda x: np.where(x > 0, -np.inf, x),
}
BINARY = {
    "add": lambda x, y, r, c: x + y,
    "sub": lambda x, y, r, c: x - y,
    "mul": lambda x, y, r, c: x * y,
    "div": lambda x, y, r, c: x / y,
    "pow": lambda x, y, r, c: x**y,
    "maximum": lambda x, y, r, c: np.maximum(x, y),
    "minimum": lambda x, y, r, c: np.minimum(x, y),
    "add_alpha": lambda x, y, r, c: x + 2 * y,
    "add_row": lambda x, y, r, c: x + r,
    "mul_col": lambda x, y, r, c: x * c,
    "row_col": lambda x, y, r, c: r + c,
    "gt": lambda x, y, r, c: x > y,
    "eq": lambda x, y, r, c: x == y,
    "where": lambda x, y, r, c: np.where(x > 0, x, y),
    "mixed": lambda x, y, r, c: x * r,
    "addcmul": lambda x, y, r, c: x + y * r,
    "lerp": lambda x, y, r, c: x + 0.3 * (y - x),
}
REDUCE = {
    "sum": lambda x: x.sum(-1),
    "sum_keep": lambda x: x.sum(-1, keepdims=True),
    "sum_0": lambda x: x.sum(0),
    "sum_all": lambda x: x.sum(),
    "sum_wide": lambda x: x.sum(-1),
    "mean": lambda x: x.mean(-1),
    "mean_0": lambda x: x.mean(0),
    "amax": lambda x: x.max(-1),
    "amax_keep": lambda x: x.max(-1, keepdims=True),
    "max": lambda x: x.max(-1),
    "amin": lambda x: x.min(-1),
    "var": lambda x: x.var(-1, ddof=1),
    "var_biased": lambda x: x.var(-1),
    "norm": lambda x: np.linalg.norm(x, axis=-1),
    "logsumexp": lambda x: np.log(np.exp(x).sum(-1)),
    "log_softmax": lambda x: np.log(softmax(x)),
    "softmax_0": lambda x: softmax(x, 0),
}
SHAPE = {
    "t": lambda x, t, i: x.T,
    "permute": lambda x, t, i: x.reshape(2, 2, 32).transpose(1, 0, 2),
    "split_dim": lambda x, t, i: x.reshape(4, 4, 8),
    "merge_dims": lambda x, t, i: x.reshape(2, 64),
    "reshape_across": lambda x, t, i: x.reshape(8, 16),
    "reshape_odd": lambda x, t, i: t.reshape(6, 16),
    "flatten": lambda x, t, i: x.flatten(),
    "unsqueeze": lambda x, t, i: x[:, None],
    "squeeze": lambda x, t, i: x,
    "expand": lambda x, t, i: np.repeat(x[:, None], 3, 1),
    "expand_merge": lambda x, t, i: np.repeat(x, 3, 0),
    "repeat": lambda x, t, i: np.tile(x, (2, 1)),
    "repeat_interleave": lambda x, t, i: np.repeat(x, 2, 0),
    "slice": lambda x, t, i: x[:, :8],
    "slice_step": lambda x, t, i: x[::2],
    "select": lambda x, t, i: x[1],
    "cat": lambda x, t, i: np.concatenate((x, t)),
    "stack": lambda x, t, i: np.stack((x, x)),
    "chunk": lambda x, t, i: np.split(x, 2, -1),
    "split": lambda x, t, i: np.split(x, [8], -1),
    "pad": lambda x, t, i: np.pad(x, ((0, 0), (0, 3))),
    "roll": lambda x, t, i: np.roll(x, 1, -1),
    "arange": lambda x, t, i: np.arange(32),
    "ones_like": lambda x, t, i: np.ones_like(x),
    "full": lambda x, t, i: np.full(4, 2.0),
    "tril": lambda x, t, i: np.tril(x),
    "causal_mask": lambda x, t, i: np.arange(4)[:, None] >= np.arange(32),
}
PRODUCT = {
    "matmul": lambda x, y, a, b, v: x @ y,
    "mm_transposed_lhs": lambda x, y, a, b, v: y.T @ y,
    "mm_transposed_rhs": lambda x, y, a, b, v: x @ y.T,
    "bmm": lambda x, y, a, b, v: a @ b,
    "bmm_transposed": lambda x, y, a, b, v: a @ swap(b),
    "batch_by_matrix": lambda x, y, a, b, v: a @ y,
    "matrix_by_batch": lambda x, y, a, b, v: x @ b,
    "rank_4": lambda x, y, a, b, v: a[:, None] @ b[:, None],
    "rank_4_broadcast": lambda x, y, a, b, v: a[:, None] @ b[None],
    "linear": lambda x, y, a, b, v: x @ y.T,
    "linear_bias": lambda x, y, a, b, v: x @ y.T + v,
    "linear_rank_3": lambda x, y, a, b, v: a @ y.T,
    "linear_rank_3_bias": lambda x, y, a, b, v: a @ y.T + v,
    "addmm": lambda x, y, a, b, v: x @ y + v,
    "baddbmm": lambda x, y, a, b, v: a + a @ b,
    "matvec": lambda x, y, a, b, v: x @ v,
    "vecmat": lambda x, y, a, b, v: v @ y,
    "dot": lambda x, y, a, b, v: v @ v,
    "outer": lambda x, y, a, b, v: np.outer(v, v),
    "einsum": lambda x, y, a, b, v: x @ y,
    "einsum_batch": lambda x, y, a, b, v: a @ b,
}
SMALL = {
    "small_rmsnorm_linear": lambda x, w: rms_norm(x) @ w,
    "small_rmsnorm_linear_weight": lambda x, g, w: (rms_norm(x, 1e-5) * g) @ w,
    "small_gated_mlp": lambda x, a, b: silu(x @ a) * (x @ b),
    "small_layernorm_linear": lambda x, g, b, w: layer_norm(x, g, b) @ w,
    "small_linear_bias": lambda x, w, b: x @ w.T + b,
    "small_bias_gelu_erf": lambda x, w, b: gelu(x @ w + b),
    "small_bias_gelu_tanh": lambda x, w, b: gelu_tanh(x @ w + b),
    "small_attention": lambda q, k, v: softmax(q @ k) @ v,
    "small_attention_scaled": sdpa,
    "small_attention_causal": lambda q, k, v: sdpa(q, k, v, causal(q, k)),
    "small_attention_qknorm": lambda q, k, v: softmax(rms_norm(q) @ swap(rms_norm(swap(k)))) @ v,
    "small_sdpa": sdpa,
    "small_sdpa_causal": lambda q, k, v: sdpa(q, k, v, causal(q, k)),
    "small_sdpa_mask": sdpa,
    "small_sdpa_gqa": sdpa,
    "small_llama_layer": llama_layer,
}
FILES = {
    "ops_unary": UNARY,
    "ops_unary_f32": UNARY,
    "ops_binary": BINARY,
    "ops_reduce": REDUCE,
    "ops_reduce_core": REDUCE,
    "ops_shape": SHAPE,
    "ops_product": PRODUCT,
    "ops_product_core": PRODUCT,
}
# What these compute is defined for positive numbers only.
POSITIVE = {"log", "sqrt", "rsqrt", "pow", "pow_half", "pow_minus_half"}


def functions(path):
    """The functions of a file with their text, split as mirage-opt would."""
    for part in path.read_text().split("\n// -----\n"):
        if found := re.search(r"func\.func @(\w+)", part):
            yield found[1], part


def raise_program(text):
    """The raised text, and the remarks about what stays."""
    command = [MIRAGE_OPT, "--convert-linalg-to-mgraph-kernel"]
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout, re.findall(r"remark: not raised to mgraph_kernel: .*", done.stderr)


def state(text):
    """Whether `text` is raised whole, partly or not at all."""
    raised, remarks = raise_program(text)
    body = raised.split("{", 2)[2]
    names = set(re.findall(r"^\s*(?:%[\w:, ]+ = )?([a-z_]+)\.", body, re.MULTILINE))
    if not names - {"mgraph_kernel"}:
        assert not remarks
        return "whole"
    assert remarks or names == {"arith"}, "an op stays without a remark"
    return "partly" if "mgraph_kernel" in names else "not"


CASES = [
    (path.stem, name, text)
    for path in sorted(INPUTS.glob("*.mlir"))
    if path.stem.startswith(("ops_", "small_"))
    for name, text in functions(path)
]


def reference(stem, name):
    if stem.startswith("small_"):
        return SMALL[stem.removesuffix("_core")]
    return FILES[stem].get(name)


def run(tmp_path, text, inputs, precision):
    source = tmp_path / "in.mlir"
    source.write_text(text)
    command = [MIRAGE_RUN, "--cpu", str(source), f"--precision={precision}", f"--output-dir={tmp_path}"]
    for i, value in enumerate(inputs):
        np.save(tmp_path / f"in_{i}.npy", value)
        command.append(f"--input={tmp_path}/in_{i}.npy")
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [np.load(path) for path in sorted(tmp_path.glob("output_*.npy"))]


def random_inputs(text, name):
    rng = np.random.default_rng(1)
    arguments = re.search(r"func\.func @\w+\((.*?)\) ->", text)[1]
    inputs = []
    for shape, dtype in re.findall(r"tensor<((?:\d+x)*)(\w+)>", arguments):
        shape = [int(n) for n in shape.split("x")[:-1]]
        if dtype.startswith("i"):
            inputs.append(rng.integers(0, 3, shape, DTYPES[dtype]))
            continue
        value = rng.standard_normal(shape)
        inputs.append((np.abs(value) + 0.25 if name in POSITIVE else value).astype(DTYPES[dtype]))
    return inputs


@pytest.mark.parametrize("stem, name, text", CASES, ids=[f"{stem}-{name}" for stem, name, _ in CASES])
def test_value(tmp_path, stem, name, text):
    expected = reference(stem, name)
    if expected is None:
        assert state(text) != "whole", "raised whole, so it needs a reference here"
        return
    inputs = random_inputs(text, name)
    wide = [x.astype(np.float64) if x.dtype.kind == "f" else x for x in inputs]
    expected = expected(*wide)
    expected = expected if isinstance(expected, list) else [expected]
    # Literals of an f16 program are f16: 0.3 is off by 2^-12, and gelu_tanh's
    # constant in torch-mlir's f32 text by 2e-4.
    tolerance = 3e-4 if "tanh" in name or name in ("lerp", "leaky_relu", "sdpa_mask") else 1e-6
    for got, want in zip(run(tmp_path, text, inputs, "f64"), expected, strict=True):
        assert got.shape == np.shape(want)
        np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("stem, name, text", [c for c in CASES if c[0].startswith("small_")], ids=lambda c: c[:40])
def test_value_in_own_precision(tmp_path, stem, name, text):
    inputs = random_inputs(text, name)
    want = reference(stem, name)(*(x.astype(np.float64) for x in inputs))
    got = run(tmp_path, text, inputs, "program")[0].astype(np.float64)
    # A dozen roundings to f16 on the way, of values as large as the largest.
    assert np.abs(got - want).max() <= 12 * 2.0**-11 * np.abs(want).max()


def table_of_the_page():
    """The rows `| file | function | state |` of docs/raising.md."""
    rows = re.findall(r"^\| `(\w+)` \| (?:`(\w+)` )?\| (partly|not) \|", PAGE.read_text(), re.MULTILINE)
    return {(file, function or file): state for file, function, state in rows}


def test_page_lists_what_is_not_raised_whole():
    found = {}
    for path in sorted(INPUTS.glob("*.mlir")):
        for name, text in functions(path):
            if (kind := state(text)) != "whole":
                found[path.stem, name] = kind
    assert found == table_of_the_page()
    count = sum(1 for path in INPUTS.glob("*.mlir") for _ in functions(path))
    assert f"Of the {count} functions" in PAGE.read_text()
