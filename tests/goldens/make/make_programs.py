"""Suite `programs`: functions as StableHLO text, printed by JAX; their values, derivatives, and the same on a mesh."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from golden import Suite, versions


def suite(out, seed, many):
    return Suite(out, "programs", seed, many, versions("jax"))


TOL = {"rtol": 2e-5, "atol": 2e-5}


def steps(s, x):
    """A drawn elementwise or shape-changing step: a function of one array of x's shape."""
    shape = x
    axis = int(s.rng.integers(0, len(shape)))
    order = [int(a) for a in s.rng.permutation(len(shape))]
    low = int(s.rng.integers(0, shape[axis]))
    n, step = int(s.rng.integers(1, 6)), int(s.rng.integers(1, 3))
    w = s.floats((shape[-1], n), scale=0.5)
    pad = [(int(s.rng.integers(0, 3)), int(s.rng.integers(0, 3)), int(s.rng.integers(0, 2))) for _ in shape]
    at = s.ints((int(s.rng.integers(1, 5)),), np.int32, 0, shape[axis] - 1)
    c = float(s.rng.uniform(-2, 2))
    return s.pick(
        ("tanh", lambda v: jnp.tanh(v * c)),
        ("exp", lambda v: jnp.exp(-v * v)),
        ("where", lambda v: jnp.where(v > c, v, c * v)),
        ("sum", lambda v: v.sum(axis, keepdims=True) + v),
        ("max", lambda v: v - v.max(axis, keepdims=True)),
        ("mean", lambda v: v / (1 + jnp.abs(v).mean(axis, keepdims=True))),
        ("transpose", lambda v: v.transpose(order)),
        ("slice", lambda v: lax.slice_in_dim(v, low, v.shape[axis], step, axis)),
        ("reverse", lambda v: jnp.flip(v, axis)),
        ("dot", lambda v: v @ w),
        ("pad", lambda v: lax.pad(v, np.float32(c), pad)),
        ("take", lambda v: jnp.take(v, at, axis)),
        ("cumsum", lambda v: jnp.cumsum(v, axis)),
        ("sort", lambda v: jnp.sort(v, axis)),
        ("softmax", lambda v: jax.nn.softmax(v, axis)),
        ("reshape", lambda v: v.reshape(-1, v.shape[-1])),
        ("concat", lambda v: jnp.concatenate([v, c * v], axis)),
        ("scan", lambda v: lax.scan(lambda a, b: (jnp.sin(a + b), a * b), v[0], v)[1]),
        ("fori", lambda v: lax.fori_loop(0, n, lambda i, a: a * 0.9 + jnp.cos(a), v)),
        ("cond", lambda v: lax.cond(v.sum() > 0, lambda a: a * 2, lambda a: a - 1, v)),
        ("scatter", lambda v: v.at[at if axis == 0 else 0].add(c)),
        (
            "window",
            lambda v: lax.reduce_window(
                v, -np.inf, lax.max, tuple(2 if d > 1 else 1 for d in v.shape), (1,) * v.ndim, "SAME"
            ),
        ),
        ("update", lambda v: lax.dynamic_update_slice_in_dim(v, lax.slice_in_dim(v, 0, 1, axis=axis) * c, low, axis)),
        ("clamp", lambda v: jnp.clip(v, -0.5, 0.7)),
        ("log", lambda v: jnp.log1p(v * v)),
        ("cast", lambda v: v.astype(jnp.int32).astype(jnp.float32) + v),
    )


def program(s):
    shape = s.shape(int(s.rng.integers(1, 4)), 6, 2)
    names, chain, now = [], [], shape
    for _ in range(int(s.rng.integers(2, 6))):
        name, f = steps(s, now)
        try:
            after = jax.eval_shape(f, jax.ShapeDtypeStruct(now, jnp.float32)).shape
        except Exception:  # a step that this shape cannot take
            continue
        if not after or 0 in after or np.prod(after) > 4000:
            continue
        names, chain, now = names + [name], chain + [f], after

    def run(x, y):
        x = x * jnp.sum(y)
        for f in chain:
            x = f(x)
        return x

    return "-".join(names), run, shape


def fill(s):
    for k in range(6 * s.many):
        ident, f, shape = program(s)
        x, y = s.floats(shape), s.floats((3,))
        name = f"{k}_{ident}"
        file = s.text(f"p{k}.mlir", jax.jit(f).lower(x, y).as_text())
        value = jax.jit(f)(x, y)
        s.case(f"{name}/none", "program", ident, {}, [x, y], [value], TOL, file=file, transform="none")
        ct, t = s.floats(value.shape), s.floats(shape)
        back = jax.jit(lambda a, b, c: jax.vjp(f, a, b)[1](c))(x, y, ct)
        near = {"rtol": 1e-4, "atol": 1e-4 * float(1 + max(np.abs(b).max() for b in back))}
        s.case(
            f"{name}/vjp",
            "program",
            ident,
            {"argnums": [0, 1]},
            [x, y, ct],
            list(back),
            near,
            file=file,
            transform="vjp",
        )
        value, tangent = jax.jit(lambda a, b, c: jax.jvp(lambda v: f(v, b), (a,), (c,)))(x, y, t)
        near = {"rtol": 1e-4, "atol": 1e-4 * float(1 + np.abs(tangent).max())}
        s.case(
            f"{name}/jvp",
            "program",
            ident,
            {"argnums": [0]},
            [x, y, t],
            [value, tangent],
            near,
            file=file,
            transform="jvp",
        )
        many = s.floats((3,) + shape)
        s.case(
            f"{name}/vmap",
            "program",
            ident,
            {"in_axes": [0, None]},
            [many, y],
            [jax.jit(jax.vmap(f, (0, None)))(many, y)],
            TOL,
            file=file,
            transform="vmap",
        )
        specs = [
            ",".join(
                s.pick("-", "-", "data") if i == 0 else s.pick("-", "model") if i == 1 else "-"
                for i in range(len(shape))
            ),
            "-",
        ]
        s.case(
            f"{name}/mesh",
            "program",
            ident,
            {},
            [x, y],
            [f_value(f, x, y)],
            TOL,
            file=file,
            transform="none",
            mesh="data=2,model=4",
            in_specs=specs,
        )
    refused(s)


def f_value(f, x, y):
    return jax.jit(f)(x, y)


HEAD = "module {\n  func.func public @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {\n"
TAIL = "\n    return %0 : tensor<2xf32>\n  }\n}\n"


def refused(s):
    rows = [
        ("unknown_op", "    %0 = stablehlo.frobnicate %arg0 : tensor<2xf32>", "unknown operation, by name"),
        ("undefined_value", "    %0 = stablehlo.add %arg0, %7 : tensor<2xf32>", "use of a value that is not defined"),
        (
            "literal_count",
            "    %0 = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<2xf32>",
            "literal has 3 elements, type wants 2",
        ),
        (
            "unknown_custom_call",
            "    %0 = stablehlo.custom_call @nobody_knows(%arg0) : (tensor<2xf32>) -> tensor<2xf32>",
            "unknown custom call target, by name",
        ),
    ]
    for ident, line, error in rows:
        s.case(
            f"refuse/{ident}",
            "program",
            ident,
            {},
            [],
            [],
            file=s.text(f"{ident}.mlir", HEAD + line + TAIL),
            transform="none",
            error=error,
        )
    x = s.ints((3,))
    file = s.text("integers.mlir", jax.jit(lambda v: v * 2 + 1).lower(x).as_text())
    for transform in ("jvp", "grad"):
        s.case(
            f"refuse/integers.{transform}",
            "program",
            "integers",
            {"argnums": [0]},
            [x, x] if transform == "jvp" else [x],
            [],
            file=file,
            transform=transform,
            error="derivative of integers",
        )
