"""x[i, 1:3, ..., None] and x.at[...]: Python's indices as the texts of tt_at."""
import numpy as np

from . import _core
from ._array import _has
from ._core import call, fail, ffi, lib


def _bound(what, n):
    if n is None:
        return ""
    if hasattr(n, "is_traced") and n.is_traced:
        raise fail(_core.TraceError, "a slice whose %s is known only when the function runs" % what,
                   "tt.dynamic_slice takes its place from a value; its size is known")
    return str(_core.whole(what, n))


def _of_mask(mask):
    """A mask of bools as the indices where it is true."""
    if hasattr(mask, "is_traced") and mask.is_traced:
        raise fail(_core.TraceError,
                   "an index of bools that are known only when the function runs: the result has no shape",
                   "tt.where(mask, x, 0) selects; tt.nonzero(mask, count=n) gives n indices")
    return [i.astype(np.int32) for i in np.nonzero(np.asarray(mask))]


def _is_mask(i):
    return getattr(i, "dtype", None) is not None and np.dtype(bool) == _numpy_kind(i)


def _items(index, shape):
    """The items of an index of an array of this shape, masks as indices."""
    given = [i if not isinstance(i, list) else np.array(i) if i else np.array(i, np.int32)
             for i in (index if isinstance(index, tuple) else (index,))]
    dims = [0 if i is None or i is Ellipsis else len(i.shape) if _is_mask(i) else 1 for i in given]
    items, at = [], 0
    for i, n in zip(given, dims):
        if isinstance(i, (bool, np.bool_)):
            raise fail(_core.DtypeError, "an index that is one bool", "x[None] adds a dim; tt.where selects")
        if _is_mask(i):
            have = tuple(shape[at:at + n])
            if tuple(i.shape) != have:
                raise fail(_core.ShapeError, "a mask of dims %s for dims %s" % (tuple(i.shape), have),
                           "a mask has the sizes of the dims that it indexes")
            items += _of_mask(i)
        else:
            items.append(i)
        at += len(shape) - sum(dims) if i is Ellipsis else n
    return items


def _numpy_kind(i):
    try:
        return np.dtype(getattr(i.dtype, "name", i.dtype))
    except TypeError:
        return None


def spelled(index, shape):
    """(text, names, values) of an index of an array of this shape: the text of tt_at, and the values that the text
    names."""
    words, values = [], []
    for i in _items(index, shape):
        if i is None:
            words.append("newaxis")
        elif i is Ellipsis:
            words.append("...")
        elif isinstance(i, slice):
            word = "%s:%s" % (_bound("start", i.start), _bound("stop", i.stop))
            words.append(word if i.step is None else word + ":" + _bound("step", i.step))
        elif isinstance(i, (int, np.integer)):
            words.append(str(_core.whole("index", i)))
        elif hasattr(i, "shape") or hasattr(i, "__dlpack__"):
            values.append(i)
            words.append("i%d" % len(values))
        else:
            raise fail(_core.DtypeError, "an index of type %s" % type(i).__name__,
                       "whole numbers, slices, None, ..., arrays of whole numbers or bools")
    return ", ".join(words), ["i%d" % (n + 1) for n in range(len(values))], values


def _with_mode(text, mode):
    return text if mode is None else "%s; %s" % (text, mode)


def get(x, index, mode=None):
    """x[index]. mode, for values out of range: "fill" (default), "clip", "wrap", "promise_in_bounds"."""
    text, names, values = spelled(index, x.shape)
    if not text:
        return x
    text = _with_mode(text, mode)
    return call(lib.tt_at_at, ("x", "index", "names", "index"), "vssV",
                (x, text, ", ".join(['"%s"' % text] + names), values))


def put(how, x, index, u, mode=None):
    """x with the elements of index replaced by u, or combined with u."""
    text, names, values = spelled(index, x.shape)
    text = _with_mode(text or "...", mode)
    return call(lib.tt_at_put_at, ("how", "x", "index", "u", "names", "index"), "svsvsV",
                (how, x, text, u, ", ".join(['"%s"' % text, "u"] + names), values))


class At:
    """x.at[index]: the elements at places, for a new array."""

    def __init__(self, x, index):
        self.x, self.index = x, index

    def _masked(self, u):
        """(mask, u) if the index is one mask of x's leading dims and u one number: an update that may be traced."""
        i = self.index
        dtype = getattr(i, "dtype", None)
        if dtype is None or np.dtype(bool) != _numpy_kind(i) or getattr(u, "shape", ()) != ():
            return None
        if tuple(i.shape) != tuple(self.x.shape[:len(i.shape)]):
            return None                                      # put refuses it
        return i.reshape(tuple(i.shape) + (1,) * (self.x.ndim - len(i.shape)))

    def _put(self, how, u, mode, masked):
        mask = self._masked(u) if mode is None else None
        if mask is not None:
            _fits(u, self.x)
            return call(lib.tt_select_at, ("p", "x", "y"), "vvv",
                        (_wide(mask, self.x), _like(masked(u), self.x), self.x))
        return put(how, self.x, self.index, u, mode)

    def get(self, mode=None):
        """The elements; mode: what values out of range give, as in tutti.take."""
        return get(self.x, self.index, mode)

    def set(self, u, mode=None):
        """x with u at the places; where one occurs twice, the last is kept."""
        return self._put("set", u, mode, lambda u: u)

    def add(self, u, mode=None):
        """x with u added at the places, all of them where one occurs twice."""
        return self._put("add", u, mode, lambda u: self.x + u)

    def multiply(self, u, mode=None):
        """x with the places multiplied by u."""
        return self._put("mul", u, mode, lambda u: self.x * u)

    def max(self, u, mode=None):
        """x with the larger of each place and u."""
        return self._put("max", u, mode, lambda u: call(lib.tt_max_at, ("x", "u"), "vv", (self.x, u)))

    def min(self, u, mode=None):
        """x with the smaller of each place and u."""
        return self._put("min", u, mode, lambda u: call(lib.tt_min_at, ("x", "u"), "vv", (self.x, u)))

    mul = multiply


def _wide(mask, x):
    return call(lib.tt_broadcast_at, ("mask", "shape"), "vD", (mask, x.shape))


_KINDS = "biufc"                                         # a type of a kind has the numbers of the kinds before it


def _fits(u, x):
    """Refuses one number that is none of x's type, as places by index do."""
    kind = getattr(getattr(u, "dtype", None), "kind", None)
    if kind is None:
        kind = {bool: "b", int: "i", float: "f", complex: "c"}.get(type(u))
    if kind in ("f", "c") and x.dtype.kind in _KINDS and _KINDS.index(kind) > _KINDS.index(x.dtype.kind):
        raise fail(_core.DtypeError, "%s would be cut to %s" % (u, x.dtype), "x.astype(float).at[mask].set(y)")
    if type(u) is int and x.dtype.kind in "iu" and not _has(x.dtype, u):
        raise fail(_core.DtypeError, "%d is no number of %s" % (u, x.dtype))


def _like(u, x):
    u = call(lib.tt_cast_at, ("u", "dtype"), "vt", (u, x.dtype))
    return call(lib.tt_broadcast_at, ("u", "shape"), "vD", (u, x.shape))


class Places:
    """x.at"""

    def __init__(self, x):
        self.x = x

    def __getitem__(self, index):
        return At(self.x, index)
