"""Functions of Python that a program calls while it runs: pure_callback, io_callback, tt.debug.

C has such a function as pt_python_callback with a number. The number stands for the function and the trees of its
arguments and results, so that the same call is the same program, which C finds again. The table of numbers holds a
function weakly; the outermost function that is being traced keeps it, since programs made of that one call it."""
import itertools
import weakref
from typing import Any, Callable

import numpy as np

from . import _core, _dtypes, _functions, _tree
from ._array import State
from ._core import ffi, lib, local
from ._dtypes import BY_CODE

_count = itertools.count(1)
_table = weakref.WeakValueDictionary()                   # number: _Host
_hosts = weakref.WeakKeyDictionary()                     # function: {(structures): _Host}
_lasting = {}                                            # of modules, whose programs no function of Python holds


class Refused(Exception):
    """What is wrong with a result of a callback: the error of the line that made the call."""


class _Host:
    """A function with the structures of its arguments and of its results (None: they are not looked at)."""

    def __init__(self, f, taken, given):
        self.f, self.taken, self.given = weakref.ref(f), taken, given
        self.number = next(_count)
        _table[self.number] = self

    def run(self, f, inputs, outputs):
        args, named = _tree.tree_unflatten(self.taken, inputs)
        result = f(*args, **named)
        if self.given is None:
            return
        leaves, structure = _tree.tree_flatten(result)
        if structure != self.given:
            raise Refused("the callback %s returned a tree %s, where %s was declared" %
                          (_functions._name(f), structure, self.given))
        for i, (to, x) in enumerate(zip(outputs, leaves)):
            _put(_functions._name(f), i, to, x)


def _put(name, i, to, x):
    """Writes an array, as the function returned it, to the memory of a result."""
    if isinstance(x, np.ma.MaskedArray):
        raise Refused("the callback %s: result %d has a mask, which would be lost" % (name, i))
    x = np.asarray(x)
    if x.shape != to.shape:
        raise Refused("the callback %s: result %d has the shape %s, where %s was declared" %
                      (name, i, x.shape, to.shape))
    bounds = _dtypes.bounds(to.dtype.name)
    same = x.dtype.kind in "iub" if bounds else to.dtype.kind == "V" or np.can_cast(x.dtype, to.dtype, "same_kind")
    if not same or x.dtype.kind == "c" and to.dtype.kind != "c":
        raise Refused("the callback %s: result %d is %s, where %s was declared" % (name, i, x.dtype, to.dtype))
    if bounds and x.size:
        for n in (x.min(), x.max()):
            if not bounds[0] <= int(n) <= bounds[1]:
                raise Refused("the callback %s: result %d has %d, which is no number of %s" % (name, i, n, to.dtype))
    to[...] = x


def _view(box):
    """The memory of a box as an array of NumPy."""
    dims = tuple(box.dims[i] for i in range(box.rank))
    strides = tuple(box.strides[i] for i in range(box.rank))
    kind = BY_CODE[box.dtype].numpy
    if 0 in dims:
        return np.empty(dims, kind)
    ends = [(n - 1) * s for n, s in zip(dims, strides)]
    low, high = sum(min(0, e) for e in ends), sum(max(0, e) for e in ends)
    data = ffi.buffer(ffi.cast("char *", box.data) + low * kind.itemsize, (high - low + 1) * kind.itemsize)
    flat = np.frombuffer(data, kind)[-low:]
    return np.lib.stride_tricks.as_strided(flat, dims, tuple(s * kind.itemsize for s in strides))


def _wrong(text):
    local.said = ffi.new("char[]", text.encode("utf-8", "replace"))     # C reads it after the return
    return local.said


def _interrupted(kind, e, trace):
    """As _core.keep, of a callback: what it returns is the reason of the failure."""
    message = "an exception left a callback: %s" % type(e).__name__
    local.pending = (e, message)
    return _wrong(message)


@ffi.def_extern(onerror=_interrupted)
def pt_python_callback(env, nin, inputs, nout, outputs):
    """A call of a program. An exception is kept for the call at top level, which raises it."""
    host = _table.get(int(ffi.cast("intptr_t", env)))
    f = host and host.f()
    if f is None:
        return _wrong("a function of Python is called that is gone: keep it as long as what is made of it")
    try:
        host.run(f, [_view(inputs[i]).copy() for i in range(nin)], [_view(outputs[i]) for i in range(nout)])
        return ffi.NULL
    except Refused as e:
        return _wrong(str(e))
    except BaseException as e:                           # KeyboardInterrupt too: it must not pass through C
        message = "an exception left the callback %s: %s" % (_functions._name(f), type(e).__name__)
        local.pending = (e, message)
        return _wrong(message)


def _host(what, f, args, named, given):
    """(the environment of C, the arguments) of a call."""
    if not callable(f):
        raise _core.fail(_core.ArgumentError, "%s: a function is expected, not %s" % (what, type(f).__name__))
    leaves, taken = _tree.tree_flatten((args, named))
    if any(isinstance(x, State) for x in leaves):
        raise _core.fail(_core.TreeError, "%s: an optimizer's state has no arrays of NumPy" % what)
    try:
        mine = _hosts.setdefault(f, {})
    except TypeError:                                    # what has no hash, or no weak references
        f = _Called(f)
        mine = _hosts.setdefault(f, {})
    host = mine.get((taken, given)) or mine.setdefault((taken, given), _Host(f, taken, given))
    if local.functions:
        local.kept[id(f)] = f
    elif local.modules:
        _lasting[id(f)] = f
    return ffi.cast("void *", host.number), f, (args, named)


class _Called:
    """A callable that weak references alone would lose, or that has no hash."""

    def __init__(self, f):
        self.f, self.__name__ = f, _functions._name(f)

    def __call__(self, *args, **named):
        return self.f(*args, **named)


def _declared(result):
    """Types of results: of arrays, tt.shape's, and whatever has a shape and a dtype."""
    from ._report import shape

    def one(x):
        return shape(x.shape, x.dtype) if hasattr(x, "shape") and hasattr(x, "dtype") else x
    return _tree.tree_map(one, result)


_options = _core.Options("tt_callback_opts", "vmap_method=vmap_method:s")
_debug_options = _core.Options("tt_debug_opts", "partitioned=partitioned:k")


def _with_results(what, c, f, result, args, named, vmap_method):
    given = _tree.tree_flatten(result)[1]
    env, f, x = _host(what, f, args, named, given)       # f is held until the call is over
    if not _tree.tree_leaves(result):
        given = _core.END
        _core.call(lambda site, e, x, o: c(site, lib.pt_python_callback, e, given, x, o), ("f", "arguments"), "hv",
                   (env, x), _options, (vmap_method,))
        return result
    return _core.call(lambda site, e, r, x, o: c(site, lib.pt_python_callback, e, r, x, o),
                      ("f", "result", "arguments"), "hvv", (env, _declared(result), x), _options, (vmap_method,))


def pure_callback(f: Callable, result: Any, *args, vmap_method=None, **named) -> Any:
    """What f, a function of NumPy's arrays without effects, computes from arrays, also in compiled functions.

    result: the types of what f returns: tt.ShapeDtypeStruct((3,), tt.float32), an array like it, or a tree of these.
    f is called as often as needed, or never if nothing reads its results. vmap_method: how vmap maps the call:
    "sequential", "expand_dims" or "broadcast_all"; without it, vmap is an error. A derivative is given with
    tt.custom_jvp or tt.custom_vjp around the call. tt_pure_callback in tutti/callback.h."""
    return _with_results("pure_callback", lib.tt_pure_callback_at, f, result, args, named, vmap_method)


def io_callback(f: Callable, result: Any, *args, ordered=False, **named) -> Any:
    """What f, a function with effects, computes: it is called exactly as often as the program says.

    result: as of pure_callback; None: nothing. Calls are always in the order of the program, ordered or not.
    tt_io_callback in tutti/callback.h."""
    return _with_results("io_callback", lib.tt_io_callback_at, f, result, args, named, None)


def watch(what, f, args, named, partitioned):
    """Calls f with the values of arrays when the program runs."""
    env, f, x = _host(what, f, args, named, None)
    with _core.Scope():
        keep = []
        lib.tt_debug_callback_at(_core.here(), lib.pt_python_callback, env, _core.CONVERT["v"]("arguments", x),
                                 _debug_options.struct((partitioned or None,), keep))
        _core.check()


@ffi.def_extern(onerror=_core.keep)
def pt_python_fill(env, lo, n, to):
    """A block that array_from_callback asks for."""
    f, rank, kind = ffi.from_handle(env)
    try:
        shape = tuple(n[i] for i in range(rank))
        block = f(tuple(slice(lo[i], lo[i] + n[i]) for i in range(rank)))
        count = int(np.prod(shape, dtype=np.int64))
        if count:
            to = np.frombuffer(ffi.buffer(to, count * kind.itemsize), kind).reshape(shape)
            _put(_functions._name(f), 0, to, block)
        return True
    except Refused as e:
        lib.pt_fail(ffi.NULL, lib.TT_EARG, str(e).encode("utf-8", "replace"))
        return False
    except BaseException as e:
        message = "an exception left the callback %s: %s" % (_functions._name(f), type(e).__name__)
        lib.pt_fail(ffi.NULL, lib.TT_EARG, message.encode("utf-8", "replace"))
        local.pending = (e, message)
        return False


def array_from_callback(shape, f, mesh=None, spec="_", dtype=float):
    """An array whose blocks f makes: f(index) returns the elements of x[index], index a tuple of slices, once for each
    distinct block of the layout `spec` over `mesh`. jax.make_array_from_callback."""
    from ._dtypes import dtype as dtype_of
    kind, dims = dtype_of(dtype), _core.wholes("shape", shape)
    env = ffi.new_handle((f, len(dims), kind.numpy))
    m = ffi.new("tt_mesh *")[0] if mesh is None else _core.CONVERT["m"]("mesh", mesh)
    return _core.call(lambda site, t, d, s: lib.tt_array_from_callback_at(site, t, d, m, s, lib.pt_python_fill, env),
                      ("dtype", "shape", "spec"), "tDs", (kind, dims, spec))


_core.CONVERT.setdefault("h", lambda what, h: h)
