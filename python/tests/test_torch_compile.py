"""torch.compile with Mirage's backend, fragments in the interpreter. Needs PyTorch and a C++ compiler, and no GPU."""
from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="skipped: PyTorch is not installed")
import torch.nn.functional as F  # noqa: E402

import mirage  # noqa: E402
from mirage.inductor import Report, backend, explain  # noqa: E402

# "always": on small shapes inductor may be predicted to be as fast.
OPTIONS = {"device": "cpu", "target": "sm_90a", "threads": 2, "search": {"seed": 1}, "always": True}


class GatedMLP(torch.nn.Module):
    def __init__(self, width=64, hidden=128):
        super().__init__()
        self.norm = torch.nn.RMSNorm(width, eps=1e-6)
        self.gate, self.up = (torch.nn.Linear(width, hidden, bias=False) for _ in range(2))
        self.down = torch.nn.Linear(hidden, width, bias=False)

    def forward(self, x):
        n = self.norm(x)
        return x + self.down(F.silu(self.gate(n)) * self.up(n))


@pytest.fixture(autouse=True)
def fresh():
    torch.manual_seed(1)
    torch._dynamo.reset()
    with torch.no_grad():
        yield


def compiled(model, **options):
    report = Report()
    function = torch.compile(model, backend=backend, options={**OPTIONS, **options, "report": report})
    return function, report


def close(got, expected, reference):
    """Nearly as near to float64 as eager is."""
    error = (got.double() - reference).norm() / reference.norm()
    eager = (expected.double() - reference).norm() / reference.norm()
    assert error <= 1.5 * eager + 1e-6, (error, eager)


def check(function, model, x):
    got, expected = function(x), model(x)
    assert got.dtype == expected.dtype and got.shape == expected.shape and got.stride() == expected.stride()
    import copy
    close(got, expected, copy.deepcopy(model).double()(x.double()))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_gated_mlp(dtype):
    model = GatedMLP().to(dtype)
    function, report = compiled(model)
    check(function, model, torch.randn(2, 8, 64).to(dtype))
    assert report.fused >= 1, str(report)
    # A strided input, and one that starts in the middle of another: same shape, other strides.
    check(function, model, torch.randn(2, 64, 8).to(dtype).transpose(1, 2))
    check(function, model, torch.randn(3, 8, 64).to(dtype)[1:])
    # Weights are inputs, not constants.
    for parameter in model.parameters():
        parameter.mul_(1.5)
    check(function, model, torch.randn(2, 8, 64).to(dtype))


def test_another_batch_size_is_never_answered_wrong():
    model = GatedMLP().half()
    function, report = compiled(model)
    for rows in (16, 24, 5, 16):
        check(function, model, torch.randn(rows, 64).half())
    assert any("symbolic" in reason for graph in report.graphs for reason in graph.left), str(report)


def test_a_graph_that_is_one_fragment_is_called_directly():
    norm, linear = torch.nn.RMSNorm(64).half(), torch.nn.Linear(64, 128).half()
    model = torch.nn.Sequential(norm, linear)
    function, report = compiled(model)
    check(function, model, torch.randn(16, 64).half())
    assert report.graphs[0].whole, str(report)
    check(function, model, torch.randn(64, 16).half().t())
    linear.weight.mul_(2)
    check(function, model, torch.randn(16, 64).half())
    # An output twice, an input among the outputs, an input that is not used.
    weight = linear.weight

    def twice(x, y):
        h = F.relu(x @ weight.t())
        return h, h

    def passed(x, y):
        return x, F.relu(x @ weight.t())

    for other in (twice, passed):
        function, report = compiled(other)
        x, y = torch.randn(16, 64).half(), torch.randn(3)
        for g, e in zip(function(x, y), other(x, y)):
            torch.testing.assert_close(g, e, rtol=4e-3, atol=4e-3)
        assert report.fused == 1


def test_several_outputs_aliases_and_views():
    w = torch.randn(64, 128).half() / 8

    def model(x, y):
        h = F.relu(x @ w.to(x.dtype))
        return h, h.view(-1), x, (h + 1, y.t() @ h)

    function, report = compiled(model)
    x = torch.randn(16, 64).half()
    got, expected = function(x, x), model(x, x)
    assert report.fused >= 1, str(report)
    assert got[2] is x
    assert got[1].data_ptr() == got[0].data_ptr(), "a view of an output stays one"
    for g, e in zip([*got[:2], *got[3]], [*expected[:2], *expected[3]]):
        torch.testing.assert_close(g, e, rtol=4e-3, atol=4e-2)


def test_mutation_keeps_its_place():
    w = torch.randn(64, 64).half() / 8

    def model(x, state):
        before = F.relu(x @ w)
        state.add_(before)
        return F.relu(state @ w) + before

    function, report = compiled(model)
    x, state = torch.randn(16, 64).half(), torch.randn(16, 64).half()
    other = state.clone()
    got, expected = function(x, state), model(x, other)
    torch.testing.assert_close(got, expected, rtol=4e-3, atol=2e-2)
    torch.testing.assert_close(state, other, rtol=4e-3, atol=2e-2)


def test_what_is_left_says_why(capsys):
    model = torch.nn.Linear(64, 64)
    x = torch.randn(16, 64)
    report = explain(model, x, options=OPTIONS)
    assert report.fused == 0
    assert "1 matrix product left: its element type is torch.float32" in capsys.readouterr().out
    report = explain(model.half(), x.half(), options={**OPTIONS, "device": None}, quiet=True)
    assert "device=\"cpu\" was not asked for" in str(report)


def test_explain_and_training():
    model = GatedMLP().half()
    report = explain(model, torch.randn(16, 64).half(), options=OPTIONS, quiet=True)
    assert "fused (predicted" in str(report)
    function, report = compiled(model)
    with torch.enable_grad():
        function(torch.randn(16, 64).half()).sum().backward()
    assert report.fused == 0 and "training" in str(report)
    assert all(p.grad is not None for p in model.parameters())


def test_unknown_options_are_named():
    function = torch.compile(lambda x: x + 1, backend=backend, options={"colour": "red"})
    with pytest.warns(mirage.MirageWarning, match="unknown option colour"):
        function(torch.ones(4))
    with pytest.raises(Exception, match="expected device to be cpu or cuda, but got 'tpu'"):
        torch.compile(lambda x: x + 2, backend=backend, options={"device": "tpu"})(torch.ones(4))
