"""Optimizers: state = tt.optim.adam(params, rate=1e-3); params, state = tt.optim.step(params, state, grads)."""
from typing import Any, Tuple

from . import _api, _core, _functions
from ._array import Array, State
from ._core import ffi, lib

__all__ = ["step", "step_with"]
for _name in _api.HEADERS["optim"]:
    globals()[_name] = getattr(_api, _name)
    __all__.append(_name)


def _stepped(params, state, take):
    """Two slots for C, which take(site, params, state) replaces; both as Python has them."""
    from . import _array, _tree
    site = _core.here()
    with _core.Scope():
        slots = [ffi.new("tt_val *", _tree.value(n, x)) for n, x in (("params", params), ("state", state))]
        v = take(site, *slots)
        _core.check()
        return [_one(_tree, site, s[0]) for s in slots] + [v]


def _one(_tree, site, v):
    inner = lib.tt_scope_open()
    how = lib.pt_close(inner, site, v)
    if how < 0:
        _core.raise_error()
    if how == 1:
        return Array(ffi.new("tt_val *", v)[0])
    try:
        return _tree.tree_of(site, v, Array, State)
    finally:
        lib.tt_scope_close(inner)


def step(params, state, grads, value=None) -> Tuple[Any, Any]:
    """(params, state) after a step; value: the loss, for chains that read it."""
    from . import _tree

    def take(site, p, s):
        g = _tree.value("grads", grads)
        if value is None:
            lib.tt_opt_step_at(site, p, s, g)
        else:
            lib.tt_opt_step_value_at(site, p, s, g, _tree.value("value", value))
    params, state, _ = _stepped(params, state, take)
    return params, state


def step_with(params, state, loss, *args) -> Tuple[Any, Any, Array]:
    """(params, state, loss before the step) after a step of any chain, also of those with a line search; loss is a
    function
    of (params, *args)."""
    from . import _tree

    def take(site, p, s):
        values = ffi.new("tt_val[]", [_tree.value("argument", x) for x in args] + [_core.END])
        v = lib.tt_opt_step_with_at(site, p, s, _functions.bound(loss)[0], values)
        _core.check()
        return _one(_tree, site, v)
    return tuple(_stepped(params, state, take))
