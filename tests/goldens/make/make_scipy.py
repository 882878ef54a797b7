"""Suite `scipy`: functions of jax.scipy: special, linalg, sparse.linalg, optimize, with gradients."""

import jax
import jax.numpy as jnp
import jax.scipy as jsp
import numpy as np

from golden import Suite, versions

NEAR = {"rtol": 3e-5, "atol": 2e-6}
NEAR_GRAD = {"rtol": 3e-4, "atol": 2e-5}


def suite(out, seed, many):
    return Suite(out, "scipy", seed, many, versions("jax", "scipy"))


def one(s, fn, f, ins, params=None, grad=(), tol=None, name=None):
    """f of the inputs; then the derivative of the sum of its values, weighted by 1, 2, 3, ..., by the inputs `grad`."""
    y = f(*[jnp.asarray(x) for x in ins])
    outs, tols = [np.asarray(y)], [tol or NEAR]
    weights = jnp.arange(1, np.size(y) + 1, dtype=jnp.float32).reshape(np.shape(y))
    for i in grad:
        outs.append(jax.grad(lambda *v: jnp.sum(f(*v) * weights), argnums=i)(*[jnp.asarray(x) for x in ins]))
        tols.append(NEAR_GRAD)
    s.case(name or fn, "scipy", fn, {**(params or {}), "grad": list(grad)}, ins, outs, tols)


# ---- special ----


def special(s):
    x = np.asarray(np.concatenate([s.rng.uniform(-4, 4, 9), [0, 1, -1]]), np.float32)
    p = np.asarray(s.rng.uniform(0.05, 0.95, 6), np.float32)
    q = np.asarray(s.rng.uniform(0.1, 3, 6), np.float32)
    f = jsp.special
    for name in ("xlogy", "xlog1py", "rel_entr", "kl_div"):
        one(s, name, getattr(f, name), [p, q], grad=(0, 1))
        one(s, name, getattr(f, name), [np.asarray([0, 0, 0, 1, 2], np.float32), np.asarray([0, 1, 2, 0, 0.5], np.float32)])
    one(s, "xlogy", f.xlogy, [q[:, None], p], grad=(0, 1), name="xlogy-broadcast")
    one(s, "entr", f.entr, [np.asarray([0, 0.2, 1, 3, -1], np.float32)])
    one(s, "entr", f.entr, [q], grad=(0,))
    one(s, "logit", f.logit, [p], grad=(0,))
    one(s, "expit", f.expit, [x], grad=(0,))
    one(s, "boxcox", f.boxcox, [q, np.asarray([0, 1, -1, 0.5, 2, 0], np.float32)])
    one(s, "boxcox1p", f.boxcox1p, [q, np.asarray([0, 1, -1, 0.5, 2, 0], np.float32)])
    tails = np.asarray([-40, -12, -5.5, -1, -0.3, 0, 0.4, 2, 6, 11], np.float32)
    one(s, "ndtr", f.ndtr, [tails], grad=(0,))
    one(s, "log_ndtr", f.log_ndtr, [tails], grad=(0,))
    one(s, "gammaln", f.gammaln, [q], grad=(0,))
    one(s, "gammafn", f.gamma, [np.asarray([-2.5, -1.3, -0.4, 0.7, 1, 4.5, 9], np.float32)])
    one(s, "gammasgn", f.gammasgn, [np.asarray([-2.5, -2, -1.3, -0.4, 0.0, -0.0, 0.7, np.nan], np.float32)])
    one(s, "factorial", f.factorial, [np.asarray([0, 1, 2, 5, 10, -1], np.float32)])
    a, b = np.asarray([0.3, 2, 9, 40, 1e4, 3e5], np.float32), np.asarray([2, 0.1, 30, 12, 0.5, 2e5], np.float32)
    one(s, "betaln", f.betaln, [a, b], grad=(0, 1))
    one(s, "betafn", f.beta, [a[:4], b[:4]])
    one(s, "poch", f.poch, [q, np.asarray([0, 1, 2, 0.5, 3, 1.5], np.float32)])
    one(s, "multigammaln", lambda v: f.multigammaln(v, 3), [q + 2], {"d": 3}, grad=(0,))
    wide = np.asarray([-60, -20, -3, -1, -0.5, -1e-3, 1e-3, 0.37, 1, 2, 7, 25, 45, 80], np.float32)
    one(s, "expi", f.expi, [wide], grad=(0,))
    one(s, "exp1", f.exp1, [np.abs(wide)])
    one(s, "i0", f.i0, [x], grad=(0,))
    one(s, "i1", f.i1, [x])


# ---- linalg, sparse.linalg, optimize ----


def linalg(s):
    L = jsp.linalg
    a, b = s.floats((3, 3)), s.floats((3, 2))
    spd = (a @ a.T + np.eye(3)).astype(np.float32)
    loose = {"rtol": 2e-4, "atol": 2e-5}
    one(s, "expm", L.expm, [a], grad=(0,), tol=loose)
    one(s, "expm", L.expm, [np.stack([a * 6, a * 0.01, a * 0])], tol={"rtol": 2e-3, "atol": 1e-4}, name="expm-batch")
    one(s, "sqrtm", L.sqrtm, [spd], tol=loose)
    one(s, "sqrtm", L.sqrtm, [np.asarray(a + 1j * s.floats((3, 3)) + 2 * np.eye(3), np.complex64)], tol=loose)
    one(s, "polar.u", lambda v: L.polar(v, method="svd")[0], [s.floats((4, 3))], tol=loose)
    one(s, "polar.p", lambda v: L.polar(v, method="svd")[1], [s.floats((4, 3))], tol=loose)
    # by b alone: of the matrix JAX reads one triangle, Tutti both
    one(s, "cho_solve", lambda v, b: L.cho_solve(L.cho_factor(v, lower=True), b), [spd, b], grad=(1,), tol=loose)
    one(s, "lu_solve", lambda v, b: L.lu_solve(L.lu_factor(v), b), [a, b], grad=(0, 1), tol=loose)
    one(s, "block_diag", lambda x, y, z: L.block_diag(x, y, z), [a, b, np.float32([1, 2])], grad=(0, 2))
    one(s, "toeplitz", L.toeplitz, [np.float32([1, 2, 3]), np.float32([9, 5, 6, 7])], grad=(0, 1))


def solvers(s):
    """Of matrices; the derivatives by b and by the matrix, which JAX takes by the implicit function theorem."""
    n = 6
    m, b = s.floats((n, n)), s.floats((n,))
    spd = (m @ m.T / n + np.eye(n)).astype(np.float32)
    any_m = (m * 0.3 + 2 * np.eye(n)).astype(np.float32)
    tol = {"rtol": 1e-3, "atol": 1e-4}
    for fn, a in (("cg", spd), ("bicgstab", any_m), ("gmres", any_m)):
        f = getattr(jsp.sparse.linalg, fn)
        g = lambda a, b, f=f: f(lambda x: a @ x, b, tol=1e-6)[0]
        weights = jnp.arange(1, n + 1, dtype=jnp.float32)
        grads = jax.grad(lambda a, b: jnp.sum(jnp.linalg.solve(a, b) * weights), argnums=(0, 1))(a, b)
        s.case(fn, "scipy", fn, {"grad": [0, 1]}, [a, b], [g(a, b), *grads], [tol] * 3)
    at = s.floats((4,))
    from jax.scipy.optimize import minimize

    f = lambda x: jnp.sum((x - at) ** 4 + (x - at) ** 2) + jnp.sum(x[1:] * x[:-1]) * 0.1
    y = minimize(f, jnp.zeros(4), method="BFGS", tol=1e-5)
    s.case("minimize", "scipy", "minimize", {}, [at], [y.x], {"rtol": 1e-3, "atol": 1e-3})


def fill(s):
    for _ in range(s.many):
        special(s)
        linalg(s)
        solvers(s)
