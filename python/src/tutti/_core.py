"""The C library, lines of Python as sites, errors as exceptions, and how a call of C is made.

Each public function of C is called by its `_at` form with an explicit site. A call opens a scope, makes values of the
arguments, calls, keeps the result for Python's object, and closes the scope: whatever else was made is freed."""
import atexit
import functools
import linecache
import re
import sys
import threading

from . import _tutti

ffi, lib = _tutti.ffi, _tutti.lib
lib.pt_begin()
DIM_END = -2**63
END = ffi.new("tt_val *", {"slot": 2**32 - 1, "born": 2**32 - 1})[0]
FN_END = ffi.new("tt_fn *", {"slot": 2**32 - 1, "born": 2**32 - 1})[0]


class Local(threading.local):
    """What belongs to a thread: the exception that left a function which C has called."""

    def __init__(self):
        self.pending = None                              # with the message of the error that stands for it in C
        self.functions = []                              # those that C is calling, the innermost last
        self.modules = []                                # those that C may call, the innermost last (_modules.py)
        self.given = []                                  # (option, function) of calls that run, the innermost last
        self.kept = None                                 # what the outermost of `functions` keeps: _callback.py
        self.site = None                                 # that of the next call, if it is not here()


local = Local()

# ---- errors ----


class Error(Exception):
    """What a call of the library fails with. str() is the whole text: message, line, operands with their lines, hint.

    code: the number of the kind of error; message, site, hint: its parts."""
    code, message, site, hint = 0, "", "", ""


class ShapeError(Error, ValueError):
    """Shapes that do not fit each other."""


class DtypeError(Error, TypeError):
    """Element types that do not fit each other."""


class TreeError(Error, ValueError):
    """Trees whose structures differ."""


class SpecError(Error, ValueError):
    """A spec of a layout that is wrong."""


class MeshError(Error, ValueError):
    """A mesh that is missing or wrong."""


class TraceError(Error, TypeError):
    """What needs a value's elements, in a function that is being traced."""


class GradError(Error, TypeError):
    """A derivative that there is not."""


class LifeError(Error, RuntimeError):
    """A value or function that is gone."""


class ArgumentError(Error, ValueError):
    """An argument out of its range."""


class TextError(Error, ValueError):
    """A text that cannot be read."""


class OutOfMemory(Error, MemoryError):
    """A request for memory was refused."""


class FileError(Error, OSError):
    """A file that cannot be read or written."""


KINDS = {lib.TT_ESHAPE: ShapeError, lib.TT_ETYPE: DtypeError, lib.TT_ETREE: TreeError, lib.TT_ESPEC: SpecError,
         lib.TT_EMESH: MeshError, lib.TT_ETRACE: TraceError, lib.TT_EGRAD: GradError, lib.TT_ELIFE: LifeError,
         lib.TT_EARG: ArgumentError, lib.TT_ETEXT: TextError, lib.TT_EMEM: OutOfMemory, lib.TT_EIO: FileError}


def text_of(p):
    """A text of C, whose bytes need not be UTF-8."""
    return "" if p == ffi.NULL else ffi.string(p).decode("utf-8", "replace")


_other_names = {"and": "bitwise_and", "dataset": "data.dataset", "debug_callback": "debug.callback",
                "fori": "fori_loop", "gt": "greater", "lt": "less", "ne": "not_equal", "or": "bitwise_or",
                "randint": "random.randint", "while": "while_loop", "xor": "bitwise_xor"}


def _in_python(s):
    """A text with tt_sum as tt.sum, where Python has the function of C that it names."""
    tutti = sys.modules["tutti"]

    def name(m):
        n = _other_names.get(m.group(1), m.group(1))
        there = functools.reduce(lambda o, part: getattr(o, part, None), n.split("."), tutti)
        return m.group(0) if there is None else "tt." + n
    return re.sub(r"\btt_(\w+)", name, s.replace("TT_WITH(mesh)", "\"with mesh:\""))


def raise_error():
    """Raises this thread's error and clears it; the exception that left a function of Python is raised itself."""
    record = lib.tt_error_record()
    whole = _in_python(text_of(lib.tt_error()))
    error = KINDS.get(record.code, Error)(whole[7:] if whole.startswith("error: ") else whole)
    error.code = int(record.code)
    message = text_of(record.message)
    error.message, error.site, error.hint = _in_python(message), text_of(record.site), _in_python(text_of(record.hint))
    pending, local.pending = local.pending, None
    lib.tt_clear()
    if pending is not None and message.endswith(pending[1]):
        raise pending[0]
    raise error


def keep(kind, e, trace):
    """An exception before or behind the `try` of a function that C calls, where a KeyboardInterrupt may come: the
    exception is kept for the call at top level, which raises it. Of ffi.def_extern(onerror=keep)."""
    lib.tt_clear()
    message = "an exception left a function that was called: %s" % type(e).__name__
    lib.pt_fail(ffi.NULL, lib.TT_EARG, message.encode("utf-8", "replace"))
    local.pending = (e, text_of(lib.tt_error_record().message))


def check():
    """Raises this thread's error, if it has one."""
    if not lib.tt_ok():
        raise_error()


def fail(kind, message, hint=""):
    """An exception that looks like one of the library's, for what Python finds out first."""
    site = text_of(here())
    error = kind(message + "\n  at   " + site + ("\n  hint: " + hint if hint else ""))
    error.message, error.site, error.hint = message, site, hint
    return error


# ---- sites ----

_sites = {}


def _segment(code, lasti, line):
    """The text of the call that a frame is at."""
    if hasattr(code, "co_positions"):
        for at, (first, last, begin, end) in enumerate(code.co_positions()):
            if at != lasti // 2:
                continue
            if None in (first, last, begin, end):
                break
            lines = [linecache.getline(code.co_filename, n).encode() for n in range(first, min(last, first + 20) + 1)]
            if not lines or not lines[0]:
                break
            if first == last:
                return lines[0][begin:end].decode("utf-8", "replace")
            lines[0] = lines[0][begin:]
            if last < first + 20:
                lines[-1] = lines[-1][:end]
            return " ".join(b" ".join(lines).decode("utf-8", "replace").split())
    return linecache.getline(code.co_filename, line).strip()


def here():
    """The site of the innermost frame outside this package, "mlp.py:42: tt.matmul(h, w)", as a text of C."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_globals.get("__name__")
        if name is None or (name != "tutti" and not name.startswith("tutti.")):
            break
        frame = frame.f_back
    if frame is None:
        return ffi.NULL
    code, lasti = frame.f_code, frame.f_lasti
    key = (code, lasti)
    site = _sites.get(key)
    if site is None:
        text = "%s:%d: %s" % (code.co_filename, frame.f_lineno, _segment(code, lasti, frame.f_lineno)[:400])
        if len(_sites) > 65536:
            _sites.clear()
        site = _sites[key] = ffi.new("char[]", text.encode("utf-8", "replace"))
    return site


# ---- arguments ----


def text(what, s):
    """A str as a text of C."""
    if not isinstance(s, str):
        raise fail(ArgumentError, "%s: a str is expected, not %s" % (what, type(s).__name__))
    if "\0" in s:
        raise fail(ArgumentError, "%s: a text with a NUL in it" % what)
    try:
        return ffi.new("char[]", s.encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:
        raise fail(ArgumentError, "%s: a text with half a character in it: %r" % (what, s)) from None


def whole(what, x):
    """A whole number, of Python, NumPy or an array of one element."""
    if isinstance(x, bool) or not hasattr(x, "__index__"):
        raise fail(DtypeError, "%s: a whole number is expected, not %s" % (what, type(x).__name__))
    n = x.__index__()
    if not -2**63 <= n < 2**63:
        raise fail(ArgumentError, "%s: %d does not fit in 64 bits" % (what, n))
    return n


def wholes(what, x):
    """One or several whole numbers as a tuple."""
    if hasattr(x, "__index__") and not isinstance(x, bool) and not getattr(x, "shape", ()):
        return (whole(what, x),)
    try:
        return tuple(whole(what, n) for n in x)
    except TypeError:
        raise fail(DtypeError, "%s: whole numbers are expected, not %s" % (what, type(x).__name__)) from None


def dims_list(what, x):
    """Dims as a list of C, which DIM_END ends."""
    return ffi.new("int64_t[]", wholes(what, x) + (DIM_END,))


def axes_text(what, x):
    """Axes as the texts of options, "0, 2": of an int, several ints, or such a text."""
    return x if isinstance(x, str) else ", ".join(str(n) for n in wholes(what, x))


def number(what, x):
    """A real number, of Python, NumPy or an array of one element."""
    try:
        if not isinstance(x, (str, bytes)):
            return float(x)
    except (TypeError, ValueError):
        pass
    raise fail(DtypeError, "%s: a number is expected, not %s" % (what, type(x).__name__))


def flag(what, x):
    """True or False, or 1 or 0."""
    if isinstance(x, bool) or x is None:
        return bool(x)
    if hasattr(x, "__index__") and not getattr(x, "shape", ()) and x.__index__() in (0, 1):
        return bool(x.__index__())
    if getattr(getattr(x, "dtype", None), "kind", "") == "b" and not x.shape:
        return bool(x)
    raise fail(DtypeError, "%s: True or False is expected, not %r" % (what, x))


class Options:
    """An option struct of C: its type and its fields, each as "name of Python=name of C:kind"."""

    def __init__(self, c_type, fields):
        self.c_type = c_type + " *"
        self.fields = []
        for f in fields.split():
            python, rest = f.split("=")
            name, kind = rest.split(":")
            self.fields.append((python, name, kind))

    def struct(self, values, keep):
        """The struct with those of `values` that are not None; what it points to goes into `keep`."""
        given = [(f, x) for f, x in zip(self.fields, values) if x is not None]
        if not given:
            return ffi.NULL
        o = ffi.new(self.c_type)
        o.size = ffi.sizeof(o[0])
        for (python, name, kind), x in given:
            if kind in CONVERT:
                x = CONVERT[kind](python, x)
                keep.append(x)
                setattr(o, name, x)
            else:                                        # "i8", "d2": an array of numbers
                to, n = getattr(o, name), int(kind[1:])
                values_of = wholes(python, x) if kind[0] == "i" else tuple(number(python, y) for y in x)
                if not 0 < len(values_of) <= n:
                    raise fail(ArgumentError,
                               "%s: %d numbers, where there is place for 1 to %d" % (python, len(values_of), n))
                for i, y in enumerate(values_of):
                    to[i] = y
        spelled = ffi.new("char[]", ", ".join("." + f[1] for f, _ in given).encode())
        o.given = spelled
        keep.append(spelled)
        return o


# ---- calls ----

CONVERT = {}                                             # a kind of parameter to a function of (its name, the argument)
CONVERT["s"] = text
CONVERT["i"] = whole
CONVERT["d"] = number
CONVERT["b"] = flag
CONVERT["k"] = lambda what, x: int(bool(x)) if isinstance(x, bool) else whole(what, x)
CONVERT["D"] = dims_list
CONVERT["a"] = lambda what, x: text(what, axes_text(what, x))
to_python = [None]                                       # set by _tree: a result of C, in an open scope, as Python's


def call(f, names, kinds, args, options=None, given=()):
    """Calls f, a function of C that returns a value; the result is an Array or a tree of arrays."""
    site, local.site = local.site or here(), None
    scope = lib.tt_scope_open()
    done = False
    try:
        keep = []
        c = []
        for what, kind, x in zip(names, kinds, args):
            x = CONVERT[kind](what, x)
            c.append(x)
        if options is not None:
            c.append(options.struct(given, keep))
        v = f(site, *c)
        how = lib.pt_close(scope, site, v)
        done = how != 0
        if how < 0:
            raise_error()
        return to_python[0](site, v, how)
    finally:
        if not done:
            lib.tt_scope_close(scope)


def plain(f, names, kinds, args, options=None, given=()):
    """Calls f, a function of C that returns a number, a bool or a text."""
    site = here()
    scope = lib.tt_scope_open()
    try:
        keep = []
        c = [CONVERT[kind](what, x) for what, kind, x in zip(names, kinds, args)]
        if options is not None:
            c.append(options.struct(given, keep))
        r = f(site, *c)
        check()
        return text_of(r) if isinstance(r, ffi.CData) else r
    finally:
        lib.tt_scope_close(scope)


def inside_call(f, names, kinds, args, options=None, given=()):
    """call() of a layer: what it makes belongs to the scope of the pass that it is in, so that the frame has it."""
    site, local.site = local.site or here(), None
    return again(site, _inside(f, site, names, kinds, args, options, given))


def again(site, v):
    """What Python has for a value that C goes on using: other handles of it, which Python drops."""
    scope = lib.tt_scope_open()
    v = lib.pt_again(site, v)
    how = lib.pt_close(scope, site, v)
    if how < 0:
        raise_error()
    try:
        return to_python[0](site, v, how)
    finally:
        if how == 0:
            lib.tt_scope_close(scope)


def inside_plain(f, names, kinds, args, options=None, given=()):
    """plain() of a function of a frame."""
    r = _inside(f, here(), names, kinds, args, options, given)
    return text_of(r) if isinstance(r, ffi.CData) else r


def _inside(f, site, names, kinds, args, options, given):
    keep, depth = [], len(local.given)
    try:
        c = [CONVERT[kind](what, x) for what, kind, x in zip(names, kinds, args)]
        if options is not None:
            c.append(options.struct(given, keep))
        r = f(site, *c)
        check()
        return r
    finally:
        del local.given[depth:]


class Opened:
    """What C has opened, until the end of the program or of tt.scope(): a manager of checkpoints, a tokenizer."""

    def __init__(self, handle):
        self._handle = handle

    def __repr__(self):
        return "<tutti %s>" % ffi.typeof(self._handle).cname[3:]


def _handle(what, x):
    if not isinstance(x, Opened):
        raise fail(ArgumentError, "%s: what tt.%s_open or another function has opened is expected, not %s" %
                   (what, what, type(x).__name__))
    return x._handle


CONVERT["H"] = _handle


def opened(f, names, kinds, args, options=None, given=()):
    """Calls f, a function of C that opens something. No scope is opened: it would belong to that one."""
    keep = []
    c = [CONVERT[kind](what, x) for what, kind, x in zip(names, kinds, args)]
    if options is not None:
        c.append(options.struct(given, keep))
    h = f(here(), *c)
    check()
    return Opened(h)


class Scope:
    """A scope of C around what a with statement does."""

    def __enter__(self):
        self.scope = lib.tt_scope_open()
        return self

    def __exit__(self, *error):
        lib.tt_scope_close(self.scope)


class scope(Scope):
    """What C opens in a with statement is closed at its end: with tt.scope(): runs = tt.manager_open("run"). Arrays
    live on. An error of closing, as of a save in the background, is raised."""

    def __exit__(self, *error):
        super().__exit__(*error)
        if error[0] is None:
            check()
        else:
            lib.tt_clear()


# ---- the end of the program ----

def _end():
    lib.pt_end()
    lib.tt_done()


atexit.register(_end)
