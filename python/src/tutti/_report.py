"""What a function does before it runs, pictures of layouts, texts of programs."""
from typing import List

from . import _core, _functions, _tree
from ._core import call, ffi, lib, plain, text_of
from ._functions import bound


class Exchange:
    """One movement of data between devices: kind, axes, site, why, from_, to, bytes, moved, times, seconds, fix."""
    _texts = "kind axes site why to from_cause from_site to_cause to_site fix".split()
    _numbers = "bytes moved times seconds requested between between_seconds".split()

    def __init__(self, e):
        for n in self._texts:
            setattr(self, n, text_of(getattr(e, n)))
        for n in self._numbers:
            setattr(self, n, getattr(e, n))
        self.from_ = text_of(getattr(e, "from"))

    def __repr__(self):
        return "Exchange(%s of %d bytes at %s: %s)" % (self.kind, self.bytes, self.site, self.why)


class Report:
    """What tt.explain returns: text, exchanges in program order, moved and seconds per call."""

    kinds = "slice all-gather reduce-scatter all-reduce all-to-all permute halo mixed".split()

    def __init__(self, r):
        self.text = text_of(r.text)
        self.exchanges = [Exchange(r.at[i]) for i in range(r.n)]
        self.moved, self.seconds = r.moved, r.seconds

    def count(self, kind=None):
        """The number of exchanges of a kind; None: all but slices."""
        if kind is not None and kind not in self.kinds:
            raise _core.fail(_core.ArgumentError, "no exchange is called %r" % (kind,),
                             "the kinds are: " + ", ".join(self.kinds))
        return len([e for e in self.exchanges if (e.kind != "slice" if kind is None else e.kind == kind)])

    def __repr__(self):
        return self.text


class Budget:
    """What tt.plan returns: bytes of the device that needs most (arguments, results, constants, arena, peak), and the
    text."""
    _numbers = "devices arguments results reused constants arena peak".split()

    def __init__(self, b):
        for n in self._numbers:
            setattr(self, n, getattr(b, n))
        self.text = text_of(b.text)
        self.lines = [(text_of(b.line[i].site), b.line[i].bytes) for i in range(b.nline)]
        self.report = Report(b.report) if b.report != ffi.NULL else None

    def __repr__(self):
        return self.text


def _of(f, c, args, make):
    """make(c's result for f on args), while what C returned is there."""
    site = _core.here()
    with _core.Scope():
        r = c(site, bound(f)[0], _core.CONVERT["A"]("arguments", args))
        _core.check()
        return make(r)


def explain(f, *args) -> Report:
    """Which data moves between devices in f(*args), and why: a Report."""
    return _of(f, lib.tt_explain_at, args, lambda r: Report(r[0]))


def plan(f, *args) -> Budget:
    """The memory and communication of f(*args): a Budget."""
    return _of(f, lib.tt_plan_at, args, lambda b: Budget(b[0]))


def plan_text(f, *args) -> str:
    """The compiled plan of f(*args), as TUTTI=plan prints it."""
    return _of(f, lib.tt_plan_text, args, text_of)


def ir_text(f, *args) -> str:
    """f(*args) as it is traced, as text."""
    return _of(f, lib.tt_ir_text, args, text_of)


def timeit(f, *args) -> str:
    """The time of f(*args), as IPython's %timeit prints it."""
    return _of(f, lib.tt_timeit_at, args, text_of)


def export(f, *args) -> str:
    """f on arguments like these as StableHLO text, which JAX and other compilers read."""
    return _of(f, lib.tt_export_at, args, text_of)


def import_hlo(path_or_text) -> _functions.Function:
    """The function of a program of StableHLO: of a file, or of the text itself (jax.jit(f).lower(x).as_text())."""
    def f(*args):
        return _functions.call_function(h, args)
    h = lib.tt_import_at(_core.here(), _core.text("import_hlo", path_or_text))
    _core.check()
    f.__name__ = "imported"
    return _functions.Function(lambda site, _: h, f)


_draw_options = _core.Options("tt_draw_opts", "form=form:s scale=scale:d min_width=min_width:k max_width=max_width:k")


def drawing(x, form="plain", scale=None, min_width=None, max_width=None) -> str:
    """The layout of an array of one or two dims as a picture of text ("plain", "color", "highlight") or "svg"."""
    return plain(lib.tt_drawing_at, ("x",), "v", (x,), _draw_options, (form, scale, min_width, max_width))


def draw(x, **options) -> None:
    """Prints drawing(x)."""
    print(drawing(x, **options), end="")


def show(x) -> None:
    """Prints an array's or a tree's types with layouts, and its elements."""
    leaves, _ = _tree.tree_flatten(x)
    for one in leaves:
        print(plain(lib.tt_type_text_at, ("x",), "v", (one,)), plain(lib.tt_value_text_at, ("x",), "v", (one,)))


def shape(dims, dtype=float):
    """An array without elements, for eval_shape, plan and explain."""
    return call(lib.tt_shape_at, ("dtype", "dims"), "tD", (dtype, dims))


ShapeDtypeStruct = shape


def config(words) -> None:
    """Takes the words of the variable TUTTI: "x64", "devices:8", "plan"."""
    if not lib.tt_config_at(_core.here(), _core.text("config", words)):
        _core.check()


def reproducible(on=True) -> None:
    """From here on bits do not depend on rows, mesh or workers."""
    lib.tt_reproducible(int(bool(on)))


def threads(n=0) -> int:
    """Sets the number of threads that compute; returns it. 0: returns it."""
    return plain(lib.tt_threads_at, ("n",), "i", (n,))


def manager_steps(manager) -> List[int]:
    """The finished steps of a manager of checkpoints, in rising order."""
    n = plain(lib.tt_manager_steps_at, ("manager", "n", "out"), "Hin", (manager, 0, None))
    out = ffi.new("int64_t[]", n + 1)
    n = plain(lib.tt_manager_steps_at, ("manager", "n", "out"), "Hih", (manager, n, out))
    return list(out[0:n])


def clear_caches() -> None:
    """Drops all that was traced and compiled."""
    lib.tt_clear_caches()
    _core.check()


def doctor() -> str:
    """What was detected: processor, engines, plug-ins, threads."""
    return text_of(lib.tt_doctor())
