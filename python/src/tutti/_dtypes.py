"""Element types: tt.float32 and kin, with NumPy's types and names, C's short names ("f32") and Python's own types."""
import re

import numpy as np

from . import _core
from ._core import ffi, lib

_NAMES = """bool:BOOL int8:I8 int16:I16 int32:I32 int64:I64 uint8:U8 uint16:U16 uint32:U32 uint64:U64 float16:F16
bfloat16:BF16 float32:F32 float64:F64 complex64:C64 complex128:C128 int2:I2 int4:I4 uint2:U2 uint4:U4
float4_e2m1fn:F4E2M1FN float6_e2m3fn:F6E2M3FN float6_e3m2fn:F6E3M2FN float8_e3m4:F8E3M4 float8_e4m3:F8E4M3
float8_e4m3fn:F8E4M3FN float8_e4m3fnuz:F8E4M3FNUZ float8_e4m3b11fnuz:F8E4M3B11FNUZ float8_e5m2:F8E5M2
float8_e5m2fnuz:F8E5M2FNUZ float8_e8m0fnu:F8E8M0FNU"""


class Dtype:
    """An element type; equal to NumPy's of the same name, and to the names "float32" and "f32"."""
    __slots__ = ("name", "code", "short", "kind")

    def __init__(self, name, code):
        self.name, self.code = name, code
        self.short = ffi.string(lib.tt_dtype_name(code)).decode()
        self.kind = ffi.string(ffi.new("char[2]", lib.tt_dtype_kind(code))).decode()

    @property
    def numpy(self):
        """NumPy's type; of bfloat16 and the narrow types that of ml_dtypes."""
        try:
            return np.dtype(self.name)
        except TypeError:
            pass
        try:
            import ml_dtypes
            return np.dtype(getattr(ml_dtypes, self.name))
        except (ImportError, AttributeError):
            raise _core.fail(_core.DtypeError, "NumPy has no %s" % self.name,
                             "install ml_dtypes, or convert with x.astype(tt.float32)") from None

    @property
    def itemsize(self):
        return self.numpy.itemsize

    def __repr__(self):
        return self.name

    def __eq__(self, other):
        if isinstance(other, Dtype):
            return self.code == other.code
        try:
            return dtype(other).code == self.code
        except (TypeError, ValueError):
            return NotImplemented

    def __hash__(self):
        try:
            return hash(np.dtype(self.name))
        except TypeError:
            return hash(self.name)


def _all():
    return [Dtype(name, getattr(lib, "TT_" + c)) for name, c in (n.split(":") for n in _NAMES.split())]


DTYPES = _all()
BY_CODE = {d.code: d for d in DTYPES}
BY_NAME = {d.name: d for d in DTYPES}
BY_NAME.update({d.short: d for d in DTYPES})
# C's short names that are NumPy's of other types: "i8" is int8 in C and int64 in NumPy.
TWO_MEANINGS = {n: (BY_NAME[n], np.dtype(n).name) for n in "i2 i4 i8 u2 u4 u8".split()}
BY_NAME.update({"half": BY_NAME["float16"], "single": BY_NAME["float32"], "double": BY_NAME["float64"]})


def _x64():
    return lib.tt_config_value(b"x64") != ffi.NULL


def bounds(name):
    """The least and the largest number of the integer type of this name; None: a type of other numbers."""
    kind = re.fullmatch(r"(u?)int(\d+)", name)
    if not kind:
        return None
    most = 2 ** (int(kind[2]) - (not kind[1])) - 1
    return (0 if kind[1] else -most - 1), most


def dtype(x):
    """The element type that x names: a Dtype, "float32", "f32" (not "i8", which is another type in C and in NumPy), a
    type of NumPy, or float, int, bool, complex (as JAX has them: of 32 bits, under TUTTI=x64 of 64)."""
    if isinstance(x, Dtype):
        return x
    if isinstance(x, str) and x in TWO_MEANINGS:
        raise _core.fail(_core.DtypeError, "%r has two meanings" % x,
                         "write \"%s\", which \"%s\" is in C, or \"%s\", as in NumPy" %
                         (TWO_MEANINGS[x][0].name, x, TWO_MEANINGS[x][1]))
    if isinstance(x, str) and x in BY_NAME:
        return BY_NAME[x]
    if x is float:
        return BY_NAME["float64" if _x64() else "float32"]
    if x is int:
        return BY_NAME["int64" if _x64() else "int32"]
    if x is complex:
        return BY_NAME["complex128" if _x64() else "complex64"]
    try:
        name = "none" if x is None else np.dtype(x).name
    except TypeError:
        name = str(x)
    if name in BY_NAME:
        return BY_NAME[name]
    raise _core.fail(_core.DtypeError, "%r is no element type" % (x,),
                     "such as tt.float32, \"float32\", \"f32\", np.int8")


_core.CONVERT["t"] = lambda what, x: dtype(x).code
