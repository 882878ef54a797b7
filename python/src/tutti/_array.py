"""Arrays: immutable, on a mesh or not, with NumPy's operators, and to and from other libraries without a copy."""
import ctypes
from typing import Any, Tuple

import numpy as np

from . import _core, _dtypes, _tree
from ._core import call, ffi, lib, plain

# True if arrays that NumPy may not write to can go through DLPack.
VIEWS = tuple(int(n) for n in np.__version__.split(".")[:2]) >= (2, 1)


class Handle:
    """What keeps a value of C: it is dropped with this object, by C: a Ctrl-C in a __del__ of Python would be lost."""
    __slots__ = ("_v", "_kept", "__weakref__")

    def __init__(self, v):
        if not isinstance(v, ffi.CData):
            raise TypeError("tt.array(x) makes an array")
        self._kept = ffi.gc(ffi.new("tt_val *", v), lib.pt_drop)
        self._v = self._kept[0]

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


def _binary(f):
    def of(self, other):
        if other is None or isinstance(other, (str, dict, list, tuple)):
            return NotImplemented
        return call(f, ("a", "b"), "vv", (self, other))

    def reverse(self, other):
        if other is None or isinstance(other, (str, dict, list, tuple)):
            return NotImplemented
        return call(f, ("a", "b"), "vv", (other, self))
    return of, reverse


def _compare(direction):
    def of(self, other):
        if other is None or isinstance(other, (str, dict, list, tuple)):
            return NotImplemented
        return call(lib.tt_compare_at, ("direction", "a", "b"), "ivv", (direction, self, other))
    return of


def _reduction(name):
    def method(self, axis=None, keepdims=None, **options):
        from . import _numpy
        return getattr(_numpy, name)(self, axis=axis, keepdims=keepdims, **options)
    method.__name__ = name
    method.__doc__ = "tutti.%s of this array." % name
    return method


def _is_whole(x):
    """True if x is an integer or a bool, whose quotients are floats."""
    if isinstance(x, (bool, int)):
        return True
    kind = getattr(getattr(x, "dtype", None), "kind", "f")
    return kind in "iub"


class Array(Handle):
    """An immutable array. tt.array(x) makes one; a function under a transform gets those that stand for its
    arguments."""
    __slots__ = ("_shape", "_dtype")
    __array_priority__ = 1000                            # NumPy's arrays leave operators to this class
    __hash__ = None

    # ---- what it is ----

    @property
    def shape(self) -> Tuple[int, ...]:
        """The dims, a tuple."""
        try:
            return self._shape
        except AttributeError:
            site, few = _core.here(), ffi.new("int64_t[16]")
            rank = lib.pt_dims(site, self._v, few, 16)
            if rank > 16:
                few = ffi.new("int64_t[]", rank)
                lib.pt_dims(site, self._v, few, rank)
            _core.check()
            self._shape = tuple(few[0:max(rank, 0)])
            return self._shape

    @property
    def dtype(self) -> _dtypes.Dtype:
        """The element type: tt.float32, ..."""
        try:
            return self._dtype
        except AttributeError:
            code = plain(lib.tt_dtype_of_at, ("v",), "v", (self,))
            self._dtype = _dtypes.BY_CODE[code]
            return self._dtype

    ndim = property(lambda self: len(self.shape), doc="The number of dims.")
    size = property(lambda self: plain(lib.tt_count_at, ("v",), "v", (self,)), doc="The number of elements.")
    nbytes = property(lambda self: plain(lib.tt_bytes_at, ("v",), "v", (self,)), doc="The bytes of the whole array.")
    itemsize = property(lambda self: self.dtype.itemsize, doc="The bytes of one element.")
    is_traced = property(lambda self: bool(plain(lib.tt_is_traced_at, ("v",), "v", (self,))),
                         doc="True if the elements are known only when the function runs.")
    spec = property(lambda self: plain(lib.tt_spec_at, ("v",), "v", (self,)),
                    doc="The layout: \"data, _\"; \"\": none.")
    T = property(lambda self: self.transpose(), doc="The dims reversed.")
    mT = property(lambda self: self.swapaxes(-1, -2), doc="The last two dims swapped.")
    real = property(lambda self: call(lib.tt_real_at, ("v",), "v", (self,)), doc="The real parts.")
    imag = property(lambda self: call(lib.tt_imag_at, ("v",), "v", (self,)), doc="The imaginary parts.")

    @property
    def mesh(self):
        """The mesh that the array is laid out over; None: it is not."""
        from . import _mesh
        return _mesh.mesh_of(self)

    def __len__(self):
        if not self.shape:
            raise TypeError("an array without dims has no length")
        return self.shape[0]

    def __iter__(self):
        if not self.shape:
            raise TypeError("an array without dims cannot be iterated over")
        return (self[i] for i in range(self.shape[0]))

    def __repr__(self):
        if lib.tt_is_traced_at(ffi.NULL, self._v):
            return "Traced(%s)" % self._type()
        try:
            text = np.array2string(np.asarray(self), separator=", ", prefix="Array(")
        except _core.Error:
            return "Array(%s)" % self._type()
        return "Array(%s, dtype=%s)" % (text, self.dtype.name)

    def __str__(self):
        if lib.tt_is_traced_at(ffi.NULL, self._v):
            return repr(self)
        return str(np.asarray(self))

    def __format__(self, spec):
        return format(self.item(), spec) if not self.shape else format(str(self), spec)

    def _type(self):
        return plain(lib.tt_type_text_at, ("v",), "v", (self,))

    # ---- elements for Python ----

    def __array__(self, dtype=None, copy=None):
        if copy is not True and VIEWS and self._is_plain():
            a = np.from_dlpack(self)
        elif copy is False:
            raise _core.fail(_core.ArgumentError, "%s: NumPy cannot have its elements without a copy" % self._type())
        else:
            a = np.empty(self.shape, self.dtype.numpy)
            plain(lib.tt_read_at, ("v", "to", "bytes"), "vpi", (self, a, a.nbytes))
        return a if dtype is None else a.astype(dtype, copy=False)

    def _is_plain(self):
        """True if NumPy can read the array's own memory."""
        return self.dtype.name in _PLAIN and not self.spec and not self.is_traced

    def numpy(self) -> np.ndarray:
        """The elements as an array of NumPy, without a copy where that can be: then nobody may write to it."""
        return np.asarray(self)

    def item(self, *index) -> Any:
        """The one element, or that at an index, as a number of Python."""
        return np.asarray(self).item(*index)

    def tolist(self) -> Any:
        """The elements as numbers of Python in nested lists."""
        return np.asarray(self).tolist()

    def _one(self):
        if self.size != 1:
            raise TypeError("%s has not one element" % self._type())
        return np.asarray(self).reshape(()).item()

    def __bool__(self):
        return bool(self._one())

    def __int__(self):
        return int(self._one())

    def __float__(self):
        return float(self._one())

    def __complex__(self):
        return complex(self._one())

    def __index__(self):
        if self.dtype.kind not in "iu" or self.shape:
            raise TypeError("%s is no whole number" % self._type())
        return int(self._one())

    def block_until_ready(self) -> "Array":
        """Waits until the elements are computed; returns the array."""
        site = _core.here()
        lib.tt_wait_at(site, self._v)
        _core.check()
        return self

    def __reduce__(self):
        return _restored, (np.array(self, copy=True),)

    # ---- DLPack ----

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        site = _core.here()
        if dl_device is not None and tuple(dl_device) != (1, 0):
            raise BufferError("the elements are in this machine's memory")
        versioned = bool(max_version and max_version[0] >= 1)
        export = lib.tt_to_dlpack_at if versioned else lib.tt_to_dlpack_before_1_at
        v = np.array(self, copy=True) if copy else None
        if v is not None:
            return v.__dlpack__(max_version=max_version) if versioned else v.__dlpack__()
        t = export(site, self._v)
        _core.check()
        return _capsule_new(int(ffi.cast("intptr_t", t)), _CAPSULE[versioned], _DROP)

    # ---- operators ----

    __add__, __radd__ = _binary(lib.tt_add_at)
    __sub__, __rsub__ = _binary(lib.tt_sub_at)
    __mul__, __rmul__ = _binary(lib.tt_mul_at)
    __mod__, __rmod__ = _binary(lib.tt_mod_at)
    __floordiv__, __rfloordiv__ = _binary(lib.tt_floor_divide_at)
    __and__, __rand__ = _binary(lib.tt_and_at)
    __or__, __ror__ = _binary(lib.tt_or_at)
    __xor__, __rxor__ = _binary(lib.tt_xor_at)
    __lshift__, __rlshift__ = _binary(lib.tt_shl_at)
    __eq__, __ne__, __lt__, __le__, __gt__, __ge__ = (_compare(i) for i in range(6))

    def __truediv__(self, other):
        from . import _numpy
        return NotImplemented if isinstance(other, (str, dict, list, tuple)) else _numpy.divide(self, other)

    def __rtruediv__(self, other):
        from . import _numpy
        return NotImplemented if isinstance(other, (str, dict, list, tuple)) else _numpy.divide(other, self)

    def __pow__(self, other):
        from . import _numpy
        return _numpy.power(self, other)

    def __rpow__(self, other):
        from . import _numpy
        return _numpy.power(other, self)

    def __matmul__(self, other):
        return call(lib.tt_matmul_at, ("a", "b"), "vv", (self, other), _NONE)

    def __rmatmul__(self, other):
        return call(lib.tt_matmul_at, ("a", "b"), "vv", (other, self), _NONE)

    def __rshift__(self, other):
        return call(lib.tt_shr_at if self.dtype.kind == "u" else lib.tt_sar_at, ("a", "b"), "vv", (self, other))

    def __divmod__(self, other):
        return self // other, self % other

    def __neg__(self):
        return call(lib.tt_neg_at, ("x",), "v", (self,))

    def __pos__(self):
        return self

    def __abs__(self):
        return call(lib.tt_abs_at, ("x",), "v", (self,))

    def __invert__(self):
        return call(lib.tt_not_at, ("x",), "v", (self,))

    def __round__(self, digits=None):
        if digits:
            return (self * 10.0 ** digits).round() / 10.0 ** digits
        return self.round()

    # ---- elements by place ----

    def __getitem__(self, index):
        from . import _index
        return _index.get(self, index)

    def __setitem__(self, index, value):
        raise TypeError("arrays are immutable: y = x.at[index].set(value) is a new one")

    @property
    def at(self):
        """x.at[index].set(y), .add(y), .multiply(y), .max(y), .min(y): a new array; .get() reads."""
        from . import _index
        return _index.Places(self)

    # ---- methods of NumPy ----

    sum, prod, mean, var, std = (_reduction(n) for n in ("sum", "prod", "mean", "var", "std"))
    max, min, any, all = (_reduction(n) for n in ("max", "min", "any", "all"))
    argmax, argmin = (_reduction(n) for n in ("argmax", "argmin"))

    def astype(self, dtype) -> "Array":
        """The elements converted to another type."""
        return call(lib.tt_cast_at, ("v", "dtype"), "vt", (self, dtype))

    def reshape(self, *shape) -> "Array":
        """The elements in other dims; one of them may be -1."""
        return call(lib.tt_reshape_at, ("v", "shape"), "vD", (self, shape[0] if len(shape) == 1 else shape))

    def transpose(self, *axes) -> "Array":
        """The dims in another order, reversed without axes."""
        axes = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
        return call(lib.tt_transpose_at, ("v", "axes"), "vD", (self, axes or ()))

    def swapaxes(self, i, j) -> "Array":
        """Two dims swapped."""
        return call(lib.tt_swapaxes_at, ("v", "i", "j"), "vii", (self, i, j))

    def ravel(self) -> "Array":
        """All elements in one dim."""
        return self.reshape(-1)

    def flatten(self) -> "Array":
        """All elements in one dim."""
        return self.reshape(-1)

    def squeeze(self, axis=None) -> "Array":
        """Without the dims of size 1, or without those of `axis`."""
        from . import _numpy
        return _numpy.squeeze(self, axis)

    def dot(self, other) -> "Array":
        """tutti.dot of this array and another."""
        from . import _numpy
        return _numpy.dot(self, other)

    def clip(self, min=None, max=None) -> "Array":
        """tutti.clip of this array."""
        from . import _numpy
        return _numpy.clip(self, min, max)

    def cumsum(self, axis=None) -> "Array":
        """tutti.cumsum of this array."""
        from . import _numpy
        return _numpy.cumsum(self, axis)

    def cumprod(self, axis=None) -> "Array":
        """tutti.cumprod of this array."""
        from . import _numpy
        return _numpy.cumprod(self, axis)

    def sort(self, axis=-1) -> "Array":
        """The elements in rising order along an axis."""
        from . import _numpy
        return _numpy.sort(self, axis)

    def argsort(self, axis=-1) -> "Array":
        """The indices that sort an axis."""
        from . import _numpy
        return _numpy.argsort(self, axis)

    def take(self, index, axis=None) -> "Array":
        """tutti.take of this array."""
        from . import _numpy
        return _numpy.take(self, index, axis)

    def repeat(self, n, axis=None) -> "Array":
        """tutti.repeat of this array."""
        from . import _numpy
        return _numpy.repeat(self, n, axis)

    def round(self) -> "Array":
        """The nearest whole numbers, halves to even ones."""
        return call(lib.tt_round_even_at, ("x",), "v", (self,))

    def conj(self) -> "Array":
        """The complex conjugates."""
        return call(lib.tt_conj_at, ("v",), "v", (self,))

    def copy(self) -> "Array":
        """The array itself, which nobody can change."""
        return self


class State(Handle):
    """A tree with a tag, as an optimizer's state: state["rate"], state.set("rate", 0.1)."""
    __slots__ = ()

    def __getitem__(self, path):
        return call(lib.tt_get_at, ("tree", "path"), "vs", (self, path))

    def __contains__(self, path):
        return bool(plain(lib.tt_has_at, ("tree", "path"), "vs", (self, path)))

    def set(self, path, x):
        """A new state with another value at a path."""
        return call(lib.tt_set_at, ("tree", "path", "v"), "vsv", (self, path, x))

    def leaves(self):
        """The arrays by their paths, a dict."""
        n = plain(lib.tt_tree_leaves_at, ("tree", "n", "out"), "vin", (self, 0, None))
        paths = [plain(lib.tt_leaf_path_at, ("tree", "i"), "vi", (self, i)) for i in range(n)]
        return {p: self[p] for p in paths}

    def __repr__(self):
        return "State(%s: %s)" % (plain(lib.tt_tag_at, ("tree",), "v", (self,)), ", ".join(self.leaves()))


_NONE = _core.Options("tt_matmul_opts", "precision=precision:s")
_PLAIN = set("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 "
             "complex128".split())
_core.CONVERT["p"] = lambda what, a: ffi.from_buffer("char[]", a.reshape(-1).view(np.uint8), require_writable=True)
_core.CONVERT["n"] = lambda what, a: ffi.NULL


def _result(site, v, how):
    return Array(v) if how == 1 else _tree.tree_of(site, v, Array, State)


_core.to_python[0] = _result


def _restored(a):
    return array(a)


# ---- from Python and NumPy ----


def unmasked(what, a):
    """An array of NumPy; one with a mask is an error, since the mask would be lost."""
    if isinstance(a, np.ma.MaskedArray):
        raise _core.fail(_core.DtypeError, "%s: an array with a mask, which would be lost" % what,
                         "x.filled(value) has a value in the place of each masked one")
    return a


def _of_numpy(what, a):
    """A copy of NumPy's elements as a value of C, in the current scope."""
    site = _core.here()
    unmasked(what, a)
    code = _dtypes.dtype(a.dtype).code
    a = np.ascontiguousarray(a, a.dtype.newbyteorder("=")).reshape(a.shape)
    memory = ffi.from_buffer("char[]", a.reshape(-1).view(np.uint8)) if a.size else ffi.NULL
    v = lib.tt_array_at(site, code, memory, ffi.new("int64_t[]", a.shape + (_core.DIM_END,)))
    _core.check()
    return v


def _of_list(what, x):
    """Nested lists of numbers, with the types that Python's numbers have: 32 bits, where they fit."""
    try:
        a = np.array(x)
    except ValueError:
        raise _core.fail(_core.ShapeError, "%s: lists of unequal lengths" % what) from None
    if a.dtype == np.float64 and not _dtypes._x64():
        a = a.astype(np.float32)
    elif a.dtype == np.complex128 and not _dtypes._x64():
        a = a.astype(np.complex64)
    elif a.dtype == np.int64 and not _dtypes._x64() and (not a.size or (a.min() >= -2**31 and a.max() < 2**31)):
        a = a.astype(np.int32)
    return _of_numpy(what, a)


def leaf(what, x):
    """An array, a number, or what another library has for one, as a value of C, in the current scope."""
    handle = getattr(x, "_v", None)
    if handle is not None:
        return handle
    if isinstance(x, bool):
        return lib.tt_b(x)
    if isinstance(x, int):
        return lib.tt_i(_core.whole(what, x))
    if isinstance(x, float) and not isinstance(x, np.generic):
        return lib.tt_f(x)
    if isinstance(x, complex) and not isinstance(x, np.generic):
        return _of_list(what, x)
    if isinstance(x, (np.ndarray, np.generic)):
        return _of_numpy(what, np.asanyarray(x))
    if hasattr(x, "__dlpack__"):
        return _of_dlpack(x, None)
    if hasattr(x, "__array__") or isinstance(x, memoryview):
        return _of_numpy(what, np.asarray(x))
    raise _core.fail(_core.DtypeError, "%s: an array or a number is expected, not %s" % (what, type(x).__name__))


_tree.LEAF[0] = leaf


def _kept(make):
    """The Array of the value that make() has made in a scope of its own."""
    scope = lib.tt_scope_open()
    try:
        v = make()
        lib.tt_keep_at(_core.here(), v)
        _core.check()
        return Array(v)
    finally:
        lib.tt_scope_close(scope)


def array(x, dtype=None) -> Array:
    """An array of numbers, nested lists, arrays of NumPy (copied), or arrays of other libraries (through DLPack,
    without a
    copy where they cannot be written to). dtype: converts. Lists of numbers have JAX's types, float32 and int32; arrays
    keep theirs."""
    if isinstance(x, range):
        x = list(x)
    if isinstance(x, (list, tuple)):
        if any(isinstance(y, Array) for y in _tree.tree_leaves(list(x))):
            from . import _numpy
            made = _numpy.stack([array(y) for y in x])
        else:
            made = _kept(lambda: _of_list("array", x))
    else:
        made = x if isinstance(x, Array) else _kept(lambda: leaf("array", x))
    if dtype is None and type(x) is int and not _dtypes._x64() and not -2**31 <= x < 2**31:
        raise _core.fail(_core.DtypeError, "array: %d is no number of int32" % x, "tt.array(x, dtype=tt.int64)")
    if dtype is None or made.dtype == dtype:
        return made
    converted = made.astype(dtype)
    if isinstance(x, (int, float, complex, list, tuple)) and not isinstance(x, np.generic):
        for n in _tree.tree_leaves(list(x) if isinstance(x, (list, tuple)) else [x]):
            if not _has(converted.dtype, n):
                raise _core.fail(_core.DtypeError, "array: %s is no number of %s" % (n, converted.dtype),
                                 "astype cuts it: tt.array(x).astype(dtype)")
    return converted


def _has(dtype, n):
    """True unless n is a number of Python that is out of the range of the type; fractions are cut, as in NumPy."""
    if type(n) is complex:
        return dtype.kind in "c"
    bounds = _dtypes.bounds(dtype.name)
    if not bounds or type(n) not in (int, float):
        return True
    return n == n and bounds[0] <= (n if type(n) is int or abs(n) == float("inf") else int(n)) <= bounds[1]


asarray = array

# ---- DLPack ----

_py = ctypes.pythonapi
_CAPSULE = {True: b"dltensor_versioned", False: b"dltensor"}
_USED = {True: b"used_dltensor_versioned", False: b"used_dltensor"}


def _declared(f, result, *args):
    f.restype, f.argtypes = result, args
    return f


_capsule_new = _declared(_py.PyCapsule_New, ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_capsule_get = _declared(_py.PyCapsule_GetPointer, ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
_capsule_is = _declared(_py.PyCapsule_IsValid, ctypes.c_int, ctypes.py_object, ctypes.c_char_p)
_capsule_name = _declared(_py.PyCapsule_SetName, ctypes.c_int, ctypes.py_object, ctypes.c_char_p)
_DROP = int(ffi.cast("intptr_t", ffi.addressof(lib, "pt_capsule_drop")))
_dlpack_options = _core.Options("tt_dlpack_opts", "copy=copy:k")


def _taken(capsule, versioned, copy):
    """The value of a capsule, which is then used up; an error leaves it as it is."""
    site, keep = _core.here(), []
    p = ffi.cast("void *", _capsule_get(capsule, _CAPSULE[versioned]))
    of = lib.tt_from_dlpack_at if versioned else lib.tt_from_dlpack_before_1_at
    v = of(site, p, _dlpack_options.struct((copy,), keep))
    _core.check()
    _capsule_name(capsule, _USED[versioned])
    return v


def _resolved(x, copy):
    """A tensor of PyTorch whose memory has its elements: its __dlpack__ does not look at the bit of negation."""
    if x.requires_grad:
        raise _core.fail(_core.GradError,
                         "a tensor that requires a gradient: no derivative of PyTorch goes through this",
                         "x.detach() is the tensor without it")
    if not (x.is_conj() or x.is_neg()):
        return x
    if copy is not None and not copy:
        raise _core.fail(_core.ArgumentError, "a tensor whose elements are conjugated or negated when they are read",
                         "a copy has them: leave copy=False out")
    return x.resolve_conj().resolve_neg()


def _of_dlpack(x, copy):
    if not hasattr(x, "__dlpack__") or not hasattr(x, "__dlpack_device__"):
        raise _core.fail(_core.DtypeError, "from_dlpack: an array with __dlpack__ is expected, not %s" %
                         type(x).__name__)
    if hasattr(x, "resolve_neg"):
        x = _resolved(x, copy)
    if x.__dlpack_device__()[0] != 1:
        raise _core.fail(_core.ArgumentError, "an array on the device %s, which is not this machine's memory" %
                         (tuple(int(n) for n in x.__dlpack_device__()),), "bring it to the processor first")
    try:
        capsule = x.__dlpack__(max_version=(1, 1))
    except TypeError:
        capsule = x.__dlpack__()
    except BufferError as e:
        raise _core.fail(_core.ArgumentError, "%s cannot be taken: %s" % (type(x).__name__, e)) from e
    versioned = bool(_capsule_is(capsule, _CAPSULE[True]))
    if copy is not None:
        return _taken(capsule, versioned, bool(copy))
    try:
        return _taken(capsule, versioned, False)
    except (_core.ArgumentError, _core.ShapeError):      # not aligned or not row-major
        return _taken(capsule, versioned, True)


def from_dlpack(x, copy=None) -> Array:
    """An array of another library's. copy None: its own memory, to which nobody may write while the array lives, or a
    copy where the memory does not begin at a multiple of 16 bytes or is not row-major; False: a copy is an error; True:
    always a copy."""
    return _kept(lambda: _of_dlpack(x, copy))
