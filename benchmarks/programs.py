"""The programs that kernels are checked against and timed beside, in PyTorch.

`run(eps, *inputs)` is what a user would write; on float64 copies of the inputs
it is also the reference. `eps` is the norms' epsilon; None leaves PyTorch's
default, which differs between PyTorch's own versions (the epsilon of f16 or
that of f32): see `default_epsilon`.
"""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Callable

import torch
import torch.nn.functional as F

DTYPES = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64,
          "i1": torch.bool, "i32": torch.int32, "i64": torch.int64}


@dataclass(frozen=True)
class Program:
    run: Callable
    rows_per_batch: int = 1  # rows of the first input at batch size 1, for the label only
    uses_norm: bool = False


def _norm(x, eps, weight=None):
    return F.rms_norm(x, (x.shape[-1],), weight, eps)


def _rmsnorm_linear(eps, x, w):
    return _norm(x, eps) @ w


def _rmsnorm_weight_linear(eps, x, g, w):
    return _norm(x, eps, g) @ w


def _layernorm_linear(eps, x, w):
    return F.layer_norm(x, (x.shape[-1],), eps=1e-5 if eps is None else eps) @ w


def _gated_mlp(eps, x, w1, w2):
    return F.silu(x @ w1) * (x @ w2)


def _norm_swiglu(eps, x, w1, w2):
    n = _norm(x, eps)
    return F.silu(n @ w1) * (n @ w2)


def _matmul(eps, x, w):
    return x @ w


def _linear_gelu(eps, x, w, bias):
    return F.gelu(x @ w + bias, approximate="tanh")


def _linear_bias(eps, x, w, bias):
    return x @ w + bias


def _residual_norm_linear(eps, x, r, g, w):
    return _norm(x + r, eps, g) @ w


def _lora(eps, x, w, a, b):
    return x @ w + (x @ a) @ b


def _relu2_mlp(eps, x, w1, w2):
    return F.relu(x @ w1).square() @ w2


def _attention(eps, q, k, v):
    return torch.softmax(q @ k, dim=-1) @ v


def sdpa_inputs(q, k, v):
    """What `attention` reads as PyTorch's own attention likes it: heads of one sequence, and K in rows."""
    return q[None], k.transpose(-1, -2).contiguous()[None], v[None]


def sdpa(q, k, v):
    """The program `attention`, which scales nothing."""
    with torch.no_grad():
        return F.scaled_dot_product_attention(q, k, v, scale=1.0)


PROGRAMS = {
    "rmsnorm_linear": Program(_rmsnorm_linear, 2, True),
    "rmsnorm_weight_linear": Program(_rmsnorm_weight_linear, 2, True),
    "layernorm_linear": Program(_layernorm_linear, 2, False),
    "gated_mlp": Program(_gated_mlp, 8),
    "norm_swiglu": Program(_norm_swiglu, 1, True),
    "matmul": Program(_matmul),
    "linear_gelu": Program(_linear_gelu, 16),
    "linear_bias": Program(_linear_bias),
    "residual_norm_linear": Program(_residual_norm_linear, 1, True),
    "lora": Program(_lora, 16),
    "relu2_mlp": Program(_relu2_mlp),
    "attention": Program(_attention),
}


def program_of(folder_name: str) -> str | None:
    """The program whose name the folder's name starts with, the longest if several."""
    names = [name for name in PROGRAMS if folder_name == name or folder_name.startswith(name + "_")]
    return max(names, key=len) if names else None


# How inputs are made odd: the plain distribution alone hides overflow, a row of
# zeros and an epsilon that matters. Applied to the first input.
VARIANTS = {
    "plain": lambda x: x,
    "large": lambda x: x * 8,
    "small": lambda x: x * 0.02,
    "zero_row": lambda x: torch.cat([torch.zeros_like(x[:1]), x[1:]]),
}


def make_inputs(shapes, dtypes, device, seed: int, variant: str = "plain"):
    """Normal values; a long contraction dim is scaled so that products stay near 1."""
    generator = torch.Generator(device=device).manual_seed(seed)
    tensors = []
    for position, (shape, dtype) in enumerate(zip(shapes, dtypes)):
        long = len(shape) >= 2 and shape[-2] >= 1024
        scale = 1.0 / math.sqrt(shape[-2]) if long else 0.5
        value = torch.randn(shape, device=device, generator=generator) * scale
        if position == 0:
            value = VARIANTS[variant](value)
        tensors.append(value.to(DTYPES[dtype]))
    return tensors


def default_epsilon(dtype: torch.dtype, device) -> float:
    """The epsilon that rms_norm uses here when none is given, by trying it."""
    x = torch.full((1, 8), 1e-3, dtype=dtype, device=device)
    y = F.rms_norm(x, (8,)).double()
    implied = float((x.double() / y).square().mean() - x.double().square().mean())
    candidates = [torch.finfo(dtype).eps, torch.finfo(torch.float32).eps]
    return min(candidates, key=lambda eps: abs(math.log(max(implied, 1e-12) / eps)))


def reference(program: Program, eps: float | None, inputs):
    return program.run(eps, *[t.double() if t.is_floating_point() else t for t in inputs])


def compare(out, ref) -> dict:
    """Relative and largest absolute error over every element.

    Elements whose reference overflows the type are compared by class, and NaN
    where the reference is finite is an error of its own.
    """
    out, finite_max = out.double(), torch.finfo(out.dtype).max
    fits = ref.abs() <= finite_max
    bad = int((~torch.isfinite(out) & fits).sum()) + int((torch.isfinite(out) & ~fits & (out.abs() < finite_max / 2)).sum())
    difference = torch.where(fits & torch.isfinite(out), out - ref, 0.0)
    norm = float(torch.where(fits, ref, 0.0).norm())
    return {"relative": float(difference.norm()) / norm if norm else float(difference.norm()),
            "max_abs": float(difference.abs().max()), "wrong_class": bad}


# Both round to f16; where the program's result is exact, neither errs, and the
# ratio is of two noises: below this much no error is held against a kernel.
NOISE = 1e-7


def ratio(ours: dict, eager: dict) -> float:
    return ours["relative"] / max(eager["relative"], NOISE)
