"""Prints the programs of this folder: python tests/corpus/transforms/print.py (jax 0.10.2). Small, smooth where they are
looked at (0.15 to 0.85), in f64, so that differences say what derivatives are."""
import os
import jax, jax.numpy as jnp
from jax import lax
jax.config.update("jax_enable_x64", True)
here = os.path.dirname(os.path.abspath(__file__))
F = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float64)


def fori(w, x): return lax.fori_loop(0, 4, lambda i, h: jnp.tanh(w @ h) + 0.1 * i * x, x)


def scan(w, xs):
    def body(h, x):
        h = jnp.sin(w * h) + x
        return h, h * h
    h, ys = lax.scan(body, xs[0], xs)
    back, zs = lax.scan(lambda c, y: (c * 0.5 + y, c * y), h, ys, reverse=True)
    return back, ys, zs


def nested(w, x):
    def outer(c, a):
        inner = lax.fori_loop(0, 3, lambda i, v: v * a + w[i], c)
        return inner, jnp.sum(inner)
    return lax.scan(outer, x, x)


def branches(x, y):
    a = lax.cond(jnp.sum(x) > 100.0, lambda u: u * y, lambda u: jnp.sin(u) * x, x)
    return lax.switch(2, [lambda u: u, lambda u: u * u, lambda u: u * y], a) + lax.cond(x[0] < 5.0, lambda: y, lambda: x)


def sorts(x, y):
    a, b = lax.sort((x, y), dimension=1, num_keys=1)
    return a * b, jnp.sort(y, axis=0), lax.top_k(x, 2)[0]


def takes(x, y): return x[jnp.array([2, 0, 2])] * y, jnp.take_along_axis(x, jnp.array([[1, 0]] * 4), axis=1), x[::-1, -1]


def puts(x, y):
    i = jnp.array([1, 3, 1])
    return x.at[i].add(y), x.at[jnp.array([0, 2, 3])].set(y), x.at[jnp.array([0, 2, 3])].multiply(y, unique_indices=True), x.at[i].max(y)


def cumulative(x): return jnp.cumsum(x, 1), jnp.cumprod(x, 0), lax.cummax(x, 1, reverse=True), lax.cumlogsumexp(x, 0)


def cumulative_one(x, y):
    z = lax.complex(x, y)
    return jnp.cumprod(x, 0), lax.cumlogsumexp(x, 0), lax.cumprod(x.T, 1, reverse=True), jnp.real(jnp.cumprod(z, 0) * jnp.cumprod(z, 1))


def clipped(x, y):      # JAX 0.10's own derivative is infinite: it counts what is clipped as dropped
    i = jnp.array([7, 1, 0, 9])
    return x.at[i].max(y, mode="clip"), x.at[i].min(y, mode="clip"), x.at[i].add(y, mode="clip")


def windows(x):
    m = lax.reduce_window(x, -jnp.inf, lax.max, (2, 2), (2, 2), "VALID")
    s = lax.reduce_window(x, 0.0, lax.add, (3, 2), (1, 1), ((1, 1), (0, 1)))
    return m * m, s


def pool_grad(x): return jax.grad(lambda v: jnp.sum(lax.reduce_window(v, -jnp.inf, lax.max, (3, 3), (2, 2), "SAME") ** 3))(x)


def conv(x, w): return lax.conv_general_dilated(x, w, (2, 1), "SAME", rhs_dilation=(1, 2), dimension_numbers=("NHWC", "HWIO", "NHWC"))


def norms(x, g):
    m = jnp.mean(x, -1, keepdims=True)
    y = (x - m) * lax.rsqrt(jnp.var(x, -1, keepdims=True) + 1e-3) * g
    return jax.nn.softmax(y), jax.nn.logsumexp(x, axis=0), jnp.argmax(x, 1)


def slices(x, u):
    i = jnp.argmax(u[0]) + 1
    a = lax.dynamic_slice(x, (i, 0), (2, 3))
    return lax.dynamic_update_slice(x, a * u, (0, i)), lax.pad(u, 1.0, ((1, -1, 0), (0, 1, 1))), jnp.flip(x, 1)


def dots(x, y): return jnp.einsum("bij,bjk->bki", x, y), jnp.einsum("bij,bij->ij", x, jnp.swapaxes(y, 1, 2))


def fourier(x): return jnp.abs(jnp.fft.rfft(x)) ** 2, jnp.fft.irfft(jnp.fft.rfft(x) * (1.0 + 2.0j))


def phase(x, y):
    z = lax.complex(x, y)
    w = jnp.exp(z) * jnp.conj(z) + jnp.sqrt(z) / z ** 2
    return jnp.real(lax.sign(z)) + jnp.imag(lax.sign(w)), jnp.abs(w), jnp.real(jnp.log(z)), jnp.angle(z)


def special(x): return lax.erf(x), lax.lgamma(x), lax.digamma(x), lax.erf_inv(x), jnp.arcsin(x), jnp.arctanh(x), jnp.cbrt(x), x ** 2.5


def batched(w, xs): return jax.vmap(lambda v: lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, jnp.sin(c[1] * w)), (0, v))[1])(xs)


def remat(w, x): return jax.grad(lambda v: jnp.sum(jax.checkpoint(lambda u: jnp.sin(jnp.sin(v * u)))(x)))(w)


def calls(x, y):
    f = jax.jit(lambda a, b: jnp.where(a > b, a * b, jnp.exp(a) - b))
    return f(x, y) + f(y, x)


programs = {fori: [F(3, 3), F(3)], scan: [F(2), F(4, 2)], nested: [F(3), F(2)], branches: [F(3), F(3)],
            sorts: [F(3, 4), F(3, 4)], takes: [F(4, 2), F(3, 2)], puts: [F(4, 2), F(3, 2)], cumulative: [F(3, 4)],
            cumulative_one: [F(1, 4), F(1, 4)], clipped: [F(3, 2), F(4, 2)],
            windows: [F(4, 6)], pool_grad: [F(5, 5)], conv: [F(1, 5, 4, 2), F(3, 2, 2, 3)], norms: [F(3, 5), F(5)],
            slices: [F(4, 4), F(2, 3)], dots: [F(2, 3, 4), F(2, 4, 3)], fourier: [F(2, 6)], phase: [F(3), F(3)], special: [F(4)],
            batched: [F(2), F(3, 2)], remat: [F(3), F(3)], calls: [F(3), F(3)]}
for f, args in programs.items():
    with open(os.path.join(here, f.__name__ + ".mlir"), "w") as to: to.write(jax.jit(f).lower(*args).as_text())
