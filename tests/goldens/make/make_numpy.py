"""Suite `numpy`: functions of jax.numpy, jax.lax and jax: elements by place, reductions with `where`, norms, Fourier
transforms, sets, padding, joins, jacobians, scans; values, gradients of the sum of cos(value), and what is refused.

Numbers are few and often awkward: empty, of one element, with NaN and infinities, in f32, bf16, i32 and bool.

Longer than 400 lines: one suite of goldens, a case for each function.
"""

import jax
import jax.flatten_util
import jax.numpy as jnp
import numpy as np
from jax import lax

from golden import Suite, versions

NEAR = {"rtol": 3e-6, "atol": 3e-6}
BF16 = {"rtol": 1e-2, "atol": 1e-2}


class Shared(Suite):
    """A suite that stores equal arrays once, and of a function's cases the first four and every fifth."""

    known, seen = {}, {}

    def case(self, ident, *args, **more):
        n = self.seen[ident] = self.seen.get(ident, -1) + 1
        if n < 4 or n % 5 == 0 or self.many > 1:
            super().case(ident, *args, **more)

    def array(self, name, value):
        value = np.asarray(value)
        key = (value.dtype.name, value.shape, value.tobytes())
        if key not in self.known:
            self.known[key] = super().array(name, value)
        return self.known[key]


def suite(out, seed, many):
    Shared.known, Shared.seen = {}, {}
    return Shared(out, "numpy", seed, many, versions("jax"))


def near(y):
    y = np.asarray(y)
    if y.dtype.name == "bfloat16":
        return BF16
    return NEAR if y.dtype.kind in "fc" else {"exact": True}


def gradients(f, xs, wrt):
    """Of sum(cos(real part of every result)) by the arguments `wrt`."""

    def loss(*a):
        leaves = jax.tree.leaves(f(*a))
        parts = [jnp.cos(jnp.real(y)).sum() for y in leaves if jnp.issubdtype(y.dtype, jnp.inexact)]
        return sum(parts)

    return jax.grad(loss, tuple(wrt))(*xs)


def add(s, name, f, params, xs, grad=(), tol=None, ident=None):
    """A case of f(*xs): its leaves, then gradients."""
    xs = [jnp.asarray(x) for x in xs]
    outs = jax.tree.leaves(f(*xs))
    if grad:
        outs += list(gradients(f, xs, grad))
        params = {**params, "grad": list(grad)}
    each = [tol or near(y) for y in outs]
    s.case(ident or name, "numpy", name, params, xs, outs, each if each[1:] != each[:-1] else (each or [None])[0])


def refused(s, name, f, params, xs):
    try:
        f(*[jnp.asarray(x) for x in xs])
    except Exception as e:  # any refusal will do: the words are JAX's
        s.case(f"{name}-refused", "numpy", name, params, xs, [], error=f"{type(e).__name__}: {e}".split("\n")[0][:120])
        return
    raise AssertionError(f"{name} {params} was not refused")


# ---- by place ----

SLICES = [
    ("_, 1:3, ::2", np.s_[:, 1:3, ::2]),
    ("1", np.s_[1]),
    ("-1, ..., 0", np.s_[-1, ..., 0]),
    ("::-1, 5:0:-2", np.s_[::-1, 5:0:-2]),
    ("..., newaxis, -3:", np.s_[..., None, -3:]),
    ("newaxis, 0, :, newaxis, 1:1", np.s_[None, 0, :, None, 1:1]),
    ("100:, -100:2", np.s_[100:, -100:2]),
    ("0:2:5, -1:-100:-3", np.s_[0:2:5, -1:-100:-3]),
]


def by_place(s):
    x = s.floats((3, 4, 6))
    for text, at in SLICES:
        add(s, "at", lambda v: v[at], {"text": text}, [x], [0])
    i, j, k = np.array([2, 0, 2], np.int32), np.array([[1], [-1]], np.int32), np.int32(1)
    whole = s.ints((3, 4, 6), np.int32)
    big, rows = np.array([1, 7, -9, 2], np.int32), np.array([0, -1, 2, 1], np.int8)
    INDEXED = [
        ("i", ["i"], lambda v, i: v.at[i].get(mode="fill"), [i]),
        ("i, j", ["i", "j"], lambda v, i, j: v.at[i, j].get(mode="fill"), [i, j]),
        ("i, _, i", ["i"], lambda v, i: v.at[i, :, i].get(mode="fill"), [i]),
        ("_, i, i", ["i"], lambda v, i: v.at[:, i, i].get(mode="fill"), [i]),
        ("_, j, 1:5:2", ["j"], lambda v, j: v.at[:, j, 1:5:2].get(mode="fill"), [j]),
        ("0, _, i", ["i"], lambda v, i: v.at[0, :, i].get(mode="fill"), [i]),
        ("k, 1:, i", ["k", "i"], lambda v, k, i: v.at[k, 1:, i].get(mode="fill"), [k, i]),
        ("newaxis, i, newaxis", ["i"], lambda v, i: v.at[None, i, None].get(mode="fill"), [i]),
        ("_, b, r", ["b", "r"], lambda v, b, r: v.at[:, b, r].get(mode="fill"), [big, rows]),
        ("_, b; clip", ["b"], lambda v, b: v.at[:, b].get(mode="clip"), [big]),
        ("_, b; wrap", ["b"], lambda v, b: jnp.take(v, b, 1, mode="wrap"), [big]),
    ]
    for text, names, f, index in INDEXED:
        add(s, "at", f, {"text": text, "names": names}, [x, *index], [0])
        if "b" in names:
            add(s, "at", f, {"text": text, "names": names}, [whole, *index])
    refused(s, "at", lambda v: v[0, 0, 0, 0], {"text": "0, 0, 0, 0"}, [x])
    refused(s, "at", lambda v: v[..., 0, ...], {"text": "..., 0, ..."}, [x])
    refused(s, "at", lambda v: v[::0], {"text": "::0"}, [x])
    refused(s, "at", lambda v, f: v[f], {"text": "f", "names": ["f"]}, [x, np.float32(1)])


def updates(s):
    x = s.floats((3, 4, 6))
    whole = s.ints((3, 4, 6), np.int32)
    i, j = np.array([2, 0, 2], np.int32), np.array([[1], [-1]], np.int32)
    out = np.array([1, 7, -9, 1], np.int32)
    for how in ("set", "add", "mul", "max", "min"):
        for text, at in {"set": SLICES, "mul": SLICES[3:5]}.get(how, []):
            u = s.floats(np.zeros((3, 4, 6))[at].shape)
            f = lambda v, u, at=at: getattr(v.at[at], {"mul": "multiply"}.get(how, how))(u)
            add(s, "at_put", f, {"text": text, "how": how}, [x, u], [0, 1] if u.size else [])
        one = np.float32(1.5)
        at = np.s_[1:, ::3]
        f = lambda v, u: getattr(v.at[at], {"mul": "multiply"}.get(how, how))(u)
        add(s, "at_put", f, {"text": "1:, ::3", "how": how}, [x, one], [0, 1])
        if how in ("set", "min"):
            add(s, "at_put", f, {"text": "1:, ::3", "how": how}, [whole, np.int32(-3)])
    PUTS = [
        ("i", ["i"], lambda r, i: r[i], [i], (3, 4, 6)),
        ("i, j", ["i", "j"], lambda r, i, j: r[i, j], [i, j], (2, 3, 6)),
        ("i, _, i", ["i"], lambda r, i: r[i, :, i], [i], (3, 4)),
        ("_, j, 1:5:2", ["j"], lambda r, j: r[:, j, 1:5:2], [j], (2,)),
        ("_, b, 2", ["b"], lambda r, b: r[:, b, 2], [out], (3, 4)),
        ("0, b", ["b"], lambda r, b: r[0, b], [out], (1,)),
    ]
    for how in ("set", "add", "mul", "max", "min"):
        name = {"mul": "multiply"}.get(how, how)
        for text, names, at, index, shape in PUTS if how in ("set", "add") else PUTS[1::2]:
            f = lambda v, u, *n, at=at: getattr(at(v.at, *n), name)(u)
            params = {"text": text, "how": how, "names": names}
            add(s, "at_put", f, params, [x, s.floats(shape), *index], [0] if how == "mul" else [0, 1])
            if how == "max" or (how == "set" and "b" in names):
                add(s, "at_put", f, params, [whole, s.ints(shape, np.int32, -9, 9), *index])
    mask = s.rng.integers(0, 2, (3, 4)).astype(bool)
    add(s, "at_put", lambda v, u: v.at[1:, ::2].max(u), {"text": "1:, ::2", "how": "max"}, [mask, np.bool_(True)])


def boxes(s):
    x, u = s.floats((4, 5)), s.floats((2, 2))
    for at in ([1, 2], [-1, 0], [9, -9]):
        start = np.array(at, np.int32)
        f = lambda v, a: lax.dynamic_slice(v, (a[0], a[1]), (2, 3))
        add(s, "dynamic_slice", f, {"sizes": [2, 3]}, [x, start], [0])
        f = lambda v, p, a: lax.dynamic_update_slice(v, p, (a[0], a[1]))
        add(s, "dynamic_update_slice", f, {}, [x, u, start], [0, 1])
    refused(s, "dynamic_slice", lambda v, a: lax.dynamic_slice(v, (a[0], a[1]), (5, 1)), {"sizes": [5, 1]}, [x, start])


# ---- arrays by rule ----


def rules(s):
    for d in (jnp.int32, jnp.bfloat16, jnp.int8):
        n = np.dtype(d).name
        for at in ([5], [2, 7], [9, 0, -2], [5, 5]):
            add(s, "arange", lambda: jnp.arange(*at, dtype=d), {"at": at, "dtype": n}, [], tol={"exact": True})
    for at in ([0.1, 1, 0.3], [0, 1, 0.1], [-1.5, 1.5], [2, 1.9, -0.01]):
        for d in (jnp.float32, jnp.bfloat16):
            p = {"at": at, "dtype": np.dtype(d).name}
            add(s, "arange", lambda: jnp.arange(*at, dtype=d), p, [], tol={"exact": True})
    for n, k, m in ((3, 1, 4), (4, -2, 2), (2, 5, 2), (0, 0, 0)):
        p = {"n": n, "k": k, "columns": m}
        add(s, "tril_indices", lambda: jnp.tril_indices(n, k, m), p, [])
        add(s, "triu_indices", lambda: jnp.triu_indices(n, k, m), p, [])
    add(s, "diag_indices", lambda: jnp.diag_indices(3), {"n": 3}, [])
    for n, d in ((1, 1.0), (6, 0.5), (7, 2.0)):
        add(s, "fftfreq", lambda: jnp.fft.fftfreq(n, d), {"n": n, "d": d}, [])
        add(s, "rfftfreq", lambda: jnp.fft.rfftfreq(n, d), {"n": n, "d": d}, [])


# ---- reductions ----


def reductions(s):
    x, mask = s.floats((3, 4, 2)), s.rng.integers(0, 2, (3, 4, 1)).astype(bool)
    mask[0] = False
    holes = x.copy()
    holes[0, :, 0] = np.nan
    holes[1, 2] = np.nan
    whole = s.ints((3, 4), np.int8, -9, 9)
    for name in ("sum", "prod", "mean", "var", "std"):
        for axis in (None, 1, (0, 2)):
            f = lambda v: getattr(jnp, name)(v, axis=axis, where=mask)
            p = {"axis": axis, "where": mask[..., 0].astype(int).tolist()}
            add(s, name, f, p, [x], [0] if name in ("sum", "prod", "mean") else [])
    for name in ("max", "min"):
        for axis in (None, 1):
            f = lambda v: getattr(jnp, name)(v, axis=axis, where=mask, initial=0.25)
            add(s, name, f, {"axis": axis, "initial": 0.25, "where": mask[..., 0].astype(int).tolist()}, [x], [0])
            f = lambda v: getattr(jnp, name)(v, axis=axis, initial=7)
            add(s, name, f, {"axis": axis, "initial": 7}, [whole])
        empty = np.zeros((0, 3), np.float32)
        add(s, name, lambda v: getattr(jnp, name)(v, axis=0, initial=2.0), {"axis": 0, "initial": 2.0}, [empty])
        refused(s, name, lambda v: getattr(jnp, name)(v, axis=0), {"axis": 0}, [empty])
        refused(s, name, lambda v: getattr(jnp, name)(v, where=mask), {"where": mask[..., 0].astype(int).tolist()}, [x])
    for name in ("sum", "prod"):
        add(s, name, lambda v: getattr(jnp, name)(v, axis=0, initial=3), {"axis": 0, "initial": 3}, [whole])
    for name in ("any", "all"):
        f = lambda v: getattr(jnp, name)(v, axis=1, where=mask)
        add(s, name, f, {"axis": 1, "where": mask[..., 0].astype(int).tolist()}, [x > 0])
    for name in ("nansum", "nanprod", "nanmean", "nanmax", "nanmin", "nanvar", "nanstd"):
        for axis, keep in ((None, False), (2, True)):
            f = lambda v: getattr(jnp, name)(v, axis=axis, keepdims=keep)
            add(s, name, f, {"axis": axis, "keepdims": keep}, [holes])
        f = lambda v: getattr(jnp, name)(v, axis=0)
        add(s, name, f, {"axis": 0}, [jnp.asarray(holes, jnp.bfloat16)])
        if name in ("nanmax", "nanvar"):
            add(s, name, f, {"axis": 0}, [whole.astype(np.int32)])
    for axis in (None, 0):
        f = lambda v: jnp.count_nonzero(v, axis=axis)
        for v in (whole, holes[..., 0]) if axis is None else (x > 0,):
            add(s, "count_nonzero", f, {"axis": axis}, [v])
    for name in ("softmax", "log_softmax", "logsumexp"):
        for axis in (0, -1, (0, 1)):
            f = lambda v: getattr(jax.nn, name)(v, axis=axis)
            add(s, name, f, {"axis": axis}, [x], [0])
        some = mask | (np.arange(3) == 0)[:, None, None]
        f = lambda v: getattr(jax.nn, name)(v, axis=1, where=some)
        add(s, name, f, {"axis": 1, "where": some[..., 0].astype(int).tolist()}, [x], [0] if name == "softmax" else [])


# ---- norms, vectors ----


def norms(s):
    v, m, t = s.floats((5,)), s.floats((3, 4)), s.floats((2, 3, 4))
    for o in (None, 1, 2, np.inf, -np.inf, 0, 3, 0.5):
        name = {np.inf: "inf", -np.inf: "-inf"}.get(o, None if o is None else str(o))
        add(s, "norm", lambda x: jnp.linalg.norm(x, o), {"ord": name}, [v], [] if o == 0 else [0])
        if o in (1, -np.inf, 0):
            add(s, "norm", lambda x: jnp.linalg.norm(x, o, axis=1), {"ord": name, "axis": 1}, [t])
    for o in (None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf):
        name = {np.inf: "inf", -np.inf: "-inf"}.get(o, None if o is None else str(o))
        add(s, "norm", lambda x: jnp.linalg.norm(x, o), {"ord": name}, [m], [0])
        if o in ("nuc", 1, np.inf):
            f = lambda x: jnp.linalg.norm(x, o, axis=(2, 0), keepdims=True)
            add(s, "norm", f, {"ord": name, "axis": [2, 0], "keepdims": True}, [t])
    add(s, "norm", jnp.linalg.norm, {}, [t])
    add(s, "norm", jnp.linalg.norm, {}, [s.ints((4,), np.int32, -9, 9)])
    refused(s, "norm", lambda x: jnp.linalg.norm(x, 1), {"ord": "1"}, [t])
    refused(s, "norm", lambda x: jnp.linalg.norm(x, "nuc"), {"ord": "nuc"}, [v])
    refused(s, "norm", lambda x: jnp.linalg.norm(x, 3), {"ord": "3"}, [m])
    a, b = s.floats((2, 3)), s.floats((3,))
    add(s, "cross", jnp.cross, {}, [a, b], [0, 1])
    add(s, "cross", jnp.cross, {}, [a[:, :2], b[:2]], [0, 1])
    add(s, "cross", jnp.cross, {}, [a[:, :2], b])
    add(s, "cross", jnp.cross, {}, [s.ints((3,), np.int32, -9, 9), s.ints((3,), np.int32, -9, 9)])
    refused(s, "cross", jnp.cross, {}, [s.floats((4,)), s.floats((4,))])
    for name in ("convolve", "correlate"):
        for mode in ("full", "same", "valid"):
            f = lambda a, b: getattr(jnp, name)(a, b, mode=mode)
            for m, n in ((7, 4), (3, 6), (1, 5)) if name == "correlate" else ((6, 3), (2, 5)):
                add(s, name, f, {"mode": mode}, [s.floats((m,)), s.floats((n,))], [0, 1])
        add(s, name, getattr(jnp, name), {}, [s.ints((5,), np.int32, -9, 9), s.ints((2,), np.int32, -9, 9)])
        refused(s, name, getattr(jnp, name), {}, [np.zeros((0,), np.float32), b])
        refused(s, name, getattr(jnp, name), {}, [a, b])
    for axis in (None, 0, 1):
        add(s, "gradient", lambda x: jnp.gradient(x, axis=axis), {"axis": axis}, [s.floats((4, 3))], [0])
    add(s, "gradient", lambda x: jnp.gradient(x, 0.5), {"step": 0.5}, [s.floats((2,))])
    refused(s, "gradient", jnp.gradient, {}, [s.floats((1,))])
    add(s, "trapezoid", jnp.trapezoid, {}, [s.floats((2, 5))], [0])
    add(s, "trapezoid", lambda y: jnp.trapezoid(y, dx=0.5), {"step": 0.5}, [s.floats((5,))], [0])
    add(s, "trapezoid", jnp.trapezoid, {}, [s.floats((2, 5)), np.sort(s.floats((5,)))], [0, 1])


# ---- Fourier ----


def fourier(s):
    x = s.floats((3, 4, 5))
    z = (s.floats((3, 4, 5)) + 1j * s.floats((3, 4, 5))).astype(np.complex64)
    wide = {"rtol": 1e-5, "atol": 1e-5}
    for norm in (None, "ortho", "forward"):
        every = [("fft2", z), ("ifft2", z), ("rfft2", x), ("fftn", x), ("fftn", z), ("ifftn", z), ("rfftn", x)]
        for name, v in every[5 if norm else 0 :]:
            add(s, name, lambda a: getattr(jnp.fft, name)(a, norm=norm), {"norm": norm}, [v], tol=wide)
        half = jnp.fft.rfftn(x)
        if not norm:
            add(s, "irfftn", lambda a: jnp.fft.irfftn(a, norm=norm), {"norm": norm}, [half], tol=wide)
        f = lambda a: jnp.fft.irfftn(a, (3, 4, 5), norm=norm)
        add(s, "irfftn", f, {"norm": norm, "n": 5}, [half], tol=wide)
        if not norm:
            add(s, "irfft2", lambda a: jnp.fft.irfft2(a, norm=norm), {"norm": norm}, [half], tol=wide)
    for axes in ([0], [0, 2], [1, 2]):
        add(s, "fftn", lambda a: jnp.fft.fftn(a, axes=axes), {"axis": axes}, [z], tol=wide)
        add(s, "rfftn", lambda a: jnp.fft.rfftn(a, axes=axes), {"axis": axes}, [x], [0], tol=wide)
    for axes in (None, 0, [1, 2]):
        add(s, "fftshift", lambda a: jnp.fft.fftshift(a, axes), {"axis": axes}, [x])
        add(s, "ifftshift", lambda a: jnp.fft.ifftshift(a, axes), {"axis": axes}, [x])
    refused(s, "fft2", jnp.fft.fft2, {}, [z[0, 0]])


# ---- sets ----


def sets(s):
    x = s.ints((3, 4), np.int32, -2, 2)
    holes = np.array([np.nan, 1, np.inf, 1, np.nan, -1, -np.inf, 0, -0.0], np.float32)
    one, none = np.array([7], np.int32), np.zeros((0,), np.float32)
    for v in (x, holes, x > 0, one, none, np.zeros((2, 3), np.float32)):
        for n, fill in ((None, None), (3, None), (20, -1), (0, None)):
            p = {"size": n, "fill": fill}
            if fill is not None and not v.size:
                continue  # jax 0.10.2 gives 0 instead of fill_value for an empty array
            if v.ndim == 1 or n != 3:
                add(s, "nonzero", lambda v: jnp.nonzero(v, size=n, fill_value=fill), p, [v])
            else:
                add(s, "argwhere", lambda v: jnp.argwhere(v, size=n, fill_value=fill), p, [v])
    refused(s, "nonzero", jnp.nonzero, {}, [np.float32(1)])
    for v in (x, holes, x > 0, one):
        for n, fill in ((None, None), (2, None), (9, 1)):
            f = lambda v: jnp.unique(
                v, return_index=True, return_inverse=True, return_counts=True, size=n, fill_value=fill
            )
            add(s, "unique", f, {"size": n, "fill": fill, "all": True}, [v])
        add(s, "unique", jnp.unique, {}, [v])
    add(s, "isin", jnp.isin, {}, [x, np.array([1, -2], np.int32)])
    add(s, "isin", jnp.isin, {}, [holes, np.array([np.nan, 1], np.float32)])
    add(s, "isin", jnp.isin, {}, [x, np.zeros((0,), np.int32)])
    v = s.floats((3, 9))
    for p in ({}, {"bins": 4}, {"bins": 3, "range": [-1.0, 1.0]}, {"density": True}):
        add(s, "histogram", lambda a: jnp.histogram(a, **p), p, [v])
    edges = np.array([-1, -0.5, 0, 2], np.float32)
    add(s, "histogram", lambda a, e: jnp.histogram(a, e), {"edges": True}, [v, edges])
    w = s.floats((3, 9))
    add(s, "histogram", lambda a, w: jnp.histogram(a, 5, weights=w), {"bins": 5, "weights": True}, [v, w])
    add(s, "histogram", lambda a: jnp.histogram(a, 4), {"bins": 4}, [x])
    add(s, "histogram", lambda a: jnp.histogram(a, 4), {"bins": 4}, [np.full((3,), 2, np.float32)])
    pairs = [(holes, holes, True), (holes, holes, False), (x, x + 1, False), (x, x[0], False), (none, none, False)]
    for a, b, nan in pairs:
        add(s, "allclose", lambda a, b: jnp.allclose(a, b, equal_nan=nan), {"equal_nan": nan}, [a, b])
        add(s, "array_equal", lambda a, b: jnp.array_equal(a, b, equal_nan=nan), {"equal_nan": nan}, [a, b])
    ids = np.array([1, 0, -1, 1, 9, 3], np.int32)
    for name in ("segment_sum", "segment_prod", "segment_max", "segment_min"):
        f = lambda v, i: getattr(jax.ops, name)(v, i, 4)
        add(s, name, f, {"n": 4}, [s.floats((6, 2)), ids], [0] if name != "segment_prod" else [])
        add(s, name, f, {"n": 4}, [s.ints((6,), np.int32, -9, 9), ids])
        add(s, name, f, {"n": 4}, [jnp.asarray(s.ints((6,), np.int32, -3, 3), jnp.bfloat16), ids])


# ---- pads, pieces, turns ----


def joins(s):
    x, whole = s.floats((3, 2)), s.ints((3, 2), np.int32, -9, 9)
    one = s.floats((1, 2))
    for mode in ("constant", "edge", "reflect", "symmetric", "wrap", "linear_ramp", "maximum", "minimum", "mean"):
        for w, text in ((((1, 2), (0, 3)), "1:2, 0:3"), (((5, 0), (9, 7)), "5:0, 9:7")):
            if w[0][0] == 5 and mode[0] in "clm":
                continue
            p = {"widths": text, "mode": mode}
            if mode == "mean":
                add(s, "pad", lambda v: jnp.pad(v, w, mode), p, [x])
            else:
                add(s, "pad", lambda v: jnp.pad(v, w, mode), p, [x], [0] if mode[:3] not in ("max", "min") else [])
                if w[0][0] == 1 and mode in ("edge", "linear_ramp", "maximum"):
                    add(s, "pad", lambda v: jnp.pad(v, w, mode), p, [whole])
            if w[0][0] == 1 and mode[0] in "rsw":
                add(s, "pad", lambda v: jnp.pad(v, w, mode), p, [one])
    add(s, "pad", lambda v: jnp.pad(v, 2, constant_values=7), {"widths": "2:2", "value": 7}, [whole])
    p = {"widths": "2:2", "mode": "linear_ramp", "value": 7}
    add(s, "pad", lambda v: jnp.pad(v, 2, "linear_ramp", end_values=7), p, [x])
    empty = np.zeros((0, 2), np.float32)
    add(s, "pad", lambda v: jnp.pad(v, 1), {"widths": "1:1"}, [empty])
    refused(s, "pad", lambda v: jnp.pad(v, 1, "edge"), {"widths": "1:1", "mode": "edge"}, [empty])
    refused(s, "pad", lambda v: jnp.pad(v, -1), {"widths": "-1:-1"}, [x])
    refused(s, "pad", lambda v: jnp.pad(v, 1, "mirror"), {"widths": "1:1", "mode": "mirror"}, [x])
    for n, axis in ((2, 0), (3, 1), (6, -1)):
        add(s, "array_split", lambda v: jnp.array_split(v, n, axis), {"n": n, "axis": axis}, [x])
    for at, axis in (([1, 2], 0), ([0, 1], 1), ([2], -1)):
        add(s, "split", lambda v: jnp.split(v, at, axis), {"at": at, "axis": axis}, [x], [0])
    a, b, c = s.floats((3,)), s.floats((3,)), s.floats((2, 3))
    for name in ("vstack", "hstack", "dstack", "column_stack"):
        f = lambda *v: getattr(jnp, name)(v)
        add(s, name, f, {}, [a, b], [0, 1])
        add(s, name, f, {}, [c, c + 1])
        add(s, name, f, {}, [c[None], c[None]])
        add(s, name, f, {}, [np.float32(1), np.float32(2)])
        refused(s, name, f, {}, [a, s.floats((4, 4, 4))])
    add(s, "vstack", lambda *v: jnp.vstack(v), {}, [a, c, jnp.asarray(b, jnp.bfloat16)])
    m = [s.floats(n) for n in ((2, 2), (2, 3), (1, 2), (1, 3))]
    add(s, "block", lambda p, q, r, t: jnp.block([[p, q], [r, t]]), {}, m, [0, 3])
    add(s, "block_line", lambda p, q: jnp.block([p, q]), {}, [a, np.float32(4)])
    for k in (0, 1, 2, 3, -1, 6):
        add(s, "rot90", lambda v: jnp.rot90(v, k), {"k": k}, [x])
    for axis in (None, 0, (0, 1), -1):
        add(s, "flip", lambda v: jnp.flip(v, axis), {"axis": axis}, [x], [0])
    TEXTS = [("ij,jk,kl->il", [(2, 3), (3, 4), (4, 2)]), ("ii->i", [(3, 3)]), ("ii", [(3, 3)]), ("bii->b", [(2, 3, 3)])]
    TEXTS += [("a,b,c,abc->ca", [(2,), (3,), (2,), (2, 3, 2)]), ("...ij,...j->...i", [(2, 2, 3), (3,)])]
    TEXTS += [("ijk,ijk", [(2, 3, 2)] * 2)]
    for text, shapes in TEXTS:
        f = lambda *v: jnp.einsum(text, *v)
        add(s, "einsum", f, {"text": text}, [s.floats(n) for n in shapes], list(range(len(shapes))))
    refused(s, "einsum", lambda a, b: jnp.einsum("ij,jk->il", a, b), {"text": "ij,jk->il"}, [x, x.T.copy()])


# ---- derivatives, loops ----


def derivatives(s):
    w, b, x = s.floats((2, 3)), s.floats((2,)), s.floats((3,))

    def net(w, b, x):
        return {"a": jnp.tanh(w @ x + b), "b": (x**2).sum()}

    for name in ("jacfwd", "jacrev"):
        jac = getattr(jax, name)
        add(s, name, lambda *a: jac(net)(*a), {"wrt": "0"}, [w, b, x])
        add(s, name, lambda *a: jac(net, (0, 2))(*a), {"wrt": "0, 2"}, [w, b, x])
        add(s, f"{name}_hessian", lambda v: jax.jacfwd(jac(lambda v: jnp.sin(v).prod()))(v), {}, [x])
    add(s, "linearize", lambda *a: [jax.linearize(net, *a)[0], jax.linearize(net, *a)[1](*a)], {}, [w, b, x])
    add(s, "ravel", lambda *a: jax.flatten_util.ravel_pytree({"w": a[0], "b": a[1], "x": a[2]})[0], {}, [w, b, x])
    for n in (0, 1, 5, 8):
        for back in (False, True) if n == 5 else (n == 8,):
            v, u = s.floats((n, 2)), s.floats((n, 2))
            f = lambda v: lax.associative_scan(jnp.add, v, reverse=back)
            add(s, "associative_scan_add", f, {"reverse": back, "axis": 0}, [v], [0] if n else [])

            def affine(l, r):
                return r[0] * l[0], r[0] * l[1] + r[1]

            f = lambda v, u: lax.associative_scan(affine, (v, u), reverse=back)
            add(s, "associative_scan_affine", f, {"reverse": back, "axis": 0}, [v, u], [0, 1] if n else [])
        if n == 8:
            f = lambda v: lax.associative_scan(jnp.maximum, v, axis=1)
            add(s, "associative_scan_max", f, {"reverse": False, "axis": 1}, [s.floats((2, n))])
    for n, size in ((7, None), (7, 3), (6, 3), (2, 5)):
        f = lambda v: lax.map(lambda r: (jnp.sin(r).sum(), r * 2), v, batch_size=size)
        add(s, "map", f, {"batch_size": size}, [s.floats((n, 2))], [0])
    for lo, hi in ((0, 5), (2, 2), (3, -1)):
        f = lambda v: lax.fori_loop(np.int32(lo), np.int32(hi), lambda i, c: c * 0.5 + i, v)
        add(s, "fori", f, {"lo": lo, "hi": hi}, [x])


def fill(s):
    for _ in range(s.many):
        for f in (by_place, updates, boxes, rules, reductions, norms, fourier, sets, joins, derivatives):
            f(s)
