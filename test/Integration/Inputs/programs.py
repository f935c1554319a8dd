"""The PyTorch programs that generate.py exports, as functions of their weights."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

F16, BF16, F32, F64 = torch.float16, torch.bfloat16, torch.float32, torch.float64
I32, I64 = torch.int32, torch.int64


@dataclass(frozen=True)
class Program:
    """One function, the shape and type of each input, and how to export it."""

    name: str
    summary: str
    run: Callable[..., object] | dict[str, Callable[..., object]]
    inputs: list[tuple[tuple[int, ...], torch.dtype]]
    dynamic: list[dict[int, object] | None] = field(default_factory=list)
    core: bool = False  # PyTorch's core decompositions in place of torch-mlir's table.


def _typed(dtype: torch.dtype, *shapes: tuple[int, ...]) -> list[tuple[tuple[int, ...], torch.dtype]]:
    return [(shape, dtype) for shape in shapes]


def _norm(x: Tensor, g: Tensor | None = None, eps: float | None = None) -> Tensor:
    return F.rms_norm(x, (x.shape[-1],), g, eps)


def _hf_norm(x: Tensor, g: Tensor, eps: float = 1e-5) -> Tensor:
    # LlamaRMSNorm of Hugging Face transformers: statistics in f32.
    wide = x.to(torch.float32)
    wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + eps)
    return g * wide.to(x.dtype)


def _rmsnorm_linear(x, w):
    return _norm(x) @ w


def _gated_mlp(x, w1, w2):
    return F.silu(x @ w1) * (x @ w2)


def _attention(q, k, v):
    return torch.softmax(q @ k, dim=-1) @ v


def _scaled_attention(q, k, v):
    # K is (heads, context, head dim), as models keep it; softmax in f32.
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    return torch.softmax(scores, dim=-1, dtype=torch.float32).to(q.dtype) @ v


def _causal_attention(q, k, v):
    scores = q @ k.transpose(-1, -2) * (1.0 / math.sqrt(q.shape[-1]))
    keep = torch.arange(q.shape[-2])[:, None] >= torch.arange(k.shape[-2])[None]
    return torch.softmax(scores.masked_fill(~keep, float("-inf")), dim=-1) @ v


def _qknorm_attention(q, k, v):
    k = _norm(k.transpose(-1, -2)).transpose(-1, -2)
    return torch.softmax(_norm(q) @ k, dim=-1) @ v


def _sdpa(q, k, v, mask=None):
    return F.scaled_dot_product_attention(q, k, v, mask)


def _repeat_kv(x: Tensor, groups: int) -> Tensor:
    batch, heads, rows, dim = x.shape
    return x[:, :, None].expand(batch, heads, groups, rows, dim).reshape(batch, heads * groups, rows, dim)


def _rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    half = x.shape[-1] // 2
    return x * cos + torch.cat((-x[..., half:], x[..., :half]), dim=-1) * sin


def _layer(heads: int, kv_heads: int, rotary: bool) -> Callable[..., Tensor]:
    def run(x, g1, wq, wk, wv, wo, g2, wg, wu, wd, *angles):
        batch, rows, width = x.shape
        dim = width // heads
        n = _hf_norm(x, g1)
        split = lambda t, h: t.view(batch, rows, h, dim).transpose(1, 2)
        q, k, v = split(F.linear(n, wq), heads), split(F.linear(n, wk), kv_heads), split(F.linear(n, wv), kv_heads)
        if rotary:
            q, k = _rotate(q, *angles), _rotate(k, *angles)
        k, v = _repeat_kv(k, heads // kv_heads), _repeat_kv(v, heads // kv_heads)
        y = _scaled_attention(q, k, v).transpose(1, 2).reshape(batch, rows, width)
        x = x + F.linear(y, wo)
        n = _hf_norm(x, g2)
        return x + F.linear(F.silu(F.linear(n, wg)) * F.linear(n, wu), wd)

    return run


def _layer_inputs(rows: int, width: int, kv_width: int, hidden: int) -> list:
    shapes = [(1, rows, width), (width,), (width, width), (kv_width, width), (kv_width, width), (width, width)]
    return _typed(F16, *shapes, (width,), (hidden, width), (hidden, width), (width, hidden))


def _ntrans(h, x, alpha):
    return _norm(x + alpha * (_norm(h) - x))


# The ops below are exported one by one: a file holds one function for each.
_UNARY: dict[str, Callable[..., object]] = {
    op.__name__: op
    for op in (
        torch.exp,
        torch.exp2,
        torch.log,
        torch.log1p,
        torch.sqrt,
        torch.rsqrt,
        torch.square,
        torch.abs,
        torch.neg,
        torch.reciprocal,
        torch.tanh,
        torch.sigmoid,
        torch.erf,
        torch.sin,
        torch.cos,
        torch.floor,
        torch.sign,
        F.relu,
        F.silu,
        F.gelu,
        F.softplus,
        F.relu6,
        F.leaky_relu,
        F.hardswish,
        F.mish,
        F.elu,
    )
} | {
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "clamp": lambda x: x.clamp(-1, 2),
    "clamp_min": lambda x: x.clamp(min=0),
    "to_f32": lambda x: x.float(),
    "to_bf16": lambda x: x.bfloat16(),
    "to_f16": lambda x: x.half(),
    "to_i32": lambda x: x.int(),
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
    "masked_fill": lambda x: x.masked_fill(x > 0, float("-inf")),
}

_BINARY: dict[str, Callable[..., object]] = {
    "add": lambda x, y, r, c: x + y,
    "sub": lambda x, y, r, c: x - y,
    "mul": lambda x, y, r, c: x * y,
    "div": lambda x, y, r, c: x / y,
    "pow": lambda x, y, r, c: x**y,
    "maximum": lambda x, y, r, c: torch.maximum(x, y),
    "minimum": lambda x, y, r, c: torch.minimum(x, y),
    "add_alpha": lambda x, y, r, c: x.add(y, alpha=2),
    "add_row": lambda x, y, r, c: x + r,
    "mul_col": lambda x, y, r, c: x * c,
    "row_col": lambda x, y, r, c: r + c,
    "gt": lambda x, y, r, c: x > y,
    "eq": lambda x, y, r, c: x == y,
    "where": lambda x, y, r, c: torch.where(x > 0, x, y),
    "mixed": lambda x, y, r, c: x.float() * r,
    "addcmul": lambda x, y, r, c: torch.addcmul(x, y, r),
    "lerp": lambda x, y, r, c: torch.lerp(x, y, 0.3),
}

_REDUCE: dict[str, Callable[..., object]] = {
    "sum": lambda x: x.sum(-1),
    "sum_keep": lambda x: x.sum(-1, keepdim=True),
    "sum_0": lambda x: x.sum(0),
    "sum_all": lambda x: x.sum(),
    "sum_wide": lambda x: x.sum(-1, dtype=F32),
    "mean": lambda x: x.mean(-1),
    "mean_0": lambda x: x.mean(0),
    "amax": lambda x: x.amax(-1),
    "amax_keep": lambda x: x.amax(-1, keepdim=True),
    "max": lambda x: x.max(-1).values,
    "amin": lambda x: x.amin(-1),
    "var": lambda x: x.var(-1),
    "var_biased": lambda x: x.var(-1, correction=0),
    "norm": lambda x: x.norm(dim=-1),
    "argmax": lambda x: x.argmax(-1),
    "logsumexp": lambda x: x.logsumexp(-1),
    "log_softmax": lambda x: x.log_softmax(-1),
    "softmax_0": lambda x: x.softmax(0),
    "prod": lambda x: x.prod(-1),
}

_SHAPE: dict[str, Callable[..., object]] = {
    "t": lambda x, t, i: x.t(),
    "permute": lambda x, t, i: x.reshape(2, 2, 32).permute(1, 0, 2),
    "split_dim": lambda x, t, i: x.reshape(4, 4, 8),
    "merge_dims": lambda x, t, i: x.reshape(2, 2, 32).reshape(2, 64),
    "reshape_across": lambda x, t, i: x.reshape(8, 16),
    "reshape_odd": lambda x, t, i: t.reshape(3, 4, 8).reshape(3, 2, 16).reshape(6, 16),
    "flatten": lambda x, t, i: x.flatten(),
    "unsqueeze": lambda x, t, i: x.unsqueeze(1),
    "squeeze": lambda x, t, i: x[:, None].squeeze(1),
    "expand": lambda x, t, i: x[:, None].expand(4, 3, 32),
    "expand_merge": lambda x, t, i: x[:, None].expand(4, 3, 32).reshape(12, 32),
    "repeat": lambda x, t, i: x.repeat(2, 1),
    "repeat_interleave": lambda x, t, i: x.repeat_interleave(2, 0),
    "slice": lambda x, t, i: x[:, :8],
    "slice_step": lambda x, t, i: x[::2],
    "select": lambda x, t, i: x[1],
    "cat": lambda x, t, i: torch.cat((x, t), 0),
    "stack": lambda x, t, i: torch.stack((x, x)),
    "chunk": lambda x, t, i: x.chunk(2, -1),
    "split": lambda x, t, i: x.split([8, 24], -1),
    "pad": lambda x, t, i: F.pad(x, (0, 3)),
    "flip": lambda x, t, i: x.flip(0),
    "roll": lambda x, t, i: x.roll(1, -1),
    "index": lambda x, t, i: t[i],
    "embedding": lambda x, t, i: F.embedding(i, t),
    "index_select": lambda x, t, i: t.index_select(0, i),
    "gather": lambda x, t, i: x.gather(1, i[:, None].expand(4, 2)),
    "arange": lambda x, t, i: torch.arange(32),
    "ones_like": lambda x, t, i: torch.ones_like(x),
    "full": lambda x, t, i: torch.full((4,), 2.0),
    "tril": lambda x, t, i: x.tril(),
    "causal_mask": lambda x, t, i: torch.arange(4)[:, None] >= torch.arange(32)[None],
}

_PRODUCT: dict[str, Callable[..., object]] = {
    "matmul": lambda x, y, a, b, v: x @ y,
    "mm_transposed_lhs": lambda x, y, a, b, v: y.t() @ y,
    "mm_transposed_rhs": lambda x, y, a, b, v: x @ y.t(),
    "bmm": lambda x, y, a, b, v: torch.bmm(a, b),
    "bmm_transposed": lambda x, y, a, b, v: a @ b.transpose(-1, -2),
    "batch_by_matrix": lambda x, y, a, b, v: a @ y,
    "matrix_by_batch": lambda x, y, a, b, v: x @ b,
    "rank_4": lambda x, y, a, b, v: a[:, None] @ b[:, None],
    "rank_4_broadcast": lambda x, y, a, b, v: a[:, None] @ b[None],
    "linear": lambda x, y, a, b, v: F.linear(x, y),
    "linear_bias": lambda x, y, a, b, v: F.linear(x, y, v),
    "linear_rank_3": lambda x, y, a, b, v: F.linear(a, y),
    "linear_rank_3_bias": lambda x, y, a, b, v: F.linear(a, y, v),
    "addmm": lambda x, y, a, b, v: torch.addmm(v, x, y),
    "baddbmm": lambda x, y, a, b, v: torch.baddbmm(a, a, b),
    "matvec": lambda x, y, a, b, v: x @ v,
    "vecmat": lambda x, y, a, b, v: v @ y,
    "dot": lambda x, y, a, b, v: v @ v,
    "outer": lambda x, y, a, b, v: torch.outer(v, v),
    "einsum": lambda x, y, a, b, v: torch.einsum("mk,kn->mn", x, y),
    "einsum_batch": lambda x, y, a, b, v: torch.einsum("bmk,bkn->bmn", a, b),
}


def _linear_norms() -> list[Program]:
    programs = []
    for rows in (2, 16, 32):
        inputs = _typed(F16, (rows, 4096), (4096, 6144))
        programs.append(
            Program(f"rmsnorm_linear_{rows}", "rms_norm(x) @ w, no epsilon given.", _rmsnorm_linear, inputs)
        )
    for rows in (8, 64, 128):
        inputs = _typed(F16, (rows, 4096), (4096, 4096), (4096, 4096))
        programs.append(Program(f"gated_mlp_{rows}", "silu(x @ w1) * (x @ w2).", _gated_mlp, inputs))
    return programs


def _variants() -> list[Program]:
    eps = lambda x, w: _norm(x, eps=1e-5) @ w
    weighted = lambda x, g, w: _norm(x, g, 1e-5) @ w
    hf = lambda x, g, w: _hf_norm(x, g) @ w
    residual = lambda x, r, g, w: _norm(x + r, g, 1e-5) @ w
    residual_kept = lambda x, r, g, w: (x + r, _norm(x + r, g, 1e-5) @ w)
    layer_norm = lambda x, g, b, w: F.layer_norm(x, (x.shape[-1],), g, b, 1e-5) @ w
    gelu = lambda kind: lambda x, w, b: F.gelu(x @ w + b, approximate=kind)
    return [
        Program(
            "rmsnorm_linear_bf16",
            "The same in bf16, another width.",
            _rmsnorm_linear,
            _typed(BF16, (16, 2560), (2560, 11008)),
        ),
        Program(
            "rmsnorm_linear_narrow",
            "The same in f16, another width.",
            _rmsnorm_linear,
            _typed(F16, (16, 1536), (1536, 2048)),
        ),
        Program("rmsnorm_linear_f32", "The same in f32.", _rmsnorm_linear, _typed(F32, (16, 1536), (1536, 2048))),
        Program(
            "gated_mlp_bf16",
            "The same in bf16, another width.",
            _gated_mlp,
            _typed(BF16, (8, 2560), (2560, 11008), (2560, 11008)),
        ),
        Program(
            "gated_mlp_narrow",
            "The same in f16, another width.",
            _gated_mlp,
            _typed(F16, (8, 1536), (1536, 8960), (1536, 8960)),
        ),
        Program("rmsnorm_linear_eps", "rms_norm with epsilon 1e-5.", eps, _typed(F16, (16, 4096), (4096, 6144))),
        Program(
            "rmsnorm_linear_weight",
            "rms_norm with a weight vector.",
            weighted,
            _typed(F16, (16, 4096), (4096,), (4096, 6144)),
        ),
        Program(
            "rmsnorm_linear_weight_bf16",
            "rms_norm with a weight vector, bf16.",
            weighted,
            _typed(BF16, (16, 2560), (2560,), (2560, 11008)),
        ),
        Program(
            "llama_rmsnorm_linear",
            "RMSNorm with statistics in f32, as Hugging Face writes it.",
            hf,
            _typed(F16, (16, 4096), (4096,), (4096, 6144)),
        ),
        Program(
            "residual_norm_linear",
            "rms_norm(x + r) @ w.",
            residual,
            _typed(F16, (16, 4096), (16, 4096), (4096,), (4096, 6144)),
        ),
        Program(
            "residual_norm_linear_2",
            "The same, and x + r is a result.",
            residual_kept,
            _typed(F16, (16, 4096), (16, 4096), (4096,), (4096, 6144)),
        ),
        Program(
            "layernorm_linear",
            "layer_norm with weight and bias.",
            layer_norm,
            _typed(F16, (16, 4096), (4096,), (4096,), (4096, 6144)),
        ),
        Program(
            "linear_bias_gelu_tanh",
            "gelu(x @ w + b), tanh form.",
            gelu("tanh"),
            _typed(F16, (16, 1024), (1024, 4096), (4096,)),
        ),
        Program(
            "linear_bias_gelu_erf",
            "gelu(x @ w + b), erf form.",
            gelu("none"),
            _typed(F16, (16, 1024), (1024, 4096), (4096,)),
        ),
        Program(
            "linear_transposed", "F.linear: weight stored (out, in).", F.linear, _typed(F16, (16, 4096), (6144, 4096))
        ),
        Program(
            "linear_transposed_bias", "F.linear with bias.", F.linear, _typed(F16, (16, 4096), (6144, 4096), (6144,))
        ),
        Program(
            "lora",
            "x @ w + (x @ a) @ b.",
            lambda x, w, a, b: x @ w + (x @ a) @ b,
            _typed(F16, (16, 256), (256, 4096), (256, 16), (16, 4096)),
        ),
        Program(
            "relu2_mlp",
            "relu(x @ w1)^2 @ w2.",
            lambda x, w, v: F.relu(x @ w).square() @ v,
            _typed(F16, (16, 3072), (3072, 9216), (9216, 3072)),
        ),
        Program(
            "swiglu",
            "The whole SwiGLU MLP.",
            lambda x, a, b, c: _gated_mlp(x, a, b) @ c,
            _typed(F16, (1, 4096), (4096, 14336), (4096, 14336), (14336, 4096)),
        ),
        Program("softmax", "softmax over the last dim.", lambda x: torch.softmax(x, -1), _typed(F16, (64, 4096))),
        Program("ntrans", "norm(x + alpha * (norm(h) - x)).", _ntrans, _typed(F16, (8, 4096), (8, 4096), (8, 4096))),
    ]


def _attentions() -> list[Program]:
    gqa = _typed(F16, (2, 256, 64), (2, 64, 4096), (2, 4096, 64))
    rows = _typed(F16, (1, 8, 64, 128), (1, 8, 1024, 128), (1, 8, 1024, 128))
    layer = _layer_inputs(16, 1024, 256, 2816)
    causal = lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True)
    grouped = lambda q, k, v: F.scaled_dot_product_attention(q, k, v, enable_gqa=True)
    return [
        Program("attention", "softmax(q @ k) @ v, K stored (dim, context).", _attention, gqa),
        Program(
            "attention_mha",
            "The same, 32 heads of 16 rows.",
            _attention,
            _typed(F16, (32, 16, 64), (32, 64, 4096), (32, 4096, 64)),
        ),
        Program(
            "attention_scaled", "Rank 4, scaled, K stored (context, dim), softmax in f32.", _scaled_attention, rows
        ),
        Program("attention_causal", "With a causal mask.", _causal_attention, rows),
        Program("attention_qknorm", "rms_norm of q and k first.", _qknorm_attention, gqa),
        Program("attention_sdpa", "scaled_dot_product_attention.", _sdpa, rows),
        Program("attention_sdpa_causal", "With is_causal.", causal, rows),
        Program("attention_sdpa_mask", "With an additive mask.", _sdpa, rows + _typed(F16, (64, 1024))),
        Program(
            "attention_sdpa_gqa",
            "With enable_gqa.",
            grouped,
            _typed(F16, (1, 8, 64, 128), (1, 2, 1024, 128), (1, 2, 1024, 128)),
        ),
        Program("llama_layer", "A Llama decoder layer without rotary embedding.", _layer(8, 2, False), layer),
        Program(
            "llama_layer_rotary",
            "The same with rotary embedding.",
            _layer(8, 2, True),
            layer + _typed(F16, (16, 128), (16, 128)),
        ),
    ]


def _odd() -> list[Program]:
    batch = torch.export.Dim("batch", min=2, max=4096)
    integer = lambda x, y: x * y + 1
    return [
        Program(
            "elementwise",
            "No product: nothing worth a search.",
            lambda x, y: F.silu(x) * y + x,
            _typed(F16, (64, 4096), (64, 4096)),
        ),
        Program(
            "dynamic_rows",
            "A dynamic number of rows.",
            _rmsnorm_linear,
            _typed(F16, (16, 4096), (4096, 6144)),
            [{0: batch}, None],
        ),
        Program("integer", "Integers.", integer, _typed(I32, (64, 64), (64, 64))),
        Program("integer_matmul", "A product of integers.", lambda x, y: x @ y, _typed(I32, (64, 64), (64, 64))),
        Program("double", "f64.", _rmsnorm_linear, _typed(F64, (16, 256), (256, 256))),
        Program("scalar_result", "A result of rank 0.", lambda x: x.sum(), _typed(F16, (64, 64))),
        Program("identity", "An argument returned as it is.", lambda x: x, _typed(F16, (64, 64))),
        Program("ops_unary", "Unary ops.", _UNARY, _typed(F16, (4, 32))),
        Program("ops_unary_f32", "Unary ops in f32.", _UNARY, _typed(F32, (4, 32))),
        Program("ops_binary", "Binary ops.", _BINARY, _typed(F16, (4, 32), (4, 32), (32,), (4, 1))),
        Program("ops_reduce", "Reductions.", _REDUCE, _typed(F16, (4, 32))),
        Program("ops_shape", "Changes of shape.", _SHAPE, [((4, 32), F16), ((3, 32), F16), ((4,), I64)]),
        Program("ops_product", "Products.", _PRODUCT, _typed(F16, (16, 32), (32, 32), (2, 16, 32), (2, 32, 32), (32,))),
    ]


def _small() -> list[Program]:
    """The same kinds at sizes that an interpreter runs in no time."""
    weighted = lambda x, g, w: _norm(x, g, 1e-5) @ w
    layer_norm = lambda x, g, b, w: F.layer_norm(x, (x.shape[-1],), g, b, 1e-5) @ w
    gelu = lambda kind: lambda x, w, b: F.gelu(x @ w + b, approximate=kind)
    causal = lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True)
    grouped = lambda q, k, v: F.scaled_dot_product_attention(q, k, v, enable_gqa=True)
    gqa = _typed(F16, (2, 4, 16), (2, 16, 24), (2, 24, 16))
    rows = _typed(F16, (1, 2, 6, 16), (1, 2, 10, 16), (1, 2, 10, 16))
    norm = _typed(F16, (4, 48), (48, 20))
    affine = _typed(F16, (4, 48), (48,), (48,), (48, 20))
    bias = _typed(F16, (4, 24), (24, 20), (20,))
    programs = {
        "rmsnorm_linear": (_rmsnorm_linear, norm),
        "rmsnorm_linear_weight": (weighted, [affine[0], affine[1], affine[3]]),
        "gated_mlp": (_gated_mlp, _typed(F16, (4, 24), (24, 20), (24, 20))),
        "layernorm_linear": (layer_norm, affine),
        "linear_bias": (F.linear, _typed(F16, (4, 24), (20, 24), (20,))),
        "bias_gelu_erf": (gelu("none"), bias),
        "bias_gelu_tanh": (gelu("tanh"), bias),
        "attention": (_attention, gqa),
        "attention_scaled": (_scaled_attention, rows),
        "attention_causal": (_causal_attention, rows),
        "attention_qknorm": (_qknorm_attention, gqa),
        "sdpa": (_sdpa, rows),
        "sdpa_causal": (causal, rows),
        "sdpa_mask": (_sdpa, rows + _typed(F16, (6, 10))),
        "sdpa_gqa": (grouped, _typed(F16, (1, 4, 6, 16), (1, 2, 10, 16), (1, 2, 10, 16))),
        "llama_layer": (_layer(4, 2, True), _layer_inputs(4, 32, 16, 40) + _typed(F16, (4, 8), (4, 8))),
    }
    return [
        Program(f"small_{name}", "Small, for the interpreter.", run, inputs)
        for name, (run, inputs) in programs.items()
    ]


# Where the two tables of decompositions give different text.
_CORE = (
    "rmsnorm_linear_16",
    "rmsnorm_linear_bf16",
    "rmsnorm_linear_weight",
    "layernorm_linear",
    "linear_transposed_bias",
    "attention_qknorm",
    "attention_sdpa",
    "ops_reduce",
    "ops_product",
    "small_rmsnorm_linear",
    "small_rmsnorm_linear_weight",
    "small_layernorm_linear",
    "small_linear_bias",
    "small_attention_qknorm",
    "small_sdpa",
)
_BASE = _linear_norms() + _variants() + _attentions() + _odd() + _small()
PROGRAMS = _BASE + [replace(p, name=f"{p.name}_core", core=True) for p in _BASE if p.name in _CORE]
