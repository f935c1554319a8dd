/* _launch.c - The launch path of the package, in one call.
 *
 *   launch(function, handle, stream, dependent, *tensors) -> status
 *
 * `function` is the address of mirageKernelsLaunch and `handle` a
 * MirageKernels, both as ints; so this links to nothing, and one build for the
 * stable ABI of 3.10 serves all later versions of Python. Each tensor is asked
 * for data_ptr(). The status is that of the driver, or -1 where an address is
 * no multiple of 16, which is what launch plans promise to kernels. The caller
 * has checked the number of tensors against the plan.
 */

#define Py_LIMITED_API 0x030A0000
#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

typedef int (*Launch)(const void *kernels, const uint64_t *addresses,
                      void *stream, bool dependent);

enum { kFixed = 4, kMaxTensors = 256 };

static PyObject *dataPtrName;

static PyObject *launch(PyObject *self, PyObject *const *args,
                        Py_ssize_t count) {
  uint64_t addresses[kMaxTensors];
  Py_ssize_t i, tensors = count - kFixed;
  Launch function;
  void *handle, *stream;
  int dependent, status;
  (void)self;
  if (tensors < 0 || tensors > kMaxTensors) {
    PyErr_Format(PyExc_TypeError, "expected 4 to %d arguments, but got %zd",
                 kFixed + kMaxTensors, count);
    return NULL;
  }
  function = (Launch)PyLong_AsVoidPtr(args[0]);
  handle = PyLong_AsVoidPtr(args[1]);
  stream = PyLong_AsVoidPtr(args[2]);
  dependent = PyObject_IsTrue(args[3]);
  if (PyErr_Occurred())
    return NULL;
  for (i = 0; i < tensors; ++i) {
    PyObject *address =
        PyObject_CallMethodObjArgs(args[kFixed + i], dataPtrName, NULL);
    if (!address)
      return NULL;
    addresses[i] = PyLong_AsUnsignedLongLong(address);
    Py_DECREF(address);
    if (PyErr_Occurred())
      return NULL;
    if (addresses[i] % 16)
      return PyLong_FromLong(-1);
  }
  /* No release of the interpreter lock: enqueueing takes two microseconds. */
  status = function(handle, addresses, stream, dependent != 0);
  return PyLong_FromLong(status);
}

static PyMethodDef methods[] = {
    {"launch", (PyCFunction)(void (*)(void))launch, METH_FASTCALL,
     "launch(function, handle, stream, dependent, *tensors) -> status"},
    {NULL, NULL, 0, NULL}};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT,
                                    "_launch",
                                    NULL,
                                    -1,
                                    methods,
                                    NULL,
                                    NULL,
                                    NULL,
                                    NULL};

PyMODINIT_FUNC PyInit__launch(void) {
  dataPtrName = PyUnicode_InternFromString("data_ptr");
  return dataPtrName ? PyModule_Create(&module) : NULL;
}
