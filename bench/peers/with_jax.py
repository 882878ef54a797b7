"""The works of bench/ in JAX, on one device or on eight host devices of one process. usage: with_jax.py DEVICES"""
import os
import sys

DEVICES = int(sys.argv[1])
os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={DEVICES}"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax                                                  # noqa: E402  (the flags come first)
import jax.numpy as jnp                                     # noqa: E402
import numpy as np                                          # noqa: E402
import optax                                                # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P   # noqa: E402
from timing import Gpt, measure                             # noqa: E402


def timed(work, call, batch=1):
    measure("jax", work, DEVICES, call, jax.block_until_ready, batch)


def mesh(shape, names):
    return Mesh(np.array(jax.devices()).reshape(shape), names)


def put(tree, m, *spec):
    return jax.device_put(tree, NamedSharding(m, P(*spec)))


def trained(loss, optimizer):
    def step(state, *data):
        params, opt = state
        value, grads = jax.value_and_grad(loss)(params, *data)
        updates, opt = optimizer.update(grads, opt, params)
        return (optax.apply_updates(params, updates), opt), value
    return step


def steps(work, step, state, *data):
    box = [state]

    def call():
        box[0], loss = step(box[0], *data)
        return box[0], loss
    timed(work, call)


def nnx(d=1024, b=8):
    m = mesh((2, 4) if DEVICES == 8 else (1, 1), ("data", "model"))
    r = np.random.default_rng(0)
    w = (put(r.standard_normal((d, d), np.float32) / 32, m, None, "model"),
         put(r.standard_normal((d, d), np.float32) / 32, m, "model", None))
    x, y = (put(r.standard_normal((b, d), np.float32), m, "data") for _ in range(2))

    def loss(w, x, y):
        h = jax.lax.with_sharding_constraint(jax.nn.relu(x @ w[0]), NamedSharding(m, P("data", "model")))
        return jnp.mean((h @ w[1] - y) ** 2)
    tx = optax.adam(1e-3)
    steps("W1 nnx x1", jax.jit(trained(loss, tx), donate_argnums=0), (w, jax.jit(tx.init)(w)), x, y)


def cnn(batch=128, members=8):
    def conv(x, w, b):
        return jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")) + b

    def pool(x):
        return jax.lax.reduce_window(x, 0.0, jax.lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") / 4

    def loss(p, x, y):
        for w, b in p[:2]:
            x = pool(jax.nn.relu(conv(x, w, b)))
        x = jax.nn.relu(x.reshape(x.shape[0], -1) @ p[2][0] + p[2][1]) @ p[3][0] + p[3][1]
        return optax.softmax_cross_entropy_with_integer_labels(x, y).mean()

    tx, lecun = optax.sgd(0.1, 0.9), jax.nn.initializers.lecun_normal()

    def init(key):
        shapes = (3, 3, 1, 32), (3, 3, 32, 64), (3136, 256), (256, 10)
        p = [(lecun(k, s), jnp.zeros(s[-1])) for k, s in zip(jax.random.split(key, 4), shapes)]
        return p, tx.init(p)
    r, step, keys = np.random.default_rng(0), trained(loss, tx), jax.random.split(jax.random.key(0), members)
    x, y = r.random((members, batch, 28, 28, 1), np.float32), r.integers(0, 10, (members, batch))
    m = mesh((DEVICES,), ("data",))
    state = put(jax.jit(init)(keys[0]), m)
    steps("W2 cnn", jax.jit(step, donate_argnums=0), state, put(x[0], m, "data"), put(y[0], m, "data"))
    if DEVICES == 1:
        steps("W2 ensemble", jax.jit(jax.vmap(step), donate_argnums=0), jax.jit(jax.vmap(init))(keys), x, y)
    else:
        steps("W2 ensemble", jax.pmap(step, donate_argnums=0), jax.pmap(init)(keys), *jax.pmap(lambda *a: a)(x, y))


def gpt():
    g, m = Gpt(), mesh((DEVICES,), ("data",))

    def norm(x, w, b):
        return (x - x.mean(-1, keepdims=True)) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * w + b

    def layer(h, p):
        B, T, C = h.shape
        q, k, v = (a.reshape(B, T, g.heads, -1) for a in jnp.split(norm(h, p["g1"], p["b1"]) @ p["qkv"] + p["qkvb"], 3, -1))
        a = jax.nn.dot_product_attention(q, k, v, is_causal=True).reshape(B, T, C)
        h = h + a @ p["out"] + p["outb"]
        return h + jax.nn.gelu(norm(h, p["g2"], p["b2"]) @ p["up"] + p["upb"]) @ p["down"] + p["downb"], None

    def loss(p, x, y):
        h = p["words"][x] + p["places"]
        if isinstance(p["layers"], list):
            for q in p["layers"]:
                h, _ = layer(h, q)
        else:
            h, _ = jax.lax.scan(layer, h, p["layers"])
        return optax.softmax_cross_entropy_with_integer_labels(norm(h, p["g"], p["b"]) @ p["words"].T, y).mean()

    tx, x, y = optax.adamw(3e-4, b2=0.95, weight_decay=0.1), *(put(a, m, "data") for a in g.text())
    for work in ("W5 gpt", "W5 gpt scanned"):
        p = g.weights()
        if work.endswith("scanned"):
            p["layers"] = jax.tree.map(lambda *a: np.stack(a), *p["layers"])
        p = put(p, m)
        steps(work, jax.jit(trained(loss, tx), donate_argnums=0), (p, jax.jit(tx.init)(p)), x, y)


def calls():
    m = mesh((DEVICES,), ("i",))
    x = put(np.ones(8, np.float32), m, "i")
    add, adds = jax.jit(lambda x: x + 1), jax.jit(lambda xs: [x + 1 for x in xs])
    timed("W6 x + 1", lambda: add(x), 100)
    timed("W6 100 arguments", lambda: adds([x] * 100))
    if DEVICES == 8:
        for name, n in ("4 B", 1), ("1 MB", 1 << 18), ("64 MB", 1 << 24):
            v = put(np.ones(8 * n, np.float32), m, "i")
            total = jax.jit(jax.shard_map(lambda v: jax.lax.psum(v, "i"), mesh=m, in_specs=P("i"), out_specs=P()))
            timed(f"W8 psum {name}", lambda: total(v))
        return
    normals = jax.jit(lambda k: jax.random.normal(k, (100_000_000,)))
    timed("W11 normals", lambda: normals(jax.random.key(0)))
    w = jnp.ones((8, 8))

    def f(x):
        return jnp.sum(jnp.tanh(x @ w) ** 2)
    one, rows = jnp.ones(8), jnp.ones((32, 8))
    timed("W13 x + x", lambda: one + one, 100)
    for name, g, a in (("f", f, one), ("grad of f", jax.grad(f), one), ("vmap of grad of f", jax.vmap(jax.grad(f)), rows)):
        timed(f"W13 {name}", lambda: g(a))


for works in nnx, cnn, gpt, calls:
    works()
