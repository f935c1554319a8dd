"""libMirageC by ctypes: the functions of include/Mirage-c/Mirage.h.

The library is loaded at the first use, not by `import mirage`. Calls release
the interpreter lock.
"""
from __future__ import annotations

import ctypes
import json
import math
import os
import threading
from ctypes import POINTER, byref, c_bool, c_char_p, c_double, c_int, c_size_t, c_uint, c_uint64, c_void_p
from pathlib import Path
from typing import Any, Sequence

from .errors import MirageError

API_VERSION = 1


class Buffer(ctypes.Structure):
    """A dense row-major tensor in host memory."""

    _fields_ = [("data", c_void_p), ("bytes", c_size_t)]


# Results that are texts to be freed are c_void_p: c_char_p would lose the address.
_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "mirageApiVersion": (c_int, []),
    "mirageVersion": (c_char_p, []),
    "mirageTargets": (c_char_p, []),
    "mirageStringDestroy": (None, [c_void_p]),
    "mirageContextCreate": (c_void_p, []),
    "mirageContextDestroy": (None, [c_void_p]),
    "mirageContextErrors": (c_char_p, [c_void_p]),
    "mirageContextRemarks": (c_char_p, [c_void_p]),
    "mirageModuleParse": (c_void_p, [c_void_p, c_char_p, c_size_t, c_char_p]),
    "mirageModuleDestroy": (None, [c_void_p]),
    "mirageModulePrint": (c_void_p, [c_void_p]),
    "mirageModuleRaise": (c_bool, [c_void_p]),
    "mirageModuleSuperoptimize": (c_bool, [c_void_p, c_char_p]),
    "mirageModuleVerify": (c_bool, [c_void_p, c_char_p]),
    "mirageModuleStripReferences": (c_bool, [c_void_p]),
    "mirageModuleLower": (c_bool, [c_void_p, c_char_p]),
    "mirageCacheLoad": (c_void_p, [c_char_p, c_char_p, c_char_p, c_size_t]),
    "mirageCacheSave": (c_bool, [c_char_p, c_char_p, c_char_p, c_size_t, c_char_p, c_size_t]),
    "mirageModulePTX": (c_void_p, [c_void_p]),
    "mirageModulePlan": (c_void_p, [c_void_p, c_char_p]),
    "mirageModuleSignature": (c_void_p, [c_void_p, c_char_p]),
    "mirageModulePredict": (c_double, [c_void_p, c_char_p, c_char_p]),
    "mirageModuleRun": (c_bool, [c_void_p, c_char_p, POINTER(Buffer), c_size_t, POINTER(Buffer), c_size_t, c_bool,
                                 c_uint]),
    "mirageKernelsLoad": (c_void_p, [c_void_p, c_char_p, c_size_t, c_char_p, c_size_t, c_int, c_char_p]),
    "mirageKernelsDestroy": (None, [c_void_p]),
    "mirageKernelsLaunch": (c_int, [c_void_p, c_void_p, c_void_p, c_bool]),
    "mirageKernelsNumAddresses": (c_size_t, [c_void_p]),
    "mirageKernelsErrorString": (c_char_p, [c_void_p, c_int]),
}

_library: ctypes.CDLL | None = None
_loaded_from: Path | None = None
_lock = threading.Lock()


def library_path() -> Path:
    """The shared object: MIRAGE_LIBRARY, else the one of the wheel, else that of the source tree's build folder."""
    if _library is not None and _loaded_from is not None:
        return _loaded_from  # whatever the folder or the environment have become since
    named = os.environ.get("MIRAGE_LIBRARY")
    if named:
        return Path(named)
    here = Path(__file__).resolve().parent
    candidates = [here / "lib" / "libMirageC.so", here.parent.parent / "build" / "lib" / "libMirageC.so"]
    for path in candidates:
        if path.exists():
            return path
    raise MirageError("expected libMirageC.so at " + " or ".join(map(str, candidates)) +
                      " (or where MIRAGE_LIBRARY says), but found none: build the target MirageC or install the wheel")


def library() -> ctypes.CDLL:
    global _library, _loaded_from
    with _lock:
        if _library is not None:
            return _library
        path = library_path().absolute()
        try:
            loaded = ctypes.CDLL(str(path))
        except OSError as error:
            raise MirageError(f"expected the shared object {path}, but it could not be loaded: {error}") from None
        for name, (result, arguments) in _FUNCTIONS.items():
            try:
                function = getattr(loaded, name)
            except AttributeError:
                raise MirageError(f"expected {path} to export {name}, but it does not: it is of another "
                                  "version of Mirage") from None
            function.restype, function.argtypes = result, arguments
        if loaded.mirageApiVersion() != API_VERSION:
            raise MirageError(f"expected {path} to have version {API_VERSION} of the C interface, but got "
                              f"{loaded.mirageApiVersion()}")
        _library, _loaded_from = loaded, path
        return loaded


def targets() -> list[str]:
    """The GPUs that Mirage searches and lowers for, as "sm_90a"."""
    return library().mirageTargets().decode().split()


class _Context:
    def __init__(self) -> None:
        self.lib = library()
        self.handle = self.lib.mirageContextCreate()

    def __del__(self) -> None:
        if getattr(self, "handle", None):
            self.lib.mirageContextDestroy(self.handle)

    def errors(self) -> str:
        return self.lib.mirageContextErrors(self.handle).decode(errors="replace").strip()

    def remarks(self) -> str:
        return self.lib.mirageContextRemarks(self.handle).decode(errors="replace").strip()

    def check(self, good: Any) -> None:
        if not good:
            raise MirageError(self.errors() or "expected Mirage to say what failed, but it did not")

    def take(self, address: int | None) -> str:
        self.check(address)
        text = ctypes.string_at(address).decode()
        self.lib.mirageStringDestroy(address)
        return text


class Module:
    """A module of MLIR: `text` holds functions of linalg on tensors or of mgraph_kernel.

    Raises MirageError, with the place in the text, where that does not parse or verify. `remarks` holds what the
    last pass reported. For one thread at a time.
    """

    def __init__(self, text: str, name: str = "module") -> None:
        self._context = _Context()
        self._lib = self._context.lib
        self._handle: int | None = None
        data = text.encode()
        self._handle = self._lib.mirageModuleParse(self._context.handle, data, len(data), name.encode())
        self._context.check(self._handle)
        self.remarks = ""

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self._lib.mirageModuleDestroy(self._handle)

    def __str__(self) -> str:
        return self._context.take(self._lib.mirageModulePrint(self._handle))

    def _pass(self, good: bool) -> None:
        self._context.check(good)
        self.remarks = self._context.remarks()

    def raise_linalg(self) -> None:
        """Turns linalg into mgraph_kernel where it can."""
        self._pass(self._lib.mirageModuleRaise(self._handle))

    def superoptimize(self, options: str = "") -> None:
        """Runs --mirage-superopt with these options, as "target=sm_90a threads=2"."""
        self._pass(self._lib.mirageModuleSuperoptimize(self._handle, options.encode()))

    def verify(self, options: str = "") -> None:
        """Re-checks every certificate; MirageError where one does not hold. `remarks` has the verdicts."""
        self._pass(self._lib.mirageModuleVerify(self._handle, options.encode()))

    def strip_references(self) -> None:
        """Drops certificates and the originals that they name."""
        self._pass(self._lib.mirageModuleStripReferences(self._handle))

    def lower(self, target: str) -> None:
        """Lowers every function to PTX and a launch plan."""
        self._pass(self._lib.mirageModuleLower(self._handle, target.encode()))

    def ptx(self) -> str:
        """The PTX of a lowered module."""
        return self._context.take(self._lib.mirageModulePTX(self._handle))

    def plan(self, function: str = "") -> str:
        """The launch plan of a function of a lowered module, as JSON."""
        return self._context.take(self._lib.mirageModulePlan(self._handle, function.encode()))

    def signature(self, function: str = "") -> dict[str, Any]:
        """Inputs and outputs: {"inputs": [{"shape": [16, 64], "dtype": "f16"}, ...], "outputs": [...]}."""
        return json.loads(self._context.take(self._lib.mirageModuleSignature(self._handle, function.encode())))

    def predict(self, target: str, function: str = "") -> float:
        """Predicted microseconds, each predefined operator as a kernel of its own."""
        micros = self._lib.mirageModulePredict(self._handle, function.encode(), target.encode())
        self._context.check(not math.isnan(micros))
        return micros

    def run(self, inputs: Sequence[tuple[int, int]], outputs: Sequence[tuple[int, int]], function: str = "",
            exact: bool = False, threads: int = 0) -> None:
        """Runs a function in the interpreter. Inputs and outputs are (address, bytes) of dense row-major tensors."""
        ins, outs = ((Buffer * max(1, len(pairs)))(*[Buffer(*pair) for pair in pairs]) for pairs in (inputs, outputs))
        self._context.check(self._lib.mirageModuleRun(self._handle, function.encode(), ins, len(inputs), outs,
                                                      len(outputs), exact, threads))


class Kernels:
    """A launch plan loaded on a CUDA device. MirageError where there is no driver, or the device is not of the
    plan's target."""

    def __init__(self, plan: str, image: bytes, ordinal: int = 0, driver: str | None = None) -> None:
        self._context = _Context()
        self._lib = self._context.lib
        self._handle: int | None = None
        text = plan.encode()
        self._handle = self._lib.mirageKernelsLoad(self._context.handle, text, len(text), image, len(image), ordinal,
                                                   driver.encode() if driver else None)
        self._context.check(self._handle)
        self.num_addresses: int = self._lib.mirageKernelsNumAddresses(self._handle)
        self.address_type = c_uint64 * max(1, self.num_addresses)
        self._launch = self._lib.mirageKernelsLaunch

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self._lib.mirageKernelsDestroy(self._handle)

    @property
    def handle(self) -> int:
        """The address of the MirageKernels, for the launch extension."""
        assert self._handle is not None
        return self._handle

    @property
    def launch_address(self) -> int:
        """The address of mirageKernelsLaunch."""
        return ctypes.cast(self._launch, c_void_p).value or 0

    def launch(self, addresses: Sequence[int], stream: int, dependent: bool = False) -> None:
        """Enqueues one run: addresses of inputs, outputs and scratch, on a CUstream."""
        if len(addresses) != self.num_addresses:
            raise MirageError(f"expected {self.num_addresses} addresses, but got {len(addresses)}")
        status = self._launch(self._handle, byref(self.address_type(*addresses)), stream, dependent)
        if status:
            self.fail(status)

    def fail(self, status: int) -> None:
        """Raises for a status of mirageKernelsLaunch."""
        words = self._lib.mirageKernelsErrorString(self._handle, status).decode(errors="replace")
        raise MirageError(f"expected the launch to succeed, but the driver said {status} ({words})")
