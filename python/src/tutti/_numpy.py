"""Functions with the signatures of jax.numpy, where these differ from C's."""
import builtins as _builtins
from typing import Any, List

import numpy as np

from . import _api, _core, _dtypes, _tree
from ._api import *  # noqa: F401,F403
from ._array import Array, _is_whole, array
from ._core import call, lib

# ---- arrays by rule ----


def _float(dtype):
    return float if dtype is None else dtype


def full(shape, fill_value, dtype=None) -> Array:
    """An array whose elements are one value."""
    if dtype is None:
        dtype = getattr(fill_value, "dtype", type(fill_value))
    if isinstance(fill_value, (bool, int)):
        return call(lib.tt_full_i_at, ("fill_value", "dtype", "shape"), "itD", (int(fill_value), dtype, shape))
    if isinstance(fill_value, float):
        return call(lib.tt_full_at, ("fill_value", "dtype", "shape"), "dtD", (fill_value, dtype, shape))
    return broadcast_to(array(fill_value, dtype), shape)


def zeros(shape, dtype=None) -> Array:
    """An array of zeros, of float32 without dtype."""
    return call(lib.tt_full_at, ("value", "dtype", "shape"), "dtD", (0.0, _float(dtype), shape))


def ones(shape, dtype=None) -> Array:
    """An array of ones, of float32 without dtype."""
    return call(lib.tt_full_at, ("value", "dtype", "shape"), "dtD", (1.0, _float(dtype), shape))


def _like(x, dtype, shape):
    x = array(x)
    return (x.shape if shape is None else shape), (x.dtype if dtype is None else dtype)


def zeros_like(x, dtype=None, shape=None) -> Array:
    """Zeros of an array's shape and type."""
    return zeros(*_like(x, dtype, shape))


def ones_like(x, dtype=None, shape=None) -> Array:
    """Ones of an array's shape and type."""
    return ones(*_like(x, dtype, shape))


def full_like(x, fill_value, dtype=None, shape=None) -> Array:
    """One value in an array's shape and type."""
    shape, dtype = _like(x, dtype, shape)
    return broadcast_to(array(fill_value).astype(dtype), shape)


empty = zeros
empty_like = zeros_like


def arange(start, stop=None, step=None, dtype=None) -> Array:
    """start, start + step, ... up to, not including, stop; with one number from 0."""
    numbers = [start] if stop is None else [start, stop] if step is None else [start, stop, step]
    if dtype is None:
        dtype = int if not [n for n in numbers if not isinstance(n, int)] else float
    end = 1.7976931348623157e308
    return call(lib.tt_arange_of_at, ("dtype", "numbers"), "tR",
                (dtype, [_core.number("arange", n) for n in numbers] + [end]))


_core.CONVERT["R"] = lambda what, xs: _core.ffi.new("double[]", xs)


def linspace(start, stop, num=50, dtype=None) -> Array:
    """num numbers from start to stop, both included."""
    return call(lib.tt_linspace_at, ("dtype", "start", "stop", "num"), "tddi", (_float(dtype), start, stop, num))


_eye_options = _core.Options("tt_eye_opts", "M=columns:i k=diagonal:i")


def eye(N, M=None, k=0, dtype=None) -> Array:
    """N x M, 1 on the k-th diagonal, else 0."""
    return call(lib.tt_eye_at, ("dtype", "N"), "ti", (_float(dtype), N), _eye_options, (M, k))


identity = eye

# ---- elementwise ----


def divide(a, b):
    """a / b; of whole numbers floats, as in NumPy."""
    if _is_whole(a) and _is_whole(b):
        a = array(a).astype(float)
    return call(lib.tt_div_at, ("a", "b"), "vv", (a, b))


def power(a, b):
    """a to the power b; a whole number of Python as b multiplies."""
    if isinstance(b, int) and not isinstance(b, bool) and isinstance(a, Array):
        return call(lib.tt_integer_pow_at, ("a", "b"), "vi", (a, b))
    return call(lib.tt_pow_at, ("a", "b"), "vv", (a, b))


def clip(x, min=None, max=None) -> Array:
    """x between min and max, each of which may be left out; max where min is above it, as in NumPy."""
    if min is not None:
        x = call(lib.tt_max_at, ("x", "min"), "vv", (x, min))
    return x if max is None else call(lib.tt_min_at, ("x", "max"), "vv", (x, max))


def right_shift(a, b) -> Array:
    """a of integers shifted to the right: with copies of its sign, or with zeros where the sum's type has no sign."""
    kind = result_type(a, b).kind
    return call(lib.tt_shr_at if kind == "u" else lib.tt_sar_at, ("a", "b"), "vv", (a, b))


def where(condition, x=None, y=None) -> Any:
    """x where the condition is true, else y; with the condition alone the indices where it is, as nonzero."""
    if x is None and y is None:
        return _api.nonzero(condition)
    if x is None or y is None:
        raise _core.fail(_core.ArgumentError, "where: %s is missing" % ("x" if x is None else "y"),
                         "both x and y, or neither")
    return call(lib.tt_where_at, ("condition", "x", "y"), "vvv", (condition, x, y))


def maximum(a, b) -> Array:
    """The larger of each two elements."""
    return call(lib.tt_max_at, ("a", "b"), "vv", (a, b))


def minimum(a, b) -> Array:
    """The smaller of each two elements."""
    return call(lib.tt_min_at, ("a", "b"), "vv", (a, b))


def _compared(direction, name):
    def of(a, b):
        return call(lib.tt_compare_at, ("direction", "a", "b"), "ivv", (direction, a, b))
    of.__name__, of.__doc__ = name, "a %s b, elementwise." % ("==", "!=", "<", "<=", ">", ">=")[direction]
    return of


equal, not_equal, less, less_equal, greater, greater_equal = (
    _compared(i, n) for i, n in enumerate("equal not_equal less less_equal greater greater_equal".split()))


def _truth(x):
    x = array(x)
    return x if x.dtype == bool else x != 0


def logical_and(a, b) -> Array:
    """True where both are true."""
    return _truth(a) & _truth(b)


def logical_or(a, b) -> Array:
    """True where one is true."""
    return _truth(a) | _truth(b)


def logical_xor(a, b) -> Array:
    """True where one is true, and not both."""
    return _truth(a) ^ _truth(b)


def logical_not(x) -> Array:
    """True where x is not."""
    return ~_truth(x)


# ---- reductions ----


def max(x, axis=None, keepdims=None, *, where=None, initial=None) -> Array:
    """The largest element, along the axes; of two arrays, elementwise: maximum."""
    return _api.amax(x, axis=axis, keepdims=keepdims, where=where, initial=initial)


def min(x, axis=None, keepdims=None, *, where=None, initial=None) -> Array:
    """The smallest element, along the axes; of two arrays, elementwise: minimum."""
    return _api.amin(x, axis=axis, keepdims=keepdims, where=where, initial=initial)


def _by_axis(name):
    f = getattr(_api, name)

    def of(x, axis=None, keepdims=None, **options):
        return f(x, axis=axis, keepdims=keepdims, **options)
    of.__name__, of.__doc__ = name, f.__doc__
    return of


sum, prod, mean, var, std, any, all, argmax, argmin, logsumexp, nansum, nanmean, median = (_by_axis(n) for n in (
    "sum prod mean var std any all argmax argmin logsumexp nansum nanmean median".split()))


def _along(f):
    """A function of C along one axis, which NumPy takes of the flattened array without one."""
    def of(x, axis=None, reverse=None):
        return f(array(x).reshape(-1), 0, reverse=reverse) if axis is None else f(x, axis, reverse=reverse)
    of.__name__, of.__doc__ = f.__name__, f.__doc__
    return of


cumsum, cumprod, cummax, cummin = (_along(getattr(_api, n)) for n in ("cumsum", "cumprod", "cummax", "cummin"))


def softmax(x, axis=-1, where=None) -> Array:
    """e^x divided by its sum along the axes."""
    return _api.softmax(x, axis=axis, where=where)


def log_softmax(x, axis=-1, where=None) -> Array:
    """The logarithm of softmax."""
    return _api.log_softmax(x, axis=axis, where=where)


def standardize(x, axis=-1, where=None) -> Array:
    """x with mean 0 and variance 1 along the axes."""
    return _api.standardize(x, axis=axis, where=where)


# ---- shape ----


def reshape(x, shape) -> Array:
    """The elements in other dims; one of them may be -1."""
    return array(x).reshape(shape)


def ravel(x) -> Array:
    """All elements in one dim."""
    return array(x).reshape(-1)


def transpose(x, axes=None) -> Array:
    """The dims in another order, reversed without axes."""
    return array(x).transpose(*(() if axes is None else (_core.wholes("axes", axes),)))


permute_dims = transpose


def broadcast_to(x, shape) -> Array:
    """x with new dims in front and dims of size 1 stretched."""
    return call(lib.tt_broadcast_at, ("x", "shape"), "vD", (x, shape))


def _axes(what, ndim, axes):
    """Axes of an array of so many dims, each once and counted from 0."""
    given = _core.wholes("axis", axes)
    for i in given:
        if not -ndim <= i < ndim:
            raise _core.fail(_core.ArgumentError, "%s: no axis %d in an array of %d dims" % (what, i, ndim))
    places = [i % ndim for i in given]
    if len(set(places)) < len(places):
        raise _core.fail(_core.ArgumentError, "%s: an axis is named twice in %s" % (what, given))
    return places


def squeeze(x, axis=None) -> Array:
    """Without the dims of size 1, or without those of `axis`."""
    x = array(x)
    axes = [i for i, n in enumerate(x.shape) if n == 1] if axis is None else _axes("squeeze", x.ndim, axis)
    for i in sorted(axes, reverse=True):
        x = call(lib.tt_squeeze_at, ("x", "axis"), "vi", (x, i))
    return x


def expand_dims(x, axis) -> Array:
    """With new dims of size 1 at the places `axis` of the result."""
    x = array(x)
    axes = _core.wholes("axis", axis)
    for i in sorted(i % (x.ndim + len(axes)) if i < 0 else i for i in axes):
        x = call(lib.tt_expand_dims_at, ("x", "axis"), "vi", (x, i))
    return x


def _sequence(what, xs):
    if isinstance(xs, Array) or not hasattr(xs, "__iter__"):
        raise _core.fail(_core.DtypeError, "%s: a list of arrays is expected, not %s" % (what, type(xs).__name__))
    return list(xs)


def concatenate(arrays, axis=0) -> Array:
    """Arrays joined along an axis; None: of all elements."""
    arrays = _sequence("concatenate", arrays)
    if axis is None:
        arrays, axis = [ravel(a) for a in arrays], 0
    return call(lib.tt_concat_at, ("axis", "arrays"), "iV", (axis, arrays))


concat = concatenate


def stack(arrays, axis=0) -> Array:
    """Arrays of one shape joined along a new axis."""
    return call(lib.tt_stack_values_at, ("axis", "arrays"), "iV", (axis, _sequence("stack", arrays)))


def _joined(name, rows):
    f = getattr(_api, name)

    def of(*arrays):
        one = len(arrays) == 1
        if one and rows and hasattr(arrays[0], "shape"):   # an array is the list of its rows, as in NumPy
            return f(list(array(arrays[0])))
        return f(_sequence(name, arrays[0] if one and not isinstance(arrays[0], Array) else arrays))
    of.__name__, of.__doc__ = name, f.__doc__
    return of


vstack, hstack, dstack, column_stack = (_joined(n, True) for n in "vstack hstack dstack column_stack".split())
meshgrid, block_diag = (_joined(n, False) for n in "meshgrid block_diag".split())


def split(x, indices_or_sections, axis=0) -> List[Array]:
    """The pieces of x along an axis: so many equal ones, or cut before each of the places."""
    x = array(x)
    axis, = _axes("split", x.ndim, axis)
    if not hasattr(indices_or_sections, "__index__"):
        return list(call(lib.tt_split_indices_at, ("x", "axis", "places"), "viD", (x, axis, indices_or_sections)))
    n = _core.whole("sections", indices_or_sections)
    if n < 1 or x.shape[axis] % n:
        raise _core.fail(_core.ShapeError, "split: %d rows in %d equal pieces" % (x.shape[axis], n),
                         "tt.array_split makes pieces of unequal sizes")
    return list(_api.array_split(x, n, axis))


def tile(x, reps) -> Array:
    """a b -> a b a b, so often along each dim."""
    return call(lib.tt_tile_at, ("x", "reps"), "vD", (x, reps))


def repeat(x, repeats, axis=None) -> Array:
    """a b -> a a b b along an axis; without one of all elements."""
    return _api.repeat(x, repeats, axis) if axis is not None else _api.repeat(ravel(x), repeats, 0)


def roll(x, shift, axis=None) -> Array:
    """Element i goes to i + shift along an axis; without one of all elements. Of several shifts and axes each shift is
    along its axis; one shift, or one axis, is for all."""
    if axis is None:
        x = array(x)
        return _api.roll(ravel(x), _builtins.sum(_core.wholes("shift", shift)), 0).reshape(x.shape)
    shifts, axes = _core.wholes("shift", shift), _core.wholes("axis", axis)
    if len(shifts) != len(axes) and 1 not in (len(shifts), len(axes)):
        raise _core.fail(_core.ArgumentError, "roll: %d shifts for %d axes" % (len(shifts), len(axes)),
                         "as many of both, or one for all")
    n = _builtins.max(len(shifts), len(axes))
    for s, a in zip(shifts * (n // len(shifts)), axes * (n // len(axes))):
        x = _api.roll(x, s, a)
    return x


def take(x, indices, axis=None, mode=None) -> Array:
    """The rows of an axis at indices; without an axis of all elements."""
    indices = array(indices)
    return _api.take(x, indices, axis, mode=mode) if axis is not None else _api.take(ravel(x), indices, 0, mode=mode)


def take_along_axis(x, indices, axis=-1) -> Array:
    """The elements of each line along an axis at that line's indices."""
    return _api.take_along_axis(x, indices, axis)


def pad(x, pad_width, mode="constant", constant_values=None) -> Array:
    """x with elements around it: pad_width is a number, (low, high), or a pair for each dim."""
    x = array(x)
    widths = pad_width
    if not isinstance(widths, str):
        widths = np.asarray(widths)
        if widths.dtype.kind not in "iu":
            raise _core.fail(_core.DtypeError, "pad: pad_width is of %s; expected whole numbers" % widths.dtype)
        try:
            widths = np.broadcast_to(widths, (x.ndim, 2)).tolist()
        except ValueError:
            raise _core.fail(_core.ShapeError, "pad: pad_width of shape %s for %d dims" % (widths.shape, x.ndim),
                             "a number, (low, high), or a pair for each dim") from None
        widths = ", ".join("%d:%d" % (low, high) for low, high in widths)
    return _api.pad_with(x, widths, mode=mode, value=constant_values)


def gradient(x, axis=None, step=None):
    """The slope along the axes, a list, or an array where there is one."""
    g = _api.gradient(x, axis=axis, step=step)
    return list(g) if isinstance(g, tuple) else g


# ---- contractions ----


def einsum(text, *arrays, precision=None) -> Array:
    """Sums of products as text, "i j, j k -> i k" or "ij,jk->ik"."""
    return call(lib.tt_einsum_at, ("text", "arrays"), "sV", (_spaced(text, arrays), arrays))


def _spaced(text, arrays):
    """NumPy's text as C's: letters apart, the result in alphabetical order where the text does not say it."""
    if " " in text.replace("->", "").replace(", ", ",").strip() and "->" in text:
        return text
    sides = text.replace(" ", "").split("->")
    if sides[0].count(",") + 1 != len(arrays):
        raise _core.fail(_core.ArgumentError, "einsum: %r names %d operands, %d are given" %
                         (text, sides[0].count(",") + 1, len(arrays)))
    if "..." in text:
        letters = iter("".join(c for c in "zyxwvutsrqponmlkjihgfedcbaZYXWVUT" if c not in text))
        inputs = sides[0].split(",")
        ranks = [array(a).ndim - len(i.replace("...", "")) for i, a in zip(inputs, arrays)]
        most = np.max(ranks)
        batch = "".join(next(letters) for _ in range(most))
        inputs = [i.replace("...", batch[most - r:]) for i, r in zip(inputs, ranks)]
        sides = [",".join(inputs)] + [s.replace("...", batch) for s in sides[1:]]
        if len(sides) == 1:
            sides.append(batch + _once("".join(i.replace("...", "") for i in text.split(","))))
    if len(sides) == 1:
        sides.append(_once(sides[0].replace(",", "")))
    return "%s -> %s" % (", ".join(" ".join(i) for i in sides[0].split(",")), " ".join(sides[1]))


def _once(letters):
    return "".join(c for c in sorted(set(letters)) if letters.count(c) == 1)


def dot(a, b) -> Array:
    """NumPy's dot: of vectors the sum of products, else over a's last and b's last but one dim."""
    a, b = array(a), array(b)
    if not a.ndim or not b.ndim:
        return a * b
    if b.ndim <= 2:
        return a @ b
    return tensordot(a, b, ((a.ndim - 1,), (b.ndim - 2,)))


def tensordot(a, b, axes=2) -> Array:
    """Sums of products over the last `axes` dims of a and the first of b, or over two lists of dims."""
    a, b = array(a), array(b)
    if not hasattr(axes, "__iter__"):
        n = _core.whole("axes", axes)
        if not 0 <= n <= _builtins.min(a.ndim, b.ndim):
            raise _core.fail(_core.ArgumentError, "tensordot: axes is %d; expected 0 to %d, the dims of both" %
                             (n, _builtins.min(a.ndim, b.ndim)))
        axes = (range(a.ndim - n, a.ndim), range(n))
    if len(axes) != 2:
        raise _core.fail(_core.ArgumentError, "tensordot: axes has %d lists; expected two, of a and of b" % len(axes))
    of_a, of_b = _axes("tensordot", a.ndim, axes[0]), _axes("tensordot", b.ndim, axes[1])
    if len(of_a) != len(of_b):
        raise _core.fail(_core.ShapeError, "tensordot: %d dims of a and %d of b" % (len(of_a), len(of_b)))
    pairs = ", ".join("%d:%d" % pair for pair in zip(of_a, of_b))
    if not pairs:
        return a.reshape(a.shape + (1,) * b.ndim) * b
    return call(lib.tt_dot_at, ("a", "b"), "vv", (a, b), _dot_options, (pairs,))


_dot_options = _core.Options("tt_dot_opts", "axes=sum:s")


def vdot(a, b) -> Array:
    """The sum of conj(a) b over all elements."""
    return ravel(array(a).conj()) @ ravel(b)


def inner(a, b) -> Array:
    """The sum of products over the last dims."""
    a, b = array(a), array(b)
    return a * b if not a.ndim or not b.ndim else tensordot(a, b, ((a.ndim - 1,), (b.ndim - 1,)))


def astype(x, dtype) -> Array:
    """x converted to another type."""
    return array(x).astype(dtype)



def result_type(*xs) -> _dtypes.Dtype:
    """The type that the sum of these has."""
    total = xs[0] if hasattr(xs[0], "dtype") or isinstance(xs[0], (int, float, complex)) else zeros((), xs[0])
    for x in xs[1:]:
        total = total + (x if hasattr(x, "dtype") or isinstance(x, (int, float, complex)) else zeros((), x))
    return array(total).dtype if hasattr(total, "dtype") else _dtypes.dtype(type(total))


# ---- other names of the same functions ----

add, subtract, multiply, negative = _api.add, _api.sub, _api.mul, _api.neg
true_divide, remainder, absolute = divide, _api.mod, _api.abs
isfinite, sigmoid, arctan2, invert = _api.is_finite, _api.logistic, _api.atan2, _api.bitwise_not
arcsin, arccos, arctan, arcsinh, arccosh, arctanh = (getattr(_api,
                                                             n) for n in "asin acos atan asinh acosh atanh".split())
rint, float_power, conjugate, amax, amin = _api.round_even, power, _api.conj, max, min
left_shift = _api.shl
cross_entropy, round = _api.xent, _api.round_even
# Layers are in tutti.nn.
__all__ = [n for n, f in list(globals().items())
           if not n.startswith("_") and (getattr(f, "__module__", None) == "tutti._numpy" or
                                         (getattr(f, "__module__", None) == "tutti._api" and
                                          n not in _api.HEADERS["modules"]))]
