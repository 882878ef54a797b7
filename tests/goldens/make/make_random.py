"""Suite `random`: functions of jax.random with raw keys, in both layouts of the counters."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import random
from jax.extend.random import threefry_2x32

from golden import Suite, versions


def suite(out, seed, many):
    return Suite(out, "random", seed, many, versions("jax"))


def key_of(s):
    return np.asarray(s.rng.integers(0, 2**32, 2), np.uint32)


def in_layout(layout):
    return jax.threefry_partitionable(layout == "partitionable")


def draw(s, fn, f, params=None, ins=(), tol=None, name=None):
    """f(key, *ins), in one of the layouts, both over time."""
    key, layout = key_of(s), s.pick("original", "partitionable")
    with in_layout(layout):
        y = f(jnp.asarray(key), *ins)
    s.case(
        f"{name or fn}-{layout}",
        "random",
        fn,
        {"key": [int(k) for k in key], "layout": layout, **(params or {})},
        ins,
        [y],
        tol,
    )


FLOATS = {
    "normal": (random.normal, {"ulp": 4}),
    "gumbel": (random.gumbel, {"rtol": 1e-5, "atol": 1e-6}),
    "exponential": (random.exponential, {"rtol": 1e-5, "atol": 1e-6}),
    "laplace": (random.laplace, {"rtol": 1e-5, "atol": 1e-6}),
    "cauchy": (random.cauchy, {"rtol": 1e-4, "atol": 1e-5}),
}


LOOSE = {"rtol": 2e-5, "atol": 1e-6}
COUNTS = {"rtol": 0, "atol": 0}


def by_parameters(s):
    """Draws with parameters, which are inputs; `dims` null: the shape of the parameters."""
    few = s.rng.uniform(0.05, 3, (4, 3)).astype(np.float32)
    row = s.rng.uniform(0.5, 30, 3).astype(np.float32)
    for fn, f, n in (
        ("gamma", random.gamma, 1),
        ("loggamma", random.loggamma, 1),
        ("chisquare", random.chisquare, 1),
        ("t", random.t, 1),
        ("pareto", random.pareto, 1),
        ("lognormal", random.lognormal, 1),
        ("rayleigh", random.rayleigh, 1),
        ("beta", random.beta, 2),
        ("f", lambda k, a, b, **kw: random.f(k, *jnp.broadcast_arrays(a, b, jnp.zeros((4, 3)))[:2], **kw), 2),
    ):
        ins = [few, row][:n]
        draw(s, fn, lambda k, *v, f=f: f(k, *v), {"dtype": "float32"}, ins, LOOSE)
        ins = [row, row][:n]
        draw(s, fn, lambda k, *v, f=f: f(k, *v, shape=(4, 3)), {"dtype": "float32", "shape": [4, 3]}, ins, LOOSE)
    one = np.float32(s.rng.uniform(0.3, 4))
    cancels = {"rtol": 1e-3, "atol": 1e-5}  # m + m^2 y/2 - m/2 sqrt(...)
    draw(s, "wald", lambda k, v: random.wald(k, v, (4, 3)), {"dtype": "float32", "shape": [4, 3]}, [row], cancels)
    draw(s, "gamma", lambda k, v: random.gamma(k, v, (25,)), {"dtype": "float32", "shape": [25]}, [one], LOOSE)
    draw(s, "gamma", lambda k, v: random.gamma(k, v), {"dtype": "float32"}, [one], LOOSE, "gamma-scalar")
    draw(
        s,
        "generalized_normal",
        lambda k, v: random.generalized_normal(k, v, (5,)),
        {"dtype": "float32", "shape": [5]},
        [one],
        LOOSE,
    )
    draw(
        s,
        "weibull_min",
        lambda k, a, b: random.weibull_min(k, a, b, (4, 3)),
        {"dtype": "float32", "shape": [4, 3]},
        [few, row],
        LOOSE,
    )
    draw(
        s,
        "triangular",
        lambda k, a, b, c: random.triangular(k, a, b, c),
        {"dtype": "float32"},
        [few - 3, few, few + row],
        LOOSE,
    )
    draw(
        s,
        "double_sided_maxwell",
        lambda k, *v: random.double_sided_maxwell(k, 0.5, 2.0, (6,)),
        {"dtype": "float32", "shape": [6]},
        [np.float32(0.5), np.float32(2)],
        LOOSE,
    )
    draw(s, "maxwell", lambda k: random.maxwell(k, (6,)), {"dtype": "float32", "shape": [6]}, [], LOOSE)
    lam = np.concatenate([s.rng.uniform(0, 9, 5), s.rng.uniform(10, 500, 5), [0]]).astype(np.float32)
    draw(s, "poisson", lambda k, v: random.poisson(k, v), {"dtype": "int32"}, [lam], COUNTS)
    draw(
        s,
        "poisson",
        lambda k, v: random.poisson(k, v, (7, 11), jnp.uint16),
        {"dtype": "uint16", "shape": [7, 11]},
        [lam],
        COUNTS,
    )
    p = s.rng.uniform(0.01, 0.99, 8).astype(np.float32)
    draw(s, "geometric", lambda k, v: random.geometric(k, v, (3, 8)), {"dtype": "int32", "shape": [3, 8]}, [p], COUNTS)
    n = np.asarray([[3], [40], [1000], [0]], np.float32)
    draw(s, "binomial", lambda k, a, b: random.binomial(k, a, b), {"dtype": "float32"}, [n, p], COUNTS)
    odd_n, odd_p = np.asarray([-1, np.nan, np.inf, 5, 5, 5], np.float32), np.asarray([0.5, 0.5, 0.5, -1, 0, 1], np.float32)
    draw(s, "binomial", lambda k, a, b: random.binomial(k, a, b), {"dtype": "float32"}, [odd_n, odd_p], COUNTS, "binomial-odd")


def vectors(s):
    a = s.rng.uniform(0.1, 4, (3, 4)).astype(np.float32)
    draw(s, "dirichlet", lambda k, v: random.dirichlet(k, v), {"dtype": "float32"}, [a], LOOSE)
    draw(s, "dirichlet", lambda k, v: random.dirichlet(k, v, (2, 3)), {"dtype": "float32", "shape": [2, 3]}, [a], LOOSE)
    p = (a / a.sum(-1, keepdims=True)).astype(np.float32)
    n = np.asarray([5, 60, 700], np.float32)
    draw(s, "multinomial", lambda k, a, b: random.multinomial(k, a, b), {"dtype": "float32"}, [n, p], COUNTS)
    mean, m = s.floats((2, 3)), s.floats((3, 3))
    cov = (m @ m.T + np.eye(3)).astype(np.float32)
    for method in ("cholesky",):  # the others depend on the signs of eigenvectors
        draw(
            s,
            "multivariate_normal",
            lambda k, a, b, method=method: random.multivariate_normal(k, a, b, (4, 2), method=method),
            {"dtype": "float32", "shape": [4, 2], "method": method},
            [mean, cov],
            {"rtol": 1e-4, "atol": 1e-5},
            f"multivariate_normal-{method}",
        )
    draw(s, "orthogonal", lambda k: random.orthogonal(k, 4), {"dtype": "float32", "shape": [4, 4]}, [], {"rtol": 1e-4, "atol": 1e-5})
    draw(
        s,
        "orthogonal",
        lambda k: random.orthogonal(k, 2, (3,), m=4),
        {"dtype": "float32", "shape": [3, 2, 4]},
        [],
        {"rtol": 1e-4, "atol": 1e-5},
    )
    for p in (2.0, 1.0):
        draw(s, "ball", lambda k: random.ball(k, 3, p, (5,)), {"dtype": "float32", "shape": [5, 3], "p": p}, [], LOOSE)


def derivatives(s):
    """The derivative of the sum of the draws, times weights, by the first parameter."""
    a = s.rng.uniform(0.2, 5, 6).astype(np.float32)
    w = s.floats((6,))
    for fn, f in (
        ("gamma", lambda k, a: random.gamma(k, a)),
        ("loggamma", lambda k, a: random.loggamma(k, a)),
        ("beta", lambda k, a: random.beta(k, a, jnp.float32(1.5))),
        ("chisquare", lambda k, a: random.chisquare(k, a)),
        ("t", lambda k, a: random.t(k, a)),
        ("dirichlet", lambda k, a: random.dirichlet(k, a)),
    ):
        draw(
            s,
            fn,
            lambda k, a, w, f=f: jax.grad(lambda a: jnp.sum(f(k, a) * w))(a),
            {"dtype": "float32", "grad": True},
            [a, w],
            {"rtol": 2e-3, "atol": 1e-4},
            f"grad-{fn}",
        )


def fill(s):
    for _ in range(s.many):
        n = int(s.rng.integers(1, 60))
        count = np.asarray(s.rng.integers(0, 2**32, n), np.uint32)
        key = key_of(s)
        s.case(
            "threefry_2x32",
            "random",
            "threefry_2x32",
            {"key": [int(k) for k in key]},
            [count],
            [threefry_2x32(jnp.asarray(key), jnp.asarray(count))],
        )
        seed = int(s.rng.integers(-(2**62), 2**62))
        for fn, f in (("PRNGKey", random.PRNGKey), ("key", lambda v: random.key_data(random.key(v)))):
            small = seed % 2**31
            s.case(fn, "random", fn, {"seed": str(small)}, [], [f(small)])
        data = np.asarray(s.rng.integers(0, 2**32, 5), np.uint32)
        s.case(
            "fold_in",
            "random",
            "fold_in",
            {"key": [int(k) for k in key]},
            [data],
            [np.stack([random.fold_in(jnp.asarray(key), d) for d in data])],
        )
        shape = s.shape(None, s.pick(4, 9, 33))
        draw(s, "split", lambda k: random.split(k, shape), {"shape": list(shape)})
        for d in ("uint8", "uint16", "uint32"):
            draw(
                s,
                "bits",
                lambda k, d=d: random.bits(k, shape, jnp.dtype(d)),
                {"shape": list(shape), "dtype": d},
                name=f"bits-{d}",
            )
        for d in ("float32", "bfloat16", "float16"):
            low = float(s.pick(0, -1, 2.5, -3.25))
            high = low + float(s.pick(1, 2, 0.5, 100))
            draw(
                s,
                "uniform",
                lambda k, d=d: random.uniform(k, shape, jnp.dtype(d), low, high),
                {"shape": list(shape), "dtype": d, "minval": low, "maxval": high},
                name=f"uniform-{d}",
            )
        for fn, (f, tol) in FLOATS.items():
            draw(s, fn, lambda k, f=f: f(k, shape, jnp.float32), {"shape": list(shape), "dtype": "float32"}, tol=tol)
        draw(
            s,
            "truncated_normal",
            lambda k: random.truncated_normal(k, -1.5, 2.0, shape, jnp.float32),
            {"shape": list(shape), "dtype": "float32", "lower": -1.5, "upper": 2.0},
            tol={"rtol": 1e-5, "atol": 1e-6},
        )
        draw(
            s, "rademacher", lambda k: random.rademacher(k, shape, jnp.int32), {"shape": list(shape), "dtype": "int32"}
        )
        for d in ("int32", "uint32", "int8", "uint16"):
            info = np.iinfo(d)
            low = int(s.rng.integers(max(info.min, -200), 50))
            low = max(low, info.min)
            high = int(min(low + s.rng.integers(1, 300), info.max))
            draw(
                s,
                "randint",
                lambda k, d=d: random.randint(k, shape, low, high, jnp.dtype(d)),
                {"shape": list(shape), "dtype": d, "minval": low, "maxval": high, "small_int": "32"},
                name=f"randint-{d}",
            )
        n = int(s.rng.integers(0, 80))
        draw(s, "permutation", lambda k: random.permutation(k, n), {"n": n}, name="permutation-n")
        x = s.floats(s.shape(2, 7))
        axis, apart = int(s.rng.integers(0, 2)), bool(s.rng.integers(0, 2))
        draw(
            s,
            "permutation",
            lambda k, v: random.permutation(k, v, axis, independent=apart),
            {"axis": axis, "independent": apart},
            [x],
        )
        p = float(s.rng.uniform(0, 1))
        draw(s, "bernoulli", lambda k: random.bernoulli(k, p, shape), {"p": p, "shape": list(shape)})
        ps = s.rng.uniform(0, 1, (3, 4)).astype(np.float32)
        draw(
            s,
            "bernoulli",
            lambda k, v: random.bernoulli(k, v, (2, 3, 4)),
            {"shape": [2, 3, 4]},
            [ps],
            name="bernoulli-array",
        )
        logits = s.floats(s.shape(2, 7))
        draw(s, "categorical", lambda k, v: random.categorical(k, v, -1), {"axis": -1, "shape": None}, [logits])
        lead = (3,) + logits.shape[:1]
        draw(
            s,
            "categorical",
            lambda k, v: random.categorical(k, v, -1, lead),
            {"axis": -1, "shape": list(lead)},
            [logits],
            name="categorical-shape",
        )
        n, replace = int(s.rng.integers(5, 60)), bool(s.rng.integers(0, 2))
        k5 = (int(s.rng.integers(1, 6)),)
        draw(s, "choice", lambda k: random.choice(k, n, k5, replace), {"n": n, "shape": list(k5), "replace": replace})
        w = s.rng.uniform(0.1, 1, n).astype(np.float32)
        draw(
            s,
            "choice",
            lambda k, v: random.choice(k, n, k5, replace, v),
            {"n": n, "shape": list(k5), "replace": replace, "weights": True},
            [w],
            name="choice-weights",
        )
    for _ in range(s.many):
        by_parameters(s)
        vectors(s)
        derivatives(s)
    for fn, params, error in (
        ("normal", {"dtype": "int32", "shape": [3]}, "needs a floating dtype"),
        ("randint", {"dtype": "float32", "shape": [3], "minval": 0, "maxval": 5}, "needs an integer dtype"),
        ("split", {"shape": [-1]}, "negative dimension"),
        ("choice", {"n": 5, "shape": [6], "replace": False}, "more draws than elements, without replacement"),
    ):
        s.case(f"refused-{fn}", "random", fn, {"key": [0, 7], "layout": "partitionable", **params}, error=error)
