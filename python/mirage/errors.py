"""What the package raises."""
from __future__ import annotations


class MirageError(RuntimeError):
    """Mirage refused a program, an option or an input, or has no device. The text says what was expected and found."""


class ShapeError(MirageError, ValueError):
    """Operands that do not fit an operator. The text names the operator and the dims."""


class DTypeError(MirageError, TypeError):
    """Element types that do not fit. The text names both."""


class MirageWarning(UserWarning):
    """An argument without effect, a tensor that is copied, a fragment that is left."""
