"""Functions of Python as functions of values, and the transforms of them.

A function has a number, by which C calls it (pt_python); the table of numbers holds it weakly, a Function strongly. A
rule (of custom_vjp and kin) that is made while a function is called may be needed when that one is differentiated: it
lives as long."""
import collections
import functools
import inspect
import itertools
import weakref
from typing import Any, Callable, Optional, Tuple

from . import _core, _tree
from ._array import Array, State
from ._core import ffi, lib, local

# ---- numbers of functions ----

_count = itertools.count(1)
_table = {}                                              # number: (a weak reference to the function, how to call it)
_numbers = weakref.WeakKeyDictionary()                   # function: {how: number}
INNER = 64                                               # rules made in calls of one function that it keeps


class Holder:
    """Holds a function that weak references alone would lose, as a bound method."""

    def __init__(self, f):
        self.f = f


def _spread(f, args):
    return f(*args)


def _with_names(f, args):
    return f(*args[:-1], **args[-1])


def _unpacked(f, args):
    return f(*args[0])


HOW = {"*": _spread, "**": _with_names, "1": _unpacked}


def number_of(f, how="*"):
    """(number, holder): the number of a function and of a way to call it; holder keeps what the table does not."""
    try:
        mine = _numbers.setdefault(f, {})
        holder = f
    except TypeError:
        mine, holder = {}, Holder(f)
    if how not in mine:
        n = next(_count)
        mine[how] = n
        _table[n] = (weakref.ref(holder, lambda _, n=n: _table.pop(n, None)), how)
    return mine[how], holder


_inner = weakref.WeakKeyDictionary()


def _inner_of(holder):
    try:
        return _inner.setdefault(holder, collections.deque(maxlen=INNER))
    except TypeError:
        return collections.deque(maxlen=INNER)


_kept = weakref.WeakKeyDictionary()


def _kept_of(holder):
    try:
        return _kept.setdefault(holder, {})
    except TypeError:
        return {}


def _keep_rules(*rules):
    """Keeps rules as long as the function that is being called, if there is one."""
    if local.functions:
        local.functions[-1].extend(rules)


@ffi.def_extern(onerror=_core.keep)
def pt_python(number, n, args, out):
    """A call of C for a function of Python. An exception is kept for the call at top level, which raises it."""
    site, f = ffi.NULL, None
    try:
        entry = _table.get(number)
        holder = entry[0]() if entry else None
        if holder is None:
            lib.pt_fail(site, lib.TT_ELIFE,
                        b"a function of Python is called that is gone: keep it as long as what is made of it")
            return
        f = holder.f if isinstance(holder, Holder) else holder
        values = [_python(site, args[i]) for i in range(n)]
        if not local.functions:
            local.kept = _kept_of(holder)
        local.functions.append(_inner_of(holder))
        try:
            result = HOW[entry[1]](f, values)
            _put_result(f, result, out)
        finally:
            local.functions.pop()
    except BaseException as e:                           # KeyboardInterrupt too: it must not pass through C
        lib.tt_clear()
        message = "an exception left %s: %s" % (_name(f), type(e).__name__)
        lib.pt_fail(site, lib.TT_EARG, message.encode("utf-8", "replace"))
        local.pending = (e, _core.text_of(lib.tt_error_record().message))


def _python(site, v):
    """What Python has for an argument, which C owns."""
    scope = lib.tt_scope_open()
    how = lib.pt_close(scope, site, v)
    if how < 0:
        _core.raise_error()
    if how == 1:
        return Array(ffi.new("tt_val *", v)[0])
    try:
        return _tree.tree_of(site, v, Array, State)
    finally:
        lib.tt_scope_close(scope)


def _put_result(f, result, out):
    """Writes the result's value, which the current scope owns: Python's objects are about to go."""
    v = _tree.value("the result of %s" % _name(f), result)
    if not _tree.is_tree(result):
        v = lib.pt_again(_core.here(), v)
    _core.check()
    out[0] = v


def _name(f):
    name = getattr(f, "__name__", None) or type(getattr(f, "func", f)).__name__
    return "lambda" if name == "<lambda>" else str(name)


# ---- Function ----


class Function:
    """A function of values: what jit, grad, vmap and kin return. Calling it calls C."""

    def __init__(self, make, of, site=None):
        """make(site, f): the function of C, of that of `of`; `of`: a Function or a callable."""
        self._make, self._of, self._handles = make, of, {}
        self._site = site if site is not None else _core.here()
        self._holder = None
        if not isinstance(of, Function):
            if not callable(of):
                raise _core.fail(_core.ArgumentError, "a function is expected, not %s" % type(of).__name__)
            functools.update_wrapper(self, of, updated=())
        else:
            self.__name__, self.__doc__ = getattr(of, "__name__", "f"), getattr(of, "__doc__", None)
        self.handle("*")                                 # errors of options at the line of the transform

    def handle(self, how):
        """The function of C. how: "*", arguments by position; "**", the last is a dict of arguments by name."""
        h = self._handles.get(how)
        if h is None:
            f, self._holder = bound(self._of, how)
            h = self._make(self._site, f)
            _core.check()
            self._handles[how] = h
        return h

    def __call__(self, *args, **named):
        return call_function(self.handle("**" if named else "*"), args + (named,) if named else args)

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)

    def __repr__(self):
        return "<tutti function %s>" % _name(self)


def bound(f, how="*"):
    """(the function of C, what keeps it) of a Function or of any callable."""
    if isinstance(f, Function):
        return f.handle(how), f
    if not callable(f):
        raise _core.fail(_core.ArgumentError, "a function is expected, not %s" % type(f).__name__)
    n, holder = number_of(f, how)
    h = lib.pt_bind(_core.here(), _name(f).encode("utf-8", "replace"), n)
    _core.check()
    return h, holder


_core.CONVERT["f"] = lambda what, f: bound(f)[0]
_core.CONVERT["h"] = lambda what, h: h


def call_function(h, args):
    """Calls a function of C with arguments of Python."""
    return _core.call(_call_n, ("f", "n", "arguments"), "hiA", (h, len(args), args))


def _call_n(site, h, n, args):
    return lib.tt_call_n(site, h, n, args)


_core.CONVERT["A"] = lambda what, xs: ffi.new("tt_val[]",
                                              [_tree.value("argument %d" % i, x) for i, x in enumerate(xs)] +
                                              [_core.END])

# ---- transforms, with JAX's names of options ----


def _transform(f, of, options=None, given=()):
    def make(site, h):
        keep = []
        return f(site, h) if options is None else f(site, h, options.struct(given, keep))
    return Function(make, of)


def _decorator(transform):
    """Lets @jit(donate_argnums=0) stand for @partial(jit, donate_argnums=0)."""
    @functools.wraps(transform)
    def of(f=None, *args, **options):
        if f is None:
            return lambda g: transform(g, *args, **options)
        return transform(f, *args, **options)
    return of


def _numbers_text(what, x):
    return None if x is None or x == () else _core.axes_text(what, x)


_jit_options = _core.Options("tt_jit_opts", "mesh=mesh:m rules=rules:s in_shardings=in:s out_shardings=out:s "
                             "donate_argnums=donate:s reproducible=reproducible:k strict=strict:k")


@_decorator
def jit(f, *, static_argnums=(), static_argnames=(), donate_argnums=None, mesh=None, rules=None, in_shardings=None,
        out_shardings=None, reproducible=None, strict=None) -> Function:
    """f compiled: traced once per types of its arguments, laid out over the mesh, and cached.

    static_argnums, static_argnames: arguments that f gets as they are; each value of them is a function of its own.
    donate_argnums: arguments whose memory may be reused; they are gone after the call.
    in_shardings, out_shardings: specs per argument and per item of the result, "data, _; _", on mesh.
    rules: logical axes to mesh axes, "batch:data"; reproducible, strict: see tt_jit in tutti.h."""
    given = (mesh, rules, in_shardings, out_shardings, _numbers_text("donate_argnums", donate_argnums), reproducible,
             strict)
    if static_argnums == () and static_argnames == ():
        return _transform(lib.tt_jit_at, f, _jit_options, given)

    def make(g, static, count):
        """The jit of what is left without the static arguments; donate_argnums count all of them, as in JAX."""
        text = None
        if donate_argnums not in (None, ()):
            donated = _core.wholes("donate_argnums", donate_argnums)
            for n in donated:
                if n in static:
                    why = "argument %d is static, and donated" % n
                elif not 0 <= n < count:
                    why = "donate_argnums has %d, and there are %d arguments by position" % (n, count)
                elif donated.count(n) > 1:
                    why = "donate_argnums has %d twice" % n
                else:
                    continue
                raise _core.fail(_core.ArgumentError, "jit: " + why, "arguments are counted from 0, static ones too")
            text = ", ".join(str(n - len([i for i in static if i < n])) for n in donated)
        return _transform(lib.tt_jit_at, g, _jit_options, given[:4] + (text,) + given[5:])
    return _Static(f, static_argnums, static_argnames, make)


def _static_names(f, names):
    given = list(names) if hasattr(names, "__iter__") and not isinstance(names, str) else [names]
    if [n for n in given if not isinstance(n, str)]:
        raise _core.fail(_core.ArgumentError, "jit: static_argnames are names, not %r" % (names,))
    try:
        known = inspect.signature(f).parameters
    except (TypeError, ValueError):
        return set(given)
    for n in given:
        if n not in known and not [p for p in known.values() if p.kind is p.VAR_KEYWORD]:
            raise _core.fail(_core.ArgumentError, "jit: static_argnames has %r, which %s does not take" % (n, _name(f)),
                             "its arguments are " + ", ".join(known) if known else "")
    return set(given)


class _Static:
    """A jitted function of which some arguments are static: a Function for each of their values."""
    MOST = 1024

    def __init__(self, f, numbers, names, make):
        self._f, self._make, self._made = f, make, collections.OrderedDict()
        self._numbers = set(_core.wholes("static_argnums", numbers))
        self._names = _static_names(f, names)
        functools.update_wrapper(self, f, updated=())

    def __call__(self, *args, **named):
        for n in self._numbers:
            if not -len(args) <= n < len(args):
                raise _core.fail(_core.ArgumentError, "jit: static_argnums has %d, and there are %d arguments by "
                                 "position" % (n, len(args)), "static_argnames are those that are given by name")
        numbers = {n % len(args) for n in self._numbers}
        fixed = tuple((i, x) for i, x in enumerate(args) if i in numbers)
        fixed_names = tuple(sorted((k, x) for k, x in named.items() if k in self._names))
        key = (len(args), _tree.typed((fixed, fixed_names)))
        try:
            made = self._made.get(key)
        except TypeError:
            raise _core.fail(_core.ArgumentError,
                             "a static argument that cannot be hashed: %r" % (fixed + fixed_names,)) from None
        if made is None:
            f = self._fixed(dict(fixed), dict(fixed_names), len(args))
            made = self._made[key] = self._make(f, numbers, len(args))
            if len(self._made) > self.MOST:
                self._made.popitem(last=False)
        return made(*[x for i, x in enumerate(args) if i not in numbers],
                    **{k: x for k, x in named.items() if k not in self._names})

    def _fixed(self, fixed, fixed_names, n):
        def of(*args, **named):
            rest = iter(args)
            return self._f(*[fixed[i] if i in fixed else next(rest) for i in range(n)], **fixed_names, **named)
        of.__name__ = _name(self._f)
        return of


_grad_options = _core.Options("tt_grad_opts", "argnums=wrt:s has_aux=aux:k")


def _derivative(f_c, f, argnums, has_aux):
    text = None
    if not isinstance(argnums, int) or isinstance(argnums, bool) or argnums != 0:
        text = _numbers_text("argnums", argnums)
        if not text:
            raise _core.fail(_core.ArgumentError, "argnums = %r names no argument" % (argnums,),
                             "0, the default, is the first one")
        if not isinstance(argnums, (int, str)) and hasattr(argnums, "__iter__") and "," not in text:
            text += ","                                  # a tuple of one, as in JAX
    return _Derivative(f_c, f, text, has_aux)


class _Derivative(Function):
    """A derivative by arguments that are given by position: those that are given by name are not counted."""

    def __init__(self, f_c, f, text, has_aux):
        self._named = None
        self._most = max([int(n) for n in (text or "0").split(",") if n.strip().isdigit()] or [0])

        def make(site, h):
            keep = []
            return f_c(site, h, _grad_options.struct((text, has_aux or None), keep))
        super().__init__(make, f)

    def handle(self, how):
        """Other transforms call it through __call__ where arguments are given by name, so that these are checked."""
        if how == "*":
            return super().handle(how)
        if self._named is None:
            def checked(*args, **named):
                return self(*args, **named)
            checked.__name__ = _name(self)
            self._named = bound(checked, how) + (checked,)
        return self._named[0]

    def __call__(self, *args, **named):
        if named and self._most >= len(args):
            raise _core.fail(_core.ArgumentError, "a derivative by argument %d, and %d are given by position" %
                             (self._most, len(args)), "an argument that is given by name is none by which a "
                             "derivative is taken")
        how = "**" if named else "*"
        return call_function(super().handle(how), args + (named,) if named else args)


def grad(f, argnums=0, has_aux=False) -> Function:
    """The gradient of a function whose result is one number, by the arguments argnums. has_aux: f returns (number,
    more),
    the result is (gradient, more)."""
    return _derivative(lib.tt_grad_at, f, argnums, has_aux) if not has_aux else \
        _after(value_and_grad(f, argnums, True), lambda r: (r[1], r[0][1]))


class _after(Function):
    """A Function whose results go through a function of Python."""

    def __init__(self, f, then):
        def both(*args, **named):
            return then(f(*args, **named))
        both.__name__ = _name(f)
        super().__init__(lambda site, h: h, both)


def value_and_grad(f, argnums=0, has_aux=False) -> Function:
    """(value, gradient) of a function whose result is one number; has_aux: ((value, more), gradient), as in JAX."""
    if not has_aux:
        return _derivative(lib.tt_value_and_grad_at, f, argnums, False)

    def flat(*args, **named):
        result = f(*args, **named)
        if not isinstance(result, (tuple, list)) or len(result) != 2:
            raise _core.fail(_core.TreeError, "has_aux: %s returned %s; expected a tuple of the number and more" %
                             (_name(f), "%d items" % len(result) if isinstance(result, (tuple, list))
                              else "a " + type(result).__name__))
        return tuple(result)
    flat.__name__ = _name(f)
    return _after(_derivative(lib.tt_value_and_grad_at, flat, argnums, True), lambda r: ((r[0], r[1]), r[2]))


def jacfwd(f, argnums=0) -> Function:
    """The jacobian of f in forward mode, by the arguments argnums."""
    return _derivative(lib.tt_jacfwd_at, f, argnums, False)


def jacrev(f, argnums=0) -> Function:
    """The jacobian of f in reverse mode, by the arguments argnums."""
    return _derivative(lib.tt_jacrev_at, f, argnums, False)


def hessian(f) -> Function:
    """The second derivatives of a function of one argument whose result is one number."""
    return _transform(lib.tt_hessian_at, f)


def jvp(f, primals, tangents) -> Tuple[Any, Any]:
    """(f(*primals), the derivative of f there along the tangents)."""
    for what, x in (("primals", primals), ("tangents", tangents)):
        if not isinstance(x, (tuple, list)):
            raise _core.fail(_core.TreeError, "jvp: %s are a tuple of one for each argument, not %s" %
                             (what, type(x).__name__), "jvp(f, (x,), (dx,))")
    return call_function(_transform(lib.tt_jvp_at, f).handle("*"), (tuple(primals), tuple(tangents)))


def vjp(f, *primals) -> Tuple[Any, Callable]:
    """(f(*primals), pullback): pullback(cotangent) is the tuple of cotangents of the primals."""
    value = f(*primals) if not isinstance(f, Function) else f(*primals)
    t = _transform(lib.tt_vjp_at, f)

    def pullback(cotangent):
        return call_function(t.handle("*"), (tuple(primals), cotangent))[1]
    return value, pullback


def linearize(f, *primals) -> Tuple[Any, Callable]:
    """(f(*primals), the derivative of f there, a function of tangents that does not compute f again)."""
    value, state = call_function(_transform(lib.tt_linearize_at, f).handle("*"), primals)
    linear = _transform(lib.tt_linear_at, f)
    return value, lambda *tangents: call_function(linear.handle("*"), (state, tuple(tangents)))


_remat_options = _core.Options("tt_remat_opts", "policy=policy:s")


def remat(f, *, policy: Optional[str] = None) -> Function:
    """f, whose values are computed again in the backward pass, not stored, but for those that the policy names:
    "dots_saveable" and the others of tt_remat."""
    return _transform(lib.tt_remat_at, f, _remat_options, (policy,))


checkpoint = remat


def custom_root(f, solve) -> Function:
    """A function of (guess, params) that returns solve(guess, params), the x with f(x, params) = 0; its derivative is
    that
    of the implicit function."""
    def make(site, h):
        _keep_rules(solve, f)
        return lib.tt_custom_root_at(site, h, bound(solve)[0])
    return Function(make, f)


def _callables(what, *fs):
    for f in fs:
        if not callable(f):
            raise _core.fail(_core.ArgumentError, "%s: a rule is a function, not %s" % (what, type(f).__name__))


class custom_vjp(Function):
    """f with a derivative of one's own: defvjp(fwd, bwd), fwd(*args) returning (result, residuals), bwd(residuals,
    cotangent) the tuple of cotangents."""

    def __init__(self, f):
        self._rules = None
        super().__init__(self._with_rules, f)

    def handle(self, how):
        if self._rules is None and self._handles:        # not from __init__
            raise _core.fail(_core.GradError, "custom_vjp: %s has no rule yet" % _name(self._of),
                             "f.defvjp(fwd, bwd) gives the rule")
        return super().handle(how)

    def _with_rules(self, site, h):
        if self._rules is None:
            return h
        _keep_rules(*self._rules, self._of)
        fwd, bwd = (bound(r) for r in self._rules)
        return lib.tt_custom_vjp_at(site, h, fwd[0], bwd[0])

    def defvjp(self, fwd, bwd):
        _callables("custom_vjp", fwd, bwd)

        def single(residuals, cotangent):
            ct = bwd(residuals, cotangent)
            return ct[0] if isinstance(ct, (tuple, list)) and len(ct) == 1 else ct
        single.__name__ = _name(bwd)
        self._rules = (fwd, single)
        self._handles.clear()
        return bwd


class custom_jvp(Function):
    """f with a derivative of one's own: defjvp(rule), rule(primals, tangents) returning (result, tangent)."""

    def __init__(self, f):
        self._rule = None
        super().__init__(self._with_rule, f)

    def handle(self, how):
        if self._rule is None and self._handles:         # not from __init__
            raise _core.fail(_core.GradError, "custom_jvp: %s has no rule yet" % _name(self._of),
                             "f.defjvp(rule) gives the rule")
        return super().handle(how)

    def _with_rule(self, site, h):
        if self._rule is None:
            return h
        _keep_rules(self._rule, self._of)
        return lib.tt_custom_jvp_at(site, h, bound(self._rule)[0])

    def defjvp(self, rule):
        _callables("custom_jvp", rule)
        self._rule = rule
        self._handles.clear()
        return rule


def stop_gradient(x):
    """The same value, with derivative zero."""
    return _core.call(lib.tt_stop_gradient_at, ("tree",), "v", (x,))


def _mapped(what, axes, n=None):
    """in_axes and out_axes as texts: "0; _"."""
    if axes is None:
        return "_"
    if isinstance(axes, str):
        return axes
    if isinstance(axes, int):
        return None if axes == 0 else str(axes)
    words = []
    for a in axes:
        if a is not None and (isinstance(a, bool) or not isinstance(a, int)):
            raise _core.fail(_core.ArgumentError,
                             "%s: an int or None for each argument, not %s" % (what, type(a).__name__),
                             "one axis for all leaves of an argument")
        words.append("_" if a is None else str(a))
    return "; ".join(words) + (";" if len(words) == 1 else "")


_vmap_options = _core.Options("tt_vmap_opts", "axis_name=axis:s in_axes=in:s out_axes=out:s axis_size=length:i")


@_decorator
def vmap(f, in_axes=0, out_axes=0, axis_name=None, axis_size=None) -> Function:
    """f of each element along an axis: in_axes per argument the axis, or None (not mapped); out_axes likewise."""
    return _transform(lib.tt_vmap_at, f, _vmap_options,
                      (axis_name, _mapped("in_axes", in_axes), _mapped("out_axes", out_axes), axis_size))


_pmap_options = _core.Options("tt_pmap_opts",
                              "mesh=mesh:m axis_name=axis:s in_axes=in:s out_axes=out:s donate_argnums=donate:s")


@_decorator
def pmap(f, axis_name=None, in_axes=0, out_axes=0, donate_argnums=None, mesh=None) -> Function:
    """vmap whose axis is a mesh axis, one element per device."""
    return _transform(lib.tt_pmap_at, f, _pmap_options,
                      (mesh, axis_name, _mapped("in_axes", in_axes), _mapped("out_axes", out_axes),
                       _numbers_text("donate_argnums", donate_argnums)))


_shard_map_options = _core.Options("tt_shard_map_opts", "mesh=mesh:m in_specs=in:s out_specs=out:s axis_names=axes:s "
                                   "unchecked=unchecked:k")


@_decorator
def shard_map(f, *, mesh=None, in_specs=None, out_specs=None, axis_names=None, check_vma=True) -> Function:
    """f gets its device's block of each argument, as in_specs shards it ("data, _; _"); out_specs assemble the
    results."""
    return _transform(lib.tt_shard_map_at, f, _shard_map_options,
                      (mesh, in_specs, out_specs, axis_names, None if check_vma else True))


# ---- control flow ----

_scan_options = _core.Options("tt_scan_opts", "reverse=reverse:k length=length:i")


def scan(f, init, xs=None, length=None, reverse=False) -> Tuple[Any, Any]:
    """(carry, ys): carry, y = f(carry, x) for each row x along axis 0 of the leaves of xs."""
    return _core.call(lib.tt_scan_at, ("f", "init", "xs"), "fvv", (f, init, () if xs is None else xs), _scan_options,
                      (reverse or None, length))


def while_loop(cond_fun, body_fun, init):
    """The first of init, body_fun(init), ... of which cond_fun is not true."""
    return _core.call(lib.tt_while_at, ("cond_fun", "body_fun", "init"), "ffv", (cond_fun, body_fun, init))


def fori_loop(lower, upper, body_fun, init):
    """body_fun(i, x) for i = lower, .., upper - 1, x the last result, init at first."""
    return _core.call(lib.tt_fori_between_at, ("lower", "upper", "body_fun", "init"), "vvfv",
                      (lower, upper, body_fun, init))


def cond(pred, true_fun, false_fun, *operands):
    """true_fun(*operands) if pred is true, else false_fun(*operands); both return the same types."""
    return _core.call(lib.tt_cond_at, ("pred", "true_fun", "false_fun", "operands"), "vffV",
                      (pred, true_fun, false_fun, operands))


def _branches(what, fs):
    return ffi.new("tt_fn[]", [bound(f, "1")[0] for f in fs] + [_core.FN_END])


_core.CONVERT["B"] = _branches


def switch(index, branches, *operands):
    """branches[index](*operands), the index clamped to the number of branches."""
    return _core.call(lib.tt_switch_at, ("index", "operands", "branches"), "vvB",
                      (index, tuple(operands), [_one(b) for b in _listed(branches)]))


def _listed(branches):
    if not isinstance(branches, (list, tuple)):
        raise _core.fail(_core.ArgumentError, "switch: a list of functions is expected, not %s" %
                         type(branches).__name__)
    return branches


def _one(f):
    """A Function as a callable, so that its arguments can come as one tuple."""
    return (lambda *args: f(*args)) if isinstance(f, Function) else f


_map_options = _core.Options("tt_map_opts", "batch_size=batch_size:i")
_associative_options = _core.Options("tt_associative_opts", "axis=dim:i reverse=reverse:k")


def map(f, xs, batch_size=None):
    """f of each row along axis 0 of the leaves of xs, one after the other, or batch_size at once."""
    return _core.call(lib.tt_map_at, ("f", "xs"), "fv", (f, xs), _map_options, (batch_size,))


def associative_scan(f, xs, reverse=False, axis=0):
    """x_0, f(x_0, x_1), f(f(x_0, x_1), x_2), ... along an axis of the leaves of xs."""
    return _core.call(lib.tt_associative_scan_at, ("f", "xs"), "fv", (f, xs), _associative_options,
                      (axis or None, reverse or None))


def eval_shape(f, *args):
    """The types of f(*args), as arrays without elements; computes nothing."""
    return _core.call(lib.tt_eval_shape_at, ("f", "arguments"), "fA", (f, args))
