#!/usr/bin/env python3
"""Tutti's arrays as NumPy's and back through DLPack, without a copy, by ctypes alone.

usage: dlpack.py LIBRARY
The capsules are those of Python's protocol: "dltensor_versioned", or "dltensor" of a NumPy before 2.1."""
import ctypes, gc, sys
import numpy as np

lib = ctypes.CDLL(sys.argv[1])
py = ctypes.pythonapi
passed = failed = 0


class Val(ctypes.Structure):
    _fields_ = [("slot", ctypes.c_uint32), ("born", ctypes.c_uint32)]


class Opts(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("given", ctypes.c_char_p), ("unused", ctypes.c_void_p), ("copy", ctypes.c_int)]


def declared(f, result, *args):
    f.restype, f.argtypes = result, args
    return f


array = declared(lib.tt_array_at, Val, ctypes.c_char_p, ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int64))
mul = declared(lib.tt_mul_at, Val, ctypes.c_char_p, Val, Val)
number = declared(lib.tt_f, Val, ctypes.c_double)
value = declared(lib.tt_num_at, ctypes.c_double, ctypes.c_char_p, Val)
total = declared(lib.tt_sum_at, Val, ctypes.c_char_p, Val, ctypes.c_void_p)
type_text = declared(lib.tt_type_text_at, ctypes.c_char_p, ctypes.c_char_p, Val)
error = declared(lib.tt_error, ctypes.c_char_p)
clear = declared(lib.tt_clear, None)
scope_open = declared(lib.tt_scope_open, ctypes.c_void_p)
scope_close = declared(lib.tt_scope_close, None, ctypes.c_void_p)
HANDLER = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
quiet = HANDLER(lambda record, env: None)
lib.tt_on_error(quiet, None)
to = {n: declared(getattr(lib, f), ctypes.c_void_p, ctypes.c_char_p, Val)
      for n, f in ((b"dltensor_versioned", "tt_to_dlpack_at"), (b"dltensor", "tt_to_dlpack_before_1_at"))}
of = {n: declared(getattr(lib, f), Val, ctypes.c_char_p, ctypes.c_void_p, ctypes.POINTER(Opts))
      for n, f in ((b"dltensor_versioned", "tt_from_dlpack_at"), (b"dltensor", "tt_from_dlpack_before_1_at"))}
capsule_new = declared(py.PyCapsule_New, ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
capsule_get = declared(py.PyCapsule_GetPointer, ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
capsule_valid = declared(py.PyCapsule_IsValid, ctypes.c_int, ctypes.py_object, ctypes.c_char_p)
capsule_rename = declared(py.PyCapsule_SetName, ctypes.c_int, ctypes.py_object, ctypes.c_char_p)
SITE, USED = b"dlpack.py", {n: b"used_" + n for n in to}


def check(good, what):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print("FAIL:", what, error().decode())
    clear()


class Lent:
    """A value as an object of Python's array protocol."""

    def __init__(self, v):
        self.v = v

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        name = b"dltensor_versioned" if max_version and max_version[0] >= 1 else b"dltensor"
        return capsule_new(to[name](SITE, self.v), name, None)


def taken(a, copy=False):
    """A NumPy array as a value."""
    try:
        capsule = a.__dlpack__(max_version=(1, 1))
    except TypeError:
        capsule = a.__dlpack__()
    name = next(n for n in to if capsule_valid(capsule, n))
    options = Opts(ctypes.sizeof(Opts), b".copy" if copy else None, None, copy)
    v = of[name](SITE, capsule_get(capsule, name), ctypes.byref(options))
    if not error():                                      # with an error it is still the capsule's
        capsule_rename(capsule, USED[name])
    return v


def aligned(shape, dtype):
    n = int(np.prod(shape)) * np.dtype(dtype).itemsize
    raw = np.empty(n + 64, np.uint8)
    at = -raw.ctypes.data % 64
    return raw[at:at + n].view(dtype).reshape(shape)


data = np.arange(6, dtype=np.float32).reshape(2, 3)
scope = scope_open()
v = array(SITE, 12, data.ctypes.data, (ctypes.c_int64 * 3)(2, 3, -2**63))
seen = np.from_dlpack(Lent(v))
again = np.from_dlpack(Lent(v))
check(seen.shape == (2, 3) and seen.dtype == np.float32 and (seen == data).all(), "elements in NumPy")
check(seen.ctypes.data == again.ctypes.data, "one memory")
check(not seen.flags.writeable or np.__version__ < "2.1", "it may not be written to")
scope_close(scope)
check((seen == data).all(), "elements after the scope of the value")
del seen
gc.collect()
check((again == data).all(), "elements that another array still has")
del again
gc.collect()

scope = scope_open()
a = aligned((2, 3), np.float32)
a[:] = data + 1
before = sys.getrefcount(a)
v = taken(a)
check(type_text(SITE, v) == b"f32[2, 3]" and value(SITE, total(SITE, v, None)) == 21, "elements of NumPy's")
check(np.from_dlpack(Lent(v)).ctypes.data == a.ctypes.data, "NumPy's memory")
check(value(SITE, total(SITE, mul(SITE, v, number(2)), None)) == 42, "arithmetic")
check(sys.getrefcount(a) > before, "the array is held")
del v
scope_close(scope)
gc.collect()
check(sys.getrefcount(a) == before, "the array is given back with the scope")
for dtype in (np.bool_, np.int8, np.uint16, np.int32, np.int64, np.float16, np.float64, np.complex64, np.complex128):
    b = aligned(5, dtype)
    b[:] = [1, 0, 1, 1, 0]
    back = np.from_dlpack(Lent(taken(b)))
    check(back.dtype == b.dtype and (back == b).all() and back.ctypes.data == b.ctypes.data, np.dtype(dtype).name)
clear()
taken(a.T)
check(b"not dense and in row-major order" in error(), "a transposed array, without a copy")
check(np.array_equal(np.from_dlpack(Lent(taken(a.T, copy=True))), a.T), "a transposed array, copied")
odd = aligned(9, np.float32)[1:]
odd[:] = 1
taken(odd)
check(b"past a multiple of 16" in error(), "an array that is not aligned")
check(value(SITE, total(SITE, taken(odd, copy=True), None)) == 8, "an array that is not aligned, copied")
print("%d passed, %d failed, 0 skipped" % (passed, failed))
sys.exit(failed != 0)
