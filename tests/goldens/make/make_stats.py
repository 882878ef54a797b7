"""Suite `stats`: distributions of jax.scipy.stats. A case is a distribution; its inputs serve all its functions."""

import jax
import jax.numpy as jnp
import jax.scipy as jsp
import numpy as np

from golden import Suite, versions
from make_scipy import one

LINE = "logpdf pdf cdf logcdf sf logsf"
DISTRIBUTIONS = [
    # name, shape parameters, functions, where x lies
    ("norm", [], LINE + " ppf isf", (-4, 4)),
    ("expon", [], LINE + " ppf", (-1, 4)),
    ("laplace", [], "logpdf pdf cdf", (-4, 4)),
    ("logistic", [], "logpdf pdf cdf sf ppf isf", (-4, 4)),
    ("cauchy", [], LINE + " ppf isf", (-4, 4)),
    ("uniform", [], "logpdf pdf cdf ppf", (-1, 3)),
    ("gumbel_l", [], LINE + " ppf", (-3, 2)),
    ("gumbel_r", [], LINE + " ppf", (-1, 4)),
    ("gamma", [(0.3, 4)], LINE, (-1, 6)),
    ("chi2", [(0.6, 5)], LINE, (0.2, 6)),
    ("t", [(0.5, 8)], "logpdf pdf", (-4, 4)),
    ("pareto", [(0.5, 3)], LINE + " ppf", (1.5, 6)),
    ("gennorm", [(0.7, 3)], "logpdf pdf cdf", (-3, 3)),
    ("vonmises", [(0.1, 5)], "logpdf pdf", (-3, 3)),
    ("wrapcauchy", [(0.1, 0.9)], "logpdf pdf", (-1, 7)),
    ("beta", [(0.5, 4), (0.5, 4)], LINE, (-0.2, 1.2)),
    ("truncnorm", [(-3, -1), (0.5, 6)], LINE, (-4, 6)),
    ("poisson", [(0.2, 9)], "logpmf pmf cdf", 12),
    ("bernoulli", [(0.1, 0.9)], "logpmf pmf cdf ppf", 3),
    ("geom", [(0.1, 0.9)], "logpmf pmf", 8),
    ("binom", [5, (0.1, 0.9)], "logpmf pmf", 7),
    ("nbinom", [4, (0.1, 0.9)], "logpmf pmf", 7),
    ("betabinom", [6, (0.5, 3), (0.5, 3)], "logpmf pmf", 8),
]
ONLY_SHAPE = ("gennorm", "vonmises", "wrapcauchy")
NO_LOC = ("bernoulli.cdf", "bernoulli.ppf")
SMOOTH = ("norm", "laplace", "logistic", "cauchy", "gumbel_l", "gumbel_r", "gamma", "chi2", "t", "gennorm", "vonmises", "beta")
NEAR = {"rtol": 3e-5, "atol": 2e-6}
NEAR_GRAD = {"rtol": 3e-4, "atol": 2e-5}


def suite(out, seed, many):
    return Suite(out, "stats", seed, many, versions("jax"))


def distribution(s, name, shape, functions, where):
    counts, n = isinstance(where, int), 6
    if counts:
        x = np.arange(-1, where, dtype=np.float32)
        n = len(x)
    else:
        x = np.asarray(s.rng.uniform(*where, n), np.float32)
    q = np.resize(np.asarray([0.02, 0.3, 0.5, 0.8, 0.99, 0.61], np.float32), n)
    p = [np.float32(r) if isinstance(r, int) else np.asarray(s.rng.uniform(*r, n), np.float32) for r in shape]
    loc = np.float32(1 if counts else 0.25)
    scale = np.asarray(s.rng.uniform(0.4, 2, n), np.float32)
    outs, tols, listed = [], [], []
    for fn in functions.split():
        f = jax.jit(getattr(getattr(jsp.stats, name), fn))
        a = q if fn in ("ppf", "isf") else x
        placed = name not in ONLY_SHAPE and f"{name}.{fn}" not in NO_LOC
        outs.append(f(a, *p))
        if placed:
            outs.append(f(a, *p, loc) if counts else f(a, *p, loc, scale))
        tols += [NEAR] * (1 + placed)
        grad = []
        if fn == "logpdf" and name in SMOOTH or name == "norm" and fn in ("logcdf", "logsf", "ppf"):
            inside = (x > 0.05) & (x < 0.95) if name == "beta" else x > 0.05 if name in ("gamma", "chi2") else x > -100
            weights = jnp.asarray(np.where(inside, np.arange(1, n + 1), 0), jnp.float32)
            g = jax.jit(jax.grad(lambda *v: jnp.sum(jnp.where(weights > 0, f(*v), 0) * weights), tuple(range(1 + len(p)))))
            outs += list(g(a, *p))
            grad = [float(w) for w in weights]
            tols += [NEAR_GRAD] * (1 + len(p))
        listed.append({"fn": fn, "placed": placed, "weights": grad})
    params = {"n": len(p), "functions": listed, "counts": counts}
    s.case(name, "stats", name, params, [x, q, *p, loc, scale], outs, tols)


def vectors(s):
    x, m = s.floats((4, 3)), s.floats((3, 3))
    cov = (m @ m.T + np.eye(3)).astype(np.float32)
    for fn in ("logpdf", "pdf"):
        f = getattr(jsp.stats.multivariate_normal, fn)
        one(s, f"multivariate_normal.{fn}", f, [x, x[1], cov], {"n": 2}, (0, 1) if fn == "logpdf" else ())
        one(s, f"multivariate_normal.{fn}", f, [x, x[:1] * 0 + 1, np.float32(1.7)], {"n": 2})
        alpha = np.asarray(s.rng.uniform(0.4, 3, 4), np.float32)
        y = np.asarray(s.rng.dirichlet([1, 2, 3, 4], 3).T, np.float32)
        f = getattr(jsp.stats.dirichlet, fn)
        one(s, f"dirichlet.{fn}", f, [y[:3], alpha], {"n": 1}, (1,) if fn == "logpdf" else ())
    p = np.asarray([0.2, 0.3, 0.5], np.float32)
    f = jsp.stats.multinomial.logpmf
    one(s, "multinomial.logpmf", f, [np.asarray([1, 4, 2], np.int32), np.int32(7), p], {"n": 2})
    one(s, "multinomial.pmf", jsp.stats.multinomial.pmf, [np.asarray([1, 4, 2], np.int32), np.int32(8), p], {"n": 2})


def fill(s):
    for _ in range(s.many):
        for row in DISTRIBUTIONS:
            distribution(s, *row)
        vectors(s)
