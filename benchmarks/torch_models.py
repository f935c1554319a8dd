"""Decoder layers of three models with random weights, in plain PyTorch.

The sizes are those of Llama-3-8B, Qwen3-8B and GPT-2; `scale` divides widths and
head counts for a dry run. A layer takes tokens and a cache of keys and values,
writes its own into the cache's last places, and attends to all of it.
"""
from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F


@dataclass(frozen=True)
class Config:
    hidden: int
    inner: int
    heads: int
    kv_heads: int
    head_dim: int
    eps: float
    qk_norm: bool = False

    def scaled(self, scale: int) -> "Config":
        if scale == 1:
            return self
        heads = max(2, self.heads // scale)
        kv = max(1, self.kv_heads // scale)
        return Config(heads * 64, heads * 128, heads, kv, 64, self.eps, self.qk_norm)


CONFIGS = {
    "llama3_8b": Config(4096, 14336, 32, 8, 128, 1e-5),
    "qwen3_8b": Config(4096, 12288, 32, 8, 128, 1e-6, qk_norm=True),
    "gpt2": Config(768, 3072, 12, 12, 64, 1e-5),
}


def _rotate(x, cos, sin):
    half = x.shape[-1] // 2
    return x * cos + torch.cat([-x[..., half:], x[..., :half]], -1) * sin


class Attention(torch.nn.Module):
    def __init__(self, c: Config, bias: bool, rotary: bool):
        super().__init__()
        self.c, self.rotary = c, rotary
        self.q = torch.nn.Linear(c.hidden, c.heads * c.head_dim, bias=bias)
        self.k, self.v = (torch.nn.Linear(c.hidden, c.kv_heads * c.head_dim, bias=bias) for _ in range(2))
        self.o = torch.nn.Linear(c.heads * c.head_dim, c.hidden, bias=bias)
        if c.qk_norm:
            self.q_norm, self.k_norm = (torch.nn.RMSNorm(c.head_dim, eps=c.eps) for _ in range(2))

    def forward(self, x, cos, sin, keys, values):
        c, (batch, tokens, _) = self.c, x.shape
        q = self.q(x).view(batch, tokens, c.heads, c.head_dim)
        k, v = (f(x).view(batch, tokens, c.kv_heads, c.head_dim) for f in (self.k, self.v))
        if c.qk_norm:
            q, k = self.q_norm(q), self.k_norm(k)
        q, k, v = (t.transpose(1, 2) for t in (q, k, v))
        if self.rotary:
            q, k = _rotate(q, cos, sin), _rotate(k, cos, sin)
        keys[:, :, -tokens:] = k
        values[:, :, -tokens:] = v
        # One token sees all; several see what is before them.
        total = keys.shape[2]
        mask = None
        if tokens > 1:
            mask = torch.ones(tokens, total, dtype=torch.bool, device=x.device).tril(total - tokens)
        out = F.scaled_dot_product_attention(q, keys, values, mask, enable_gqa=c.heads != c.kv_heads)
        return self.o(out.transpose(1, 2).reshape(batch, tokens, -1))


class LlamaLayer(torch.nn.Module):
    """Llama's and Qwen3's layer."""

    def __init__(self, c: Config):
        super().__init__()
        self.norm1, self.norm2 = (torch.nn.RMSNorm(c.hidden, eps=c.eps) for _ in range(2))
        self.attention = Attention(c, bias=False, rotary=True)
        self.gate, self.up = (torch.nn.Linear(c.hidden, c.inner, bias=False) for _ in range(2))
        self.down = torch.nn.Linear(c.inner, c.hidden, bias=False)

    def forward(self, x, cos, sin, keys, values):
        x = x + self.attention(self.norm1(x), cos, sin, keys, values)
        n = self.norm2(x)
        return x + self.down(F.silu(self.gate(n)) * self.up(n))


class GPT2Layer(torch.nn.Module):
    def __init__(self, c: Config):
        super().__init__()
        self.norm1, self.norm2 = (torch.nn.LayerNorm(c.hidden, eps=c.eps) for _ in range(2))
        self.attention = Attention(c, bias=True, rotary=False)
        self.fc = torch.nn.Linear(c.hidden, c.inner)
        self.proj = torch.nn.Linear(c.inner, c.hidden)

    def forward(self, x, cos, sin, keys, values):
        x = x + self.attention(self.norm1(x), cos, sin, keys, values)
        return x + self.proj(F.gelu(self.fc(self.norm2(x)), approximate="tanh"))


class GatedMLP(torch.nn.Module):
    """RMSNorm, gate and up, down: the part of a layer that is all products and maps."""

    def __init__(self, c: Config):
        super().__init__()
        self.norm = torch.nn.RMSNorm(c.hidden, eps=c.eps)
        self.gate, self.up = (torch.nn.Linear(c.hidden, c.inner, bias=False) for _ in range(2))
        self.down = torch.nn.Linear(c.inner, c.hidden, bias=False)

    def forward(self, x):
        n = self.norm(x)
        return x + self.down(F.silu(self.gate(n)) * self.up(n))


class NormLinear(torch.nn.Module):
    def __init__(self, c: Config):
        super().__init__()
        self.norm = torch.nn.RMSNorm(c.hidden, eps=c.eps)
        self.linear = torch.nn.Linear(c.hidden, c.hidden + 2 * c.kv_heads * c.head_dim, bias=False)

    def forward(self, x):
        return self.linear(self.norm(x))


def layer(name: str, scale: int = 1) -> tuple[torch.nn.Module, Config]:
    c = CONFIGS[name].scaled(scale)
    return (GPT2Layer if name == "gpt2" else LlamaLayer)(c), c


def layer_inputs(c: Config, tokens: int, context: int, dtype, device):
    """Hidden states, rotary tables, and a cache of `context` places."""
    generator = torch.Generator(device=device).manual_seed(1)

    def random(*shape):
        return torch.randn(shape, generator=generator, device=device).to(dtype)

    angles = torch.arange(context - tokens, context, device=device).float()[:, None] / (
        10000.0 ** (torch.arange(0, c.head_dim, 2, device=device).float() / c.head_dim))
    angles = torch.cat([angles, angles], -1)
    return [random(1, tokens, c.hidden), angles.cos().to(dtype), angles.sin().to(dtype),
            random(1, c.kv_heads, context, c.head_dim), random(1, c.kv_heads, context, c.head_dim)]
