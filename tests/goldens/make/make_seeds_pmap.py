"""Suite `seeds_pmap`: the convolution of the pmap guide, regression with pmean, permuted batches."""

import functools
import zlib

import jax
import jax.numpy as jnp
import numpy as np

from golden import Suite, versions
from make_random import in_layout


def suite(out, seed, many):
    return Suite(out, "seeds_pmap", seed, many, versions("jax"))


def convolve(x, w):
    return jnp.stack([x[i - 1] * w[0] + x[i] * w[1] + x[i + 1] * w[2] for i in range(1, x.shape[0] - 1)])


def normalised(x, w):
    y = convolve(x, w)
    return y / jax.lax.psum(y, "p")


def convolutions(s):
    n, k = s.pick(2, 4, 8), int(s.rng.integers(4, 9))
    xs, ws = s.rng.integers(1, 20, (n, k)).astype(np.float32), s.rng.integers(1, 9, (n, 3)).astype(np.float32)
    pmap = functools.partial(jax.pmap, devices=jax.devices()[:n])
    rows = [
        ("vmap", jax.vmap(convolve)(xs, ws), ws, None),
        ("pmap", pmap(convolve)(xs, ws), ws, None),
        ("pmap_broadcast", pmap(convolve, in_axes=(0, None))(xs, ws[0]), ws[0], None),
        ("pmap_normalised", pmap(normalised, axis_name="p")(xs, ws), ws, {"rtol": 2e-6, "atol": 0.0}),
        ("vmap_normalised", jax.vmap(normalised, axis_name="p")(xs, ws), ws, {"rtol": 2e-6, "atol": 0.0}),
    ]
    for fn, y, w, tol in rows:
        s.case(f"convolve/{n}x{k}/{fn}", "convolve", fn, {"n": n}, [xs, w], [y], tol)
    gx, gw = jax.grad(lambda a, b: pmap(convolve)(a, b).sum(), (0, 1))(xs, ws)
    s.case(f"convolve/{n}x{k}/grad_pmap", "convolve", "grad_pmap", {"n": n}, [xs, ws], [gx, gw])


def regression(s):
    n, rows, key, rate, steps = s.pick(2, 4, 8), int(s.rng.integers(2, 9)), int(s.rng.integers(0, 999)), 0.01, 12
    layout = s.pick("original", "partitionable")
    x = s.floats((n * rows, 1))
    y = 2 * x + 1 + s.floats(x.shape, scale=0.1)
    with in_layout(layout):
        k0, k1 = jax.random.split(jax.random.PRNGKey(key))
        w, b = jax.random.normal(k0, ()), jax.random.normal(k1, ())
    start, losses, text = (w, b), [], ""

    @functools.partial(jax.pmap, axis_name="i", devices=jax.devices()[:n])
    def step(p, xs, ys):
        loss, g = jax.value_and_grad(lambda p_: ((p_[0] * xs + p_[1] - ys) ** 2).mean())(p)
        g, loss = jax.lax.pmean((g, loss), "i")
        return jax.tree.map(lambda a, d: a - rate * d, p, g), loss

    p = jax.tree.map(lambda v: jnp.broadcast_to(v, (n,)), (w, b))
    for i in range(steps):
        p, loss = step(p, x.reshape(n, rows, 1), y.reshape(n, rows, 1))
        losses.append(loss[0])
        text += f"Step {i:3d}, loss: {loss[0]:.3f}\n" if i % 4 == 0 else ""
    s.case(
        f"regression/{n}/{key}/{layout}",
        "regression",
        "pmap_sgd",
        {
            "n": n,
            "key": key,
            "layout": layout,
            "rate": rate,
            "steps": steps,
            "every": 4,
            "axis": "num_devices",
            "out": ["weight0", "bias0", "losses", "weight", "bias"],
        },
        [x, y],
        [*start, jnp.stack(losses), *p],
        {"rtol": 2e-5, "atol": 2e-6},
        text=text,
    )


def batches(s):
    seed, n, batch, layout = (
        int(s.rng.integers(0, 99)),
        int(s.rng.integers(300, 3000)),
        int(s.rng.integers(5, 64)),
        s.pick("original", "partitionable"),
    )
    with in_layout(layout):
        rng, _ = jax.random.split(jax.random.PRNGKey(seed))
        rng, k = jax.random.split(rng)
        perm = np.asarray(jax.random.permutation(k, n), np.int32)[: n // batch * batch]
    s.case(
        f"perms/{seed}-{n}-{batch}/{layout}",
        "perms",
        "batches",
        {"seed": seed, "n": n, "batch": batch, "layout": layout, "out": ["shape", "head", "crc"]},
        [],
        [np.array([n // batch, batch], np.int32), perm[:256], np.uint32(zlib.crc32(perm.tobytes()))],
    )


def fill(s):
    for _ in range(s.many):
        convolutions(s)
        regression(s)
        batches(s)
