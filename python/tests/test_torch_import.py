"""ATen ops through the importer and the interpreter, against eager PyTorch. Needs PyTorch, and no GPU."""
from __future__ import annotations

import math

import pytest

torch = pytest.importorskip("torch", reason="skipped: PyTorch is not installed")
import torch.nn.functional as F  # noqa: E402
from torch.fx.experimental.proxy_tensor import make_fx  # noqa: E402

from mirage import MirageError, search  # noqa: E402
from mirage.dtypes import as_dtype  # noqa: E402
from mirage.inductor import ops  # noqa: E402
from mirage.inductor.importer import Importer, NotImported  # noqa: E402

torch.manual_seed(1)


def imported(function, *inputs, decompose=True):
    """The outputs of `function` on these tensors, its graph imported and run in the interpreter."""
    from torch._inductor.decomposition import select_decomp_table

    table = select_decomp_table() if decompose else {}
    graph = make_fx(lambda *args: function(*args), decomposition_table=table, tracing_mode="fake")(*inputs).graph
    placeholders = [n for n in graph.nodes if n.op == "placeholder"]
    (result,) = next(n for n in graph.nodes if n.op == "output").args
    results = list(result) if isinstance(result, (tuple, list)) else [result]
    importer = Importer(placeholders, [False] * len(placeholders))
    text = importer.text(results)
    outputs = [(tuple(r.meta["val"].shape), as_dtype(r.meta["val"].dtype)) for r in results]
    return ops.Entry(search.unsearched(text, "sm_90a"), importer.specs, outputs).run_cpu(inputs), text


A = torch.randn(4, 8)
B = torch.randn(4, 8)
P = torch.rand(4, 8) + 0.25
CASES = {
    "exp": (torch.exp, A), "log": (torch.log, P), "silu": (F.silu, A), "relu": (F.relu, A),
    "sigmoid": (torch.sigmoid, A), "tanh": (torch.tanh, A), "erf": (torch.erf, A), "sqrt": (torch.sqrt, P),
    "rsqrt": (torch.rsqrt, P), "abs": (torch.abs, A), "neg": (torch.neg, A), "reciprocal": (torch.reciprocal, P),
    "square": (torch.square, A), "gelu": (F.gelu, A), "gelu_tanh": (lambda x: F.gelu(x, approximate="tanh"), A),
    "add": (torch.add, A, B), "sub": (torch.sub, A, B), "mul": (torch.mul, A, B), "div": (torch.div, A, P),
    "maximum": (torch.maximum, A, B), "minimum": (torch.minimum, A, B), "pow": (torch.pow, P, B),
    "add_scalar": (lambda x: x + 2, A), "rsub": (lambda x: 1.0 - x, A), "cube": (lambda x: x**3, A),
    "root": (lambda x: x**0.5, P), "alpha": (lambda x, y: torch.add(x, y), A, B),
    "clamp": (lambda x: x.clamp(-0.5, 0.5), A), "clamp_min": (lambda x: x.clamp(min=0.1), A),
    "clamp_max": (lambda x: x.clamp(max=0.1), A), "where": (lambda x, y: torch.where(x > y, x, 0.5 * y), A, B),
    "row": (lambda x, r: x * r, A, torch.randn(8)), "column": (lambda x, c: x - c, A, torch.randn(4, 1)),
    "sum": (lambda x: x.sum(-1), A), "mean_keep": (lambda x: x.mean(0, keepdim=True), A),
    "amax": (lambda x: x.amax(1), A), "softmax": (lambda x: torch.softmax(x, -1), A),
    "layer_norm": (lambda x, w, b: F.layer_norm(x, (8,), w, b), A, torch.randn(8), torch.randn(8)),
    "rms_norm": (lambda x, w: (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)) * w, P, torch.randn(8)),
    "mm": (lambda x, w: x @ w, A, torch.randn(8, 3)), "linear": (F.linear, A, torch.randn(3, 8), torch.randn(3)),
    "bmm": (lambda x, y: x @ y, torch.randn(2, 3, 4), torch.randn(2, 4, 5)),
    "reshape": (lambda x: x.reshape(2, 16).clone(), A), "permute": (lambda x: x.permute(1, 0).contiguous(), A),
    "unsqueeze": (lambda x: x.unsqueeze(1) * x.unsqueeze(0), A), "expand": (lambda r: r.expand(4, 8).clone(), A[:1]),
    "cat": (lambda x, y: torch.cat([x, y], 1), A, B), "slice": (lambda x: x[1:, 2:7:2] + 0, A),
    "several": (lambda x, y: (x + y, x * y), A, B), "same_twice": (lambda x: (x * 2,) * 2, A),
    "transposed": (lambda x: x.exp(), torch.randn(8, 4).t()), "strided": (lambda x: x.exp(), torch.randn(4, 16)[:, ::2]),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_op(name, dtype):
    function, *inputs = CASES[name]
    inputs = [x.to(dtype) for x in inputs]
    got, _ = imported(function, *inputs)
    expected = function(*inputs)
    exact = function(*[x.double() for x in inputs])
    expected, exact = ([e] if torch.is_tensor(e) else list(e) for e in (expected, exact))
    for g, e, x in zip(got, expected, exact):
        assert g.dtype == e.dtype and g.shape == e.shape and g.is_contiguous()
        # At most twice eager's own error, or an ulp of the type.
        allowed = 2 * (e.double() - x).abs() + 2 * torch.finfo(dtype).eps * (x.abs() + 0.1)
        assert bool(((g.double() - x).abs() <= allowed).all())


def test_mixed_types_promote():
    half, single = torch.randn(4, 8).half(), torch.randn(4, 8)
    (got,), _ = imported(lambda x, y: x * y + x, half, single)
    torch.testing.assert_close(got, half * single + half)


@pytest.mark.parametrize("name, op", [("silu", "silu"), ("gelu", "gelu_erf"), ("gelu_tanh", "gelu_tanh")])
def test_decomposed_functions_are_put_together(name, op):
    function, x = CASES[name]
    _, text = imported(function, x.half())
    assert f"mgraph_kernel.{op} " in text and text.count("mgraph_kernel.") <= 3


def test_what_is_not_silu_stays_a_chain():
    # The divisor must be of the same x.
    _, text = imported(lambda x, y: x / (1 + torch.exp(-y)), A, B)
    assert "silu" not in text


REFUSED = {
    "no rule for aten.sin": (torch.sin, A),
    "expected alpha 1, but got 2": (lambda x, y: torch.add(x, y, alpha=2), A, B),
    "no rule for aten.argmax": (lambda x: x.argmax(1), A),
    "its element type is torch.int64": (lambda x: x.long(), A),
    "expected a variance with correction 0": (lambda x: torch.var_mean(x, 1, keepdim=True)[0], A),
    "expected a finite number": (lambda x: x + math.nan, A),
}


@pytest.mark.parametrize("reason", REFUSED)
def test_refusals_say_why(reason):
    function, *inputs = REFUSED[reason]
    with pytest.raises(NotImported, match=reason):
        imported(function, *inputs)


NORMS = {
    "rms": (lambda x, w, b: ((x.float() * torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + 1e-6)) * w).half(),
            "rms_norm", 1),
    "rms_plain": (lambda x, w, b: (x.float() * torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + 1e-6)).half(),
                  "rms_norm", 0),
    "layer": (lambda x, w, b: F.layer_norm(x, (8,), w, b, 1e-5), "layer_norm", 2),
    "other_dim": (lambda x, w, b: (x.float() * torch.rsqrt(x.float().pow(2).mean(0, keepdim=True) + 1e-6)).half(),
                  None, 0),
    "other_value": (lambda x, w, b: ((x.float() + 1) * torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + 1e-6)
                                     ).half(), None, 0),
}


@pytest.mark.parametrize("name", NORMS)
def test_norms_are_put_together(name):
    function, op, weights = NORMS[name]
    x, w, b = torch.randn(4, 8).half(), torch.randn(8).half(), torch.randn(8).half()

    def shared_cast(x, w, b):  # as after inductor's own merging of equal nodes
        return function(x, w, b)

    from torch._inductor.decomposition import select_decomp_table

    graph = make_fx(lambda *a: shared_cast(*a), decomposition_table=select_decomp_table(),
                    tracing_mode="fake")(x, w, b)
    from torch.fx.passes.dialect.common.cse_pass import CSEPass

    graph = CSEPass()(graph).graph_module.graph
    placeholders = [n for n in graph.nodes if n.op == "placeholder"]
    (result,) = next(n for n in graph.nodes if n.op == "output").args
    importer = Importer(placeholders, [False] * 3, flat=name != "other_dim")
    text = importer.text([result])
    outputs = [((4, 8), as_dtype(torch.float16))]
    (got,) = ops.Entry(search.unsearched(text, "sm_90a"), importer.specs, outputs).run_cpu([x, w, b])
    torch.testing.assert_close(got, function(x, w, b), rtol=2e-3, atol=2e-3)
    if op is None:
        assert "norm" not in text
    else:
        assert f"mgraph_kernel.{op} " in text and text.count(" = mgraph_kernel.") == 1
        assert ("scale" in text) == (weights > 0) and ("bias" in text) == (weights > 1)


def test_flat_programs_have_rank_two():
    x, r = torch.randn(2, 3, 8), torch.randn(8)
    graph = make_fx(lambda x, r: (x * r + x.mean(-1, keepdim=True)).view(6, 8), tracing_mode="fake")(x, r).graph
    placeholders = [n for n in graph.nodes if n.op == "placeholder"]
    (result,) = next(n for n in graph.nodes if n.op == "output").args
    importer = Importer(placeholders, [False, False], flat=True)
    text = importer.text([result])
    assert "tensor<6x8xf32>, %arg1: tensor<1x8xf32>" in text and "reshape" not in text
    (got,) = ops.Entry(search.unsearched(text, "sm_90a"), importer.specs,
                       [((6, 8), as_dtype(torch.float32))]).run_cpu([x, r])
    torch.testing.assert_close(got, (x * r + x.mean(-1, keepdim=True)).view(6, 8))
    # A middle dim that broadcasts alone has no flat form.
    graph = make_fx(lambda x, y: x * y, tracing_mode="fake")(x, torch.randn(2, 1, 8)).graph
    placeholders = [n for n in graph.nodes if n.op == "placeholder"]
    (result,) = next(n for n in graph.nodes if n.op == "output").args
    with pytest.raises(MirageError, match="expected sizes in dim 0 that are equal or 1"):
        Importer(placeholders, [False, False], flat=True).text([result])
