"""Modules: functions of a frame and a value, as in C (tutti/nn.h), and how C calls those of Python.

C has a module as a pointer to a function without an environment. There is one such pointer (pt_module), which calls the
innermost module that this thread has given to a function of C: C calls a module only while that function runs."""
import dataclasses
import functools

from . import _core, _functions, _tree
from ._core import ffi, lib, local
from ._dtypes import BY_CODE


class Frame:
    """The place of a module in a tree of variables: what its layers take as first argument."""
    __slots__ = ("_m",)

    def __init__(self, m):
        self._m = m

    @property
    def training(self) -> bool:
        """True in nn.apply_train, where dropout drops and norms use the statistics of the batch."""
        return bool(_core.inside_plain(lib.tt_training_at, ("m",), "N", (self,)))

    def __repr__(self):
        return "<tutti frame>"


def _frame(what, m):
    if not isinstance(m, Frame):
        raise _core.fail(_core.ArgumentError, "%s: the frame of a module is expected, not %s" %
                         (what, type(m).__name__),
                         "a module is a function of a frame and a value: nn.init and nn.apply call it with one")
    return m._m


def _module(what, f):
    if not callable(f):
        raise _core.fail(_core.ArgumentError, "%s: a function of a frame and a value is expected, not %s" %
                         (what, type(f).__name__))
    local.modules.append(f)
    return ffi.addressof(lib, "pt_module")


_CELLS = ("lstm_cell", "gru_cell", "gru_before_cell", "simple_cell", "mgu_cell")


def _cell(what, f):
    name = f if isinstance(f, str) else getattr(f, "__name__", None)
    if name not in _CELLS:
        raise _core.fail(_core.ArgumentError, "%s: a cell is expected, not %r" % (what, f),
                         "cells are " + ", ".join("nn." + c for c in _CELLS))
    return ffi.addressof(lib, "tt_%s_at" % name)


def _option(what, f):
    """An option that is a function: act, gate (of an array) or make (of a key, a shape and a type). C calls it while
    the call runs that has the option, so the innermost one that was given is meant."""
    if not callable(f):
        raise _core.fail(_core.ArgumentError, "%s: a function is expected, not %s" % (what, type(f).__name__))
    local.given.append((what, f))
    return ffi.addressof(lib, "pt_" + what)


def _of_option(what, arguments, out):
    """Writes what the function that was given last for this option returns. An exception is kept, as in pt_python."""
    f = None
    try:
        f = next(f for option, f in reversed(local.given) if option == what)
        _functions._put_result(f, f(*arguments()), out)
    except BaseException as e:                           # KeyboardInterrupt too: it must not pass through C
        lib.tt_clear()
        message = "an exception left %s, %s: %s" % (what, _functions._name(f), type(e).__name__)
        lib.pt_fail(ffi.NULL, lib.TT_EARG, message.encode("utf-8", "replace"))
        local.pending = (e, _core.text_of(lib.tt_error_record().message))


@ffi.def_extern(onerror=_core.keep)
def pt_python_activation(gate, x, out):
    """A call of C for an activation of Python."""
    _of_option("gate" if gate else "act", lambda: (_core.again(ffi.NULL, x[0]),), out)


@ffi.def_extern(onerror=_core.keep)
def pt_python_initializer(key, dtype, dims, out):
    """A call of C for an initializer of Python, whose arguments are those of jax.nn.initializers."""
    def arguments():
        shape, n = [], 0
        while dims[n] != _core.DIM_END:
            shape.append(dims[n])
            n += 1
        return _core.again(ffi.NULL, key[0]), tuple(shape), BY_CODE[dtype]
    _of_option("make", arguments, out)


_core.CONVERT["P"] = _option
_core.CONVERT["N"] = _frame
_core.CONVERT["M"] = _module
_core.CONVERT["C"] = _cell
_core.CONVERT["z"] = lambda what, x: ffi.NULL if x is None else _core.text(what, x)


@ffi.def_extern(onerror=_core.keep)
def pt_python_module(m, x, out):
    """A call of C for the module of Python that was given last. An exception is kept, as in pt_python."""
    f, given = None, local.modules
    depth = len(given)
    try:
        f = given[-1]
        value = _core.again(ffi.NULL, x[0])
        result = f(Frame(ffi.new("tt_nn *", m[0])[0]), value)
        _functions._put_result(f, result, out)
    except BaseException as e:                           # KeyboardInterrupt too: it must not pass through C
        lib.tt_clear()
        message = "an exception left the module %s: %s" % (_functions._name(f), type(e).__name__)
        lib.pt_fail(ffi.NULL, lib.TT_EARG, message.encode("utf-8", "replace"))
        local.pending = (e, _core.text_of(lib.tt_error_record().message))
    finally:
        del given[depth:]


def identity(f):
    """What two modules have in common that are the same module, hashable; None: f is a module of its own."""
    if dataclasses.is_dataclass(f) and not isinstance(f, type):
        key = (type(f),) + tuple(getattr(f, x.name) for x in dataclasses.fields(f))
    else:
        key = (_functions.number_of(f)[0],)
    try:
        hash(key)
        return key
    except TypeError:
        return None


_sites = {}


def _site_of(site, f):
    """A text of this site for this module alone. C's caches of scanned and mapped modules know a module by its pointer
    and its site, and all modules of Python have one pointer."""
    key = identity(f)
    text = _core.text_of(site).encode("utf-8", "replace")
    if key is None:
        key = object()                                   # never found again
    return _sites.setdefault((text, key), ffi.new("char[]", text))


def wrapped(f, lifts):
    """A function of _api that takes a module, which is forgotten when the call ends. lifts: C traces the module as a
    function of its own."""
    at = f.__code__.co_varnames.index("module") if "module" in f.__code__.co_varnames else -1

    @functools.wraps(f)
    def of(*args, **options):
        given = local.modules
        depth = len(given)
        try:
            if lifts:
                module = args[at] if at < len(args) else options.get("module")
                if callable(module):
                    local.site = _site_of(_core.here(), module)
            return f(*args, **options)
        finally:
            local.site = None
            del given[depth:]
    return of


LIFTS = ("stack", "remat_module", "vmap_module")
