"""What JAX computes for the twins nnx_spmd and linen_spmd with seeds and sizes of one's own, on one device: the numbers that
tests/api/programs/guides.c compares with. Written from the guides' formulas with jax alone; keys as Flax derives them.
usage: python tests/guides/reference.py (with jax; the committed numbers are jax 0.10.2's)"""
import hashlib
import jax
import jax.numpy as jnp

ADAM = dict(b1=0.9, b2=0.999, eps=1e-8)


def adam(params, grads, mu, nu, t, rate):
    tree = jax.tree_util.tree_map
    mu = tree(lambda m, g: ADAM["b1"] * m + (1 - ADAM["b1"]) * g, mu, grads)
    nu = tree(lambda n, g: ADAM["b2"] * n + (1 - ADAM["b2"]) * g * g, nu, grads)
    a, b = 1 - ADAM["b1"] ** t, 1 - ADAM["b2"] ** t
    return tree(lambda p, m, n: p - rate * (m / a) / (jnp.sqrt(n / b) + ADAM["eps"]), params, mu, nu), mu, nu


def nnx(seed, depth, partitionable):
    jax.config.update("jax_threefry_partitionable", partitionable)
    key, init = jax.random.key(seed), jax.nn.initializers.lecun_normal()
    p = [init(jax.random.fold_in(key, i), (depth, depth)) for i in range(2)]
    x, y = (jax.random.normal(jax.random.key(k), (8, depth)) for k in (1, 2))
    mu = nu = [jnp.zeros((depth, depth))] * 2
    step = jax.jit(jax.value_and_grad(lambda p: jnp.mean((jax.nn.relu(x @ p[0]) @ p[1] - y) ** 2)))
    for t in range(1, 6):
        loss, grads = step(p)
        print("nnx", seed, depth, "partitionable" if partitionable else "original", loss)
        p, mu, nu = adam(p, grads, mu, nu, t, 1e-3)


def named(key, name, count):
    h = hashlib.sha1(name.encode() + bytes([count])).digest()
    return jax.random.fold_in(key, int.from_bytes(h[:4], "big"))


def linen(seed, depth, layers):
    jax.config.update("jax_threefry_partitionable", False)
    init = jax.nn.initializers.xavier_normal()
    keys = jax.random.split(jax.random.key(seed), layers)        # a scan's body is traced twice: its numbers are 3 and 4
    p = [jnp.stack([init(named(k, "ScanDotReluDot_0", c), (depth, depth)) for k in keys]) for c in (3, 4)]
    def mlp(p):
        y = jnp.ones((8, depth))
        for i in range(layers):
            y = jax.nn.relu(y @ p[0][i]) @ p[1][i]
        return y
    before = mlp(p).mean()
    zeros = [jnp.zeros_like(w) for w in p]
    p, _, _ = adam(p, jax.grad(lambda p: mlp(p).sum())(p), zeros, zeros, 1, 1e-3)
    print("linen", seed, depth, layers, before, mlp(p).mean())


jax.config.update("jax_default_matmul_precision", "highest")
nnx(3, 96, False)
nnx(3, 96, True)
linen(0, 1024, 4)
linen(5, 48, 3)
