"""Kernels written by hand as thread-block graphs."""
from __future__ import annotations

import numpy as np
import pytest

import mirage as mi

RNG = np.random.default_rng(2)


def half(*shape, scale=1.0):
    return (RNG.standard_normal(shape) * scale).astype(np.float16)


def rms_linear(accumulate="rms", k=256, n=128):
    """The published system's example: normalisation after the product."""
    graph = mi.new_kernel_graph()
    x = graph.new_input(dims=(16, k), dtype=mi.float16)
    w = graph.new_input(dims=(k, n), dtype=mi.float16)
    block = mi.new_threadblock_graph(grid_dim=(2, 1, 1), block_dim=(128, 1, 1), forloop_range=4, reduction_dimx=64)
    tx = block.new_input(dtensor=x, input_map=(-1, -1, -1), forloop_dim=1)
    tw = block.new_input(dtensor=w, input_map=(1, -1, -1), forloop_dim=0)
    product = block.forloop_accum(block.matmul(tx, tw))
    norm = block.forloop_accum(tx, accumulate)
    block.new_output(stensor=block.div(product, norm), output_map=(1, -1, -1))
    (out,) = graph.customized([x, w], block)
    graph.mark_output(out)
    return graph


def test_rms_accumulator_runs_and_lowers():
    graph = rms_linear()
    x, w = half(16, 256), half(256, 128, scale=1 / 16)
    (y,) = graph(inputs=[x, w], device="cpu")
    wide = x.astype(np.float64)
    np.testing.assert_allclose(y, wide @ w / np.sqrt((wide**2).mean(-1, keepdims=True)), rtol=4e-3, atol=2e-3)
    compiled = graph.compile(target="sm_90a")
    assert ".visible .entry" in compiled.ptx and '"grid": [' in compiled.plan


@pytest.mark.parametrize("kind, expected", [("sum", lambda x: x.sum(-1, keepdims=True)),
                                            ("mean", lambda x: x.mean(-1, keepdims=True))])
def test_other_accumulators(kind, expected):
    graph = rms_linear(kind)
    x, w = abs(half(16, 256)), half(256, 128, scale=1 / 16)
    (y,) = graph(inputs=[x, w], device="cpu")
    wide = x.astype(np.float64)
    np.testing.assert_allclose(y, wide @ w / expected(wide), rtol=4e-3, atol=2e-3)


def test_a_chain_of_products_rounds_the_tile_between_them():
    graph = mi.new_kernel_graph()
    x, a = graph.new_input(dims=(16, 64), dtype=mi.float16), graph.new_input(dims=(64, 64), dtype=mi.float16)
    b = graph.new_input(dims=(64, 64), dtype=mi.float16)
    block = mi.new_threadblock_graph(grid_dim=(2, 1, 1), block_dim=(128, 1, 1), forloop_range=4)
    tx = block.new_input(dtensor=x, input_map=(-1, -1, -1), forloop_dim=1)
    ta = block.new_input(dtensor=a, input_map=(-1, -1, -1), forloop_dim=0)
    tb = block.new_input(dtensor=b, input_map=(1, -1, -1), forloop_dim=-1)
    hidden = block.relu(block.forloop_accum(block.matmul(tx, ta)))
    block.new_output(stensor=block.matmul(hidden, tb), output_map=(1, -1, -1))
    graph.mark_output(graph.customized([x, a, b], block)[0])
    assert "cast" in graph.mlir
    tensors = [half(16, 64), half(64, 64, scale=1 / 8), half(64, 64, scale=1 / 8)]
    (y,) = graph(inputs=tensors, device="cpu")
    x64, a64, b64 = (t.astype(np.float64) for t in tensors)
    np.testing.assert_allclose(y, np.maximum(x64 @ a64, 0) @ b64, rtol=1e-2, atol=4e-3)


def test_without_a_loop():
    graph = mi.new_kernel_graph()
    x = graph.new_input(dims=(32, 64), dtype=mi.float32)
    block = mi.new_threadblock_graph(grid_dim=(4, 1, 1), block_dim=(128, 1, 1))
    tile = block.new_input(dtensor=x, input_map=(0, -1, -1))
    total = block.reduction(block.exp(tile), 1)
    block.new_output(stensor=block.div(block.exp(tile), total), output_map=(0, -1, -1))
    block.new_output(stensor=total, output_map=(0, -1, -1))
    y, s = graph.customized([x], block)
    graph.mark_output(y)
    graph.mark_output(s)
    data = RNG.standard_normal((32, 64)).astype(np.float32)
    p, t = graph(inputs=[data], device="cpu")
    e = np.exp(data.astype(np.float64))
    np.testing.assert_allclose(t, e.sum(1, keepdims=True), rtol=1e-5)
    np.testing.assert_allclose(p, e / e.sum(1, keepdims=True), rtol=1e-5)


def test_errors():
    graph = mi.new_kernel_graph()
    x = graph.new_input(dims=(16, 250), dtype=mi.float16)
    block = mi.new_threadblock_graph(grid_dim=(2, 1, 1), block_dim=(128, 1, 1), forloop_range=4)

    def fails(message, call):
        with pytest.raises(mi.MirageError) as error:
            call()
        assert str(error.value).startswith(message)

    fails("new_input: expected the loop to split a dim of [16, 250] into 4 equal parts, but got dim 1",
          lambda: block.new_input(dtensor=x, input_map=(-1, -1, -1), forloop_dim=1))
    fails("input_map: expected 3 integers, each at least -1, but got [0]",
          lambda: block.new_input(dtensor=x, input_map=(0,)))
    tile = block.new_input(dtensor=x, input_map=(-1, -1, -1), forloop_dim=0)
    fails("matmul: expected dim 1 of the left operand to equal dim 0 of the right one, but got [4, 250] and [4, 250]",
          lambda: block.matmul(tile, tile))
    fails("forloop_accum: expected None, sum, mean, rms or max, but got 'median'",
          lambda: block.forloop_accum(tile, "median"))
    fails("new_output: expected a tile that is computed after the loop",
          lambda: block.new_output(stensor=tile, output_map=(-1, -1, -1)))
    total = block.forloop_accum(tile)
    fails("add: expected operands that are all of the loop or all after it", lambda: block.add(tile, total))
    fails("customized: expected a graph that stores something", lambda: graph.customized([x], block))
    block.new_output(stensor=total, output_map=(-1, -1, -1))
    fails("customized: expected inputs that hold every tensor", lambda: graph.customized([], block))
    with pytest.warns(mi.MirageWarning, match="new_threadblock_graph: unknown argument pipeline"):
        mi.new_threadblock_graph(grid_dim=(1, 1, 1), block_dim=(128, 1, 1), pipeline=2)
