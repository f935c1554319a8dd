"""The few calls of the CUDA driver that launching a plan takes, by ctypes.

Every call is checked; a failure is a CudaError that names the call and the
driver's own words. A context must be current: torch's, or `own_context`.
"""
from __future__ import annotations

import ctypes
import math
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p

from launch_plan import Kernel, Plan

# Numbers of the driver's ABI (cuda.h): they never change once published.
MAX_DYNAMIC_SHARED_SIZE, NON_PORTABLE_CLUSTER_SIZE = 8, 14
REGISTERS, LOCAL_BYTES, STATIC_SHARED = 4, 3, 1
REQUIRED_CLUSTER = (11, 12, 13)
LAUNCH_CLUSTER_DIMENSION, LAUNCH_PROGRAMMATIC_SERIALIZATION = 4, 6
JIT_ERROR_LOG, JIT_ERROR_LOG_BYTES = 5, 6
MULTIPROCESSORS = 16


class CudaError(RuntimeError):
    pass


class LaunchAttribute(ctypes.Structure):
    _fields_ = [("id", c_uint), ("pad", c_uint), ("value", c_uint * 16)]


class LaunchConfig(ctypes.Structure):
    _fields_ = [("grid", c_uint * 3), ("block", c_uint * 3), ("shared_bytes", c_uint),
                ("stream", c_void_p), ("attributes", ctypes.POINTER(LaunchAttribute)), ("num_attributes", c_uint)]


assert ctypes.sizeof(LaunchAttribute) == 72 and ctypes.sizeof(LaunchConfig) == 56


class Driver:
    def __init__(self):
        try:
            self.lib = ctypes.CDLL("libcuda.so.1")
        except OSError as error:
            raise CudaError("expected the CUDA driver library libcuda.so.1, "
                            f"but it could not be loaded: {error}") from None
        self.call("cuInit", 0)

    def call(self, name: str, *args) -> None:
        status = getattr(self.lib, name)(*args)
        if status:
            text = c_char_p()
            self.lib.cuGetErrorString(status, byref(text))
            words = text.value.decode() if text.value else "unknown error"
            raise CudaError(f"expected {name} to succeed, but got error {status} ({words})")

    def own_context(self) -> None:
        """Makes device 0's primary context current, where torch has not."""
        device, context = c_int(), c_void_p()
        self.call("cuDeviceGet", byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", byref(context), device)
        self.call("cuCtxSetCurrent", context)

    def multiprocessors(self) -> int:
        value = c_int()
        self.call("cuDeviceGetAttribute", byref(value), MULTIPROCESSORS, 0)
        return value.value

    def load_module(self, image: bytes) -> c_void_p:
        log = ctypes.create_string_buffer(1 << 16)
        options = (c_int * 2)(JIT_ERROR_LOG, JIT_ERROR_LOG_BYTES)
        values = (c_void_p * 2)(ctypes.addressof(log), len(log))
        module = c_void_p()
        data = ctypes.create_string_buffer(image)  # adds the zero byte that PTX needs
        try:
            self.call("cuModuleLoadDataEx", byref(module), data, 2, options, values)
        except CudaError as error:
            words = log.value.decode(errors="replace").strip()
            raise CudaError(f"{error}; its log says: {words}" if words else str(error)) from None
        return module

    def attribute(self, function: c_void_p, which: int) -> int:
        value = c_int()
        self.call("cuFuncGetAttribute", byref(value), which, function)
        return value.value


class LoadedPlan:
    """A plan whose kernels are on the device, ready to be bound to addresses."""

    def __init__(self, driver: Driver, plan: Plan, image: bytes):
        self.driver, self.plan = driver, plan
        self.module = driver.load_module(image)
        self.functions = [self._function(kernel) for kernel in plan.kernels]

    def _function(self, kernel: Kernel) -> c_void_p:
        function = c_void_p()
        try:
            self.driver.call("cuModuleGetFunction", byref(function), self.module, kernel.name.encode())
        except CudaError as error:
            raise CudaError(f"kernel {kernel.name}: {error}") from None
        compiled = [self.driver.attribute(function, which) for which in REQUIRED_CLUSTER]
        if any(compiled) and tuple(compiled) != kernel.cluster:
            raise CudaError(f"expected kernel {kernel.name} to be compiled for the plan's cluster "
                            f"{list(kernel.cluster)}, but got {compiled}")
        if not any(compiled) and math.prod(kernel.cluster) > 1:
            raise CudaError(f"expected kernel {kernel.name} to be compiled for the plan's cluster "
                            f"{list(kernel.cluster)}, but got no cluster")
        if kernel.shared_bytes:
            self.driver.call("cuFuncSetAttribute", function, MAX_DYNAMIC_SHARED_SIZE, kernel.shared_bytes)
        if math.prod(kernel.cluster) > 8:
            self.driver.call("cuFuncSetAttribute", function, NON_PORTABLE_CLUSTER_SIZE, 1)
        return function

    def facts(self) -> list[dict]:
        """What the compiler and the occupancy of the device make of each kernel."""
        result = []
        for kernel, function in zip(self.plan.kernels, self.functions):
            facts = {"kernel": kernel.name, "registers": self.driver.attribute(function, REGISTERS),
                     "local_bytes": self.driver.attribute(function, LOCAL_BYTES),
                     "static_shared": self.driver.attribute(function, STATIC_SHARED)}
            try:
                resident = self._resident_blocks(kernel, function)
                facts["resident_blocks"] = resident
                facts["waves"] = -(-math.prod(kernel.grid) // resident) if resident else 0
            except (CudaError, AttributeError) as error:  # facts are not worth a failure
                facts["occupancy_error"] = str(error)
            result.append(facts)
        return result

    def _resident_blocks(self, kernel: Kernel, function: c_void_p) -> int:
        count = c_int()
        size = math.prod(kernel.cluster)
        if size == 1:
            self.driver.call("cuOccupancyMaxActiveBlocksPerMultiprocessor", byref(count), function,
                             kernel.threads, c_size_t(kernel.shared_bytes))
            return count.value * self.driver.multiprocessors()
        attribute = LaunchAttribute(id=LAUNCH_CLUSTER_DIMENSION)
        attribute.value[0:3] = list(kernel.cluster)
        config = _config(kernel, None)
        config.attributes, config.num_attributes = ctypes.pointer(attribute), 1
        self.driver.call("cuOccupancyMaxActiveClusters", byref(count), function, byref(config))
        return count.value * size

    def bind(self, inputs: list[int], outputs: list[int], scratch: list[int]) -> "BoundPlan":
        return BoundPlan(self, {"input": inputs, "output": outputs, "scratch": scratch})


def _config(kernel: Kernel, stream) -> LaunchConfig:
    config = LaunchConfig(shared_bytes=kernel.shared_bytes, stream=stream)
    config.grid[:] = kernel.grid
    config.block[:] = (kernel.threads, 1, 1)
    return config


class BoundPlan:
    """A loaded plan with its addresses; `launch` only enqueues."""

    def __init__(self, loaded: LoadedPlan, addresses: dict[str, list[int]]):
        self.loaded, self.scratch = loaded, addresses["scratch"]
        self.parameters = []
        for kernel in loaded.plan.kernels:
            cells = [c_uint64(addresses[kind][index]) for kind, index in kernel.parameters]
            pointers = (c_void_p * max(1, len(cells)))(*[ctypes.addressof(cell) for cell in cells])
            self.parameters.append((cells, pointers))  # the cells must outlive the pointers

    def launch(self, stream: int, dependent: bool) -> None:
        driver, plan = self.loaded.driver, self.loaded.plan
        for buffer, address in zip(plan.scratch, self.scratch):
            if buffer.zero:
                driver.call("cuMemsetD8Async", c_uint64(address), 0, c_size_t(buffer.bytes), c_void_p(stream))
        for kernel, function, (_, pointers) in zip(plan.kernels, self.loaded.functions, self.parameters):
            config = _config(kernel, stream)
            if dependent and kernel.dependent_launch:
                attribute = LaunchAttribute(id=LAUNCH_PROGRAMMATIC_SERIALIZATION)
                attribute.value[0] = 1
                config.attributes, config.num_attributes = ctypes.pointer(attribute), 1
            driver.call("cuLaunchKernelEx", byref(config), function, pointers, None)
