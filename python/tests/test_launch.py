"""What a launch makes, without a GPU."""
import pytest

from mirage.errors import MirageError
from mirage.launch import output_shapes


def test_the_plans_own_shapes():
    assert output_shapes([[1, 8], [4]], None) == [(1, 8), (4,)]


def test_a_flat_plan_serves_the_shape_that_was_asked_for():
    assert output_shapes([[1, 4096]], [(1, 1, 4096)]) == [(1, 1, 4096)]


def test_another_number_of_elements_is_refused():
    with pytest.raises(MirageError, match=r"output 1: expected a shape of 6 elements, as the plan's \[2, 3\], "
                                          r"but got \[2, 4\]"):
        output_shapes([[4], [2, 3]], [(4,), (2, 4)])


def test_another_number_of_outputs_is_refused():
    with pytest.raises(MirageError, match="expected 1 outputs, as the plan has, but got 2"):
        output_shapes([[4]], [(4,), (4,)])
