"""Kernel graphs: operators, errors, and results against NumPy, in the interpreter."""
from __future__ import annotations

import math

import numpy as np
import pytest

import mirage as mi

RNG = np.random.default_rng(1)


def values(*shape, dtype=np.float32, low=-2.0, high=2.0):
    return RNG.uniform(low, high, shape).astype(dtype)


def erf(x):
    return np.vectorize(math.erf)(x)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


UNARY = {
    "exp": np.exp, "silu": lambda x: x / (1 + np.exp(-x)), "relu": lambda x: np.maximum(x, 0), "square": np.square,
    "gelu": lambda x: x * 0.5 * (1 + erf(x / math.sqrt(2))), "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "tanh": np.tanh,
}
POSITIVE = {"sqrt": np.sqrt, "log": np.log, "rsqrt": lambda x: 1 / np.sqrt(x)}
BINARY = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "pow": np.power}


def run(build, *inputs):
    """The outputs of `build(graph, *tensors)` on these f32 arrays."""
    graph = mi.new_kernel_graph()
    tensors = [graph.new_input(dims=x.shape, dtype=mi.float32) for x in inputs]
    made = build(graph, *tensors)
    for t in made if isinstance(made, list) else [made]:
        graph.mark_output(t)
    return graph(inputs=list(inputs), device="cpu")


@pytest.mark.parametrize("name", [*UNARY, *POSITIVE])
def test_unary(name):
    x = values(3, 5) if name in UNARY else values(3, 5, low=0.1, high=3)
    (y,) = run(lambda g, t: getattr(g, name)(t), x)
    expected = (UNARY | POSITIVE)[name](x.astype(np.float64))
    np.testing.assert_allclose(y, expected, rtol=2e-6, atol=1e-6)


@pytest.mark.parametrize("name", BINARY)
def test_binary_broadcasts(name):
    a, b = values(4, 5, low=0.5, high=2), values(4, 1, low=0.5, high=2)
    (y,) = run(lambda g, s, t: getattr(g, name)(s, t), a, b)
    np.testing.assert_allclose(y, BINARY[name](a.astype(np.float64), b), rtol=2e-6)


def test_clamp_and_mul_scalar():
    x = values(4, 4)
    y, z = run(lambda g, t: [g.clamp(t, -0.5, 1.0), g.mul_scalar(t, 0.125)], x)
    np.testing.assert_array_equal(y, np.clip(x, -0.5, 1.0))
    np.testing.assert_array_equal(z, x * 0.125)


def test_reductions_keep_their_dim():
    x = values(2, 3, 4)
    s, m, a = run(lambda g, t: [g.reduction(t, 2), g.max(t, -1), g.mean(t, 1)], x)
    np.testing.assert_allclose(s, x.sum(2, keepdims=True), rtol=1e-6, atol=1e-6)
    np.testing.assert_array_equal(m, x.max(-1, keepdims=True))
    np.testing.assert_allclose(a, x.mean(1, keepdims=True), rtol=1e-6, atol=1e-6)


def test_rms_norm():
    x, w = values(2, 3, 4), values(3, 4)
    plain, weighted = run(lambda g, t, s: [g.rms_norm(t, normalized_shape=(4,)),
                                           g.rms_norm(t, normalized_shape=(3, 4), eps=0.5, weight=s)], x, w)
    wide = x.astype(np.float64)
    np.testing.assert_allclose(plain, wide / np.sqrt((wide**2).mean(-1, keepdims=True) + 1e-5), rtol=2e-6)
    np.testing.assert_allclose(weighted, w * wide / np.sqrt((wide**2).mean((1, 2), keepdims=True) + 0.5), rtol=2e-6)


def test_attention():
    q, k, v = values(2, 3, 4), values(2, 4, 5), values(2, 5, 4)

    def published(g, q, k, v):
        e = g.exp(g.matmul(q, k))
        return g.matmul(g.div(e, g.reduction(e, 2)), v)

    (y,) = run(published, q, k, v)
    (z,) = run(lambda g, q, k, v: g.matmul(g.softmax(g.matmul(q, k), -1), v), q, k, v)
    expected = softmax(q.astype(np.float64) @ k) @ v
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(z, expected, rtol=1e-5, atol=1e-6)


def test_movement():
    x = values(2, 6)
    parts = run(lambda g, t: [*g.chunk(t, 3, 1), g.transpose(t, [1, 0]), g.reshape(t, (3, 4)), g.concat(t, t, 0)], x)
    for part, expected in zip(parts, [*np.split(x, 3, 1), x.T, x.reshape(3, 4), np.concatenate([x, x])]):
        np.testing.assert_array_equal(part, expected)


def test_column_major_input_is_read_where_it_lies():
    graph = mi.new_kernel_graph()
    x = graph.new_input(dims=(4, 8), dtype=mi.float16)
    w = graph.new_input(dims=(8, 3), dtype=mi.float16, strides=(1, 8))
    graph.mark_output(graph.matmul(x, w))
    assert "tensor<3x8xf16>" in graph.mlir
    a, b = values(4, 8, dtype=np.float16), values(3, 8, dtype=np.float16)
    (y,) = graph(inputs=[a, b.T], device="cpu")
    np.testing.assert_allclose(y, a.astype(np.float64) @ b.T, rtol=2e-3, atol=2e-3)


def test_other_strides_are_copied_with_a_warning():
    graph = mi.new_kernel_graph()
    graph.mark_output(graph.exp(graph.new_input(dims=(4, 8), dtype=mi.float32)))
    x = values(8, 4).T
    with pytest.warns(mi.MirageWarning, match=r"input 0: expected strides \[8, 1\], but got \[1, 4\]"):
        (y,) = graph(inputs=[x], device="cpu")
    np.testing.assert_allclose(y, np.exp(x), rtol=1e-6)


def test_bfloat16_is_bits_in_numpy():
    graph = mi.new_kernel_graph()
    graph.mark_output(graph.square(graph.new_input(dims=(2,), dtype=mi.bfloat16)))
    bits = (np.array([1.5, -2.0], np.float32).view(np.uint32) >> 16).astype(np.uint16)
    (y,) = graph(inputs=[bits], device="cpu")
    np.testing.assert_array_equal((y.astype(np.uint32) << 16).view(np.float32), [2.25, 4.0])


# Errors name the operator, the dims and both sides.

ERRORS = {
    "matmul: expected dim 1 of the left operand to equal dim 0 of the right one, but got [4, 8] and [4, 8]":
        lambda g, x, h: g.matmul(x, x),
    "add: expected sizes in dim 0 that are equal or 1, but got [4, 8] and [8, 4]":
        lambda g, x, h: g.add(x, g.transpose(x, [1, 0])),
    "mul: expected operands of one rank, but got [4, 8] and [32]": lambda g, x, h: g.mul(x, g.reshape(x, (32,))),
    "add: expected operands of one element type, but got f32 and f16": lambda g, x, h: g.add(x, h),
    "reduction: expected a dim in [-2, 1] of [4, 8], but got 2": lambda g, x, h: g.reduction(x, 2),
    "rms_norm: expected normalized_shape to be the last dims of [4, 8], but got [4]":
        lambda g, x, h: g.rms_norm(x, (4,)),
    "chunk: expected a number of parts that divides dim 1 of [4, 8], but got 3": lambda g, x, h: g.chunk(x, 3, 1),
    "clamp: expected bounds in order, but got 1 and 0": lambda g, x, h: g.clamp(x, 1, 0),
    "reshape: expected 32 elements, those of [4, 8], but got [5]": lambda g, x, h: g.reshape(x, (5,)),
    "exp: expected a DTensor, but got int": lambda g, x, h: g.exp(3),
    "exp: expected a tensor of this graph, but got one of another":
        lambda g, x, h: g.exp(mi.new_kernel_graph().new_input(dims=(2,))),
    "new_input: expected 1 to 6 positive dims, but got [0]": lambda g, x, h: g.new_input(dims=(0,)),
    "new_input: expected strides of a dense tensor with dims [4, 8] in some order, but got [16, 1]":
        lambda g, x, h: g.new_input(dims=(4, 8), strides=(16, 1)),
    "expected an element type of float16": lambda g, x, h: g.new_input(dims=(4,), dtype=np.complex64),
}


@pytest.mark.parametrize("message", ERRORS)
def test_errors(message):
    graph = mi.new_kernel_graph()
    x, h = graph.new_input(dims=(4, 8), dtype=mi.float32), graph.new_input(dims=(4, 8), dtype=mi.float16)
    with pytest.raises(mi.MirageError) as error:
        ERRORS[message](graph, x, h)
    assert str(error.value).startswith(message)


def test_wrong_shape_is_a_value_error_and_wrong_type_a_type_error():
    assert issubclass(mi.ShapeError, ValueError) and issubclass(mi.DTypeError, TypeError)


def test_calls_check_their_inputs():
    graph = mi.new_kernel_graph()
    with pytest.raises(mi.MirageError, match="expected at least one output"):
        graph.compile()
    graph.mark_output(graph.exp(graph.new_input(dims=(4, 8), dtype=mi.float16)))
    x = values(4, 8, dtype=np.float16)
    for inputs, message in [([], "expected 1 inputs, of shapes [4, 8], but got 0"),
                            ([x.T], "input 0: expected shape [4, 8], but got [8, 4]"),
                            ([x.astype(np.float32)], "input 0: expected element type float16, but got float32"),
                            ([3], "input 0: expected a torch tensor or a NumPy array, but got int")]:
        with pytest.raises(mi.MirageError) as error:
            graph(inputs=inputs, device="cpu")
        assert str(error.value) == message
    # Not silently on the CPU.
    with pytest.raises(mi.MirageError, match="expected CUDA tensors, but got tensors in host memory"):
        graph(inputs=[x])


def test_unknown_arguments_are_named():
    with pytest.warns(mi.MirageWarning, match="new_kernel_graph: unknown argument disable_fingerprint"):
        graph = mi.new_kernel_graph(disable_fingerprint=True)
    with pytest.warns(mi.MirageWarning, match="new_input: unknown arguments color, size"):
        graph.new_input(dims=(4,), color=1, size=2)
