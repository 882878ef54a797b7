"""The works of bench/ in JAX, on one device or on eight host devices of one process. usage: with_jax.py DEVICES"""
import os
import sys
import time

DEVICES = int(sys.argv[1])
os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={DEVICES}"
os.environ["JAX_PLATFORMS"] = os.environ.get("BENCH_DEVICE", "cpu")

import jax                                                  # noqa: E402  (the flags come first)
import jax.numpy as jnp                                     # noqa: E402
import numpy as np                                          # noqa: E402
import optax                                                # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P   # noqa: E402
import timing                                               # noqa: E402
from timing import Gpt, measure, wanted, wanted_of          # noqa: E402


def timed(work, call, batch=1):
    if wanted(work):
        measure("jax", work, DEVICES, call, jax.block_until_ready, batch)


def mesh(shape, names):
    return Mesh(np.array(jax.devices()[:DEVICES]).reshape(shape), names)


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
    """A compiled step, its compilation and its memory: what a device holds of arguments, results and temporaries."""
    if not wanted(work):
        return
    t = time.perf_counter()
    step = step.lower(state, *data).compile()
    compiled = time.perf_counter() - t
    timing.put("jax", f"first call of {work}", DEVICES, 1e3 * compiled)
    m = step.memory_analysis()
    if m is not None:
        timing.put("jax", f"memory of {work}", DEVICES, (m.argument_size_in_bytes + m.output_size_in_bytes - m.alias_size_in_bytes
                                                         + m.temp_size_in_bytes) / 2 ** 20, "MiB")
    box = [state]
    del state

    def call():
        box[0], loss = step(box[0], *data)
        return box[0], loss
    timed(work, call)


def nnx(d=1024, b=8):
    m = mesh((2, 4) if DEVICES == 8 else (1, 1), ("data", "model"))
    r, tx = np.random.default_rng(0), optax.adam(1e-3)
    x, y = (put(r.standard_normal((b, d), np.float32), m, "data") for _ in range(2))

    def layer(x, w):
        h = jax.lax.with_sharding_constraint(jax.nn.relu(x @ w[0]), NamedSharding(m, P("data", "model")))
        return h @ w[1], None

    def loss(w, x, y):
        if isinstance(w, list):
            for q in w:
                x, _ = layer(x, q)
        else:
            x, _ = jax.lax.scan(layer, x, w)
        return jnp.mean((x - y) ** 2)
    for work, n, scan in ("W1 nnx x1", 1, False), ("W1 nnx x4", 4, False), ("W1 nnx x4 scanned", 4, True):
        w = [[r.standard_normal((d, d), np.float32) / 32 for _ in range(2)] for _ in range(n)]
        w = ([put(np.stack(a), m, None, *s) for a, s in zip(zip(*w), ((None, "model"), ("model", None)))] if scan else
             [[put(a, m, None, "model"), put(b, m, "model", None)] for a, b in w])
        steps(work, jax.jit(trained(loss, tx), donate_argnums=0), (tuple(w) if scan else w, jax.jit(tx.init)(tuple(w) if scan else w)), x, y)


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
    if not (wanted("W2 cnn") or wanted("W2 ensemble")):
        return
    r, step, keys = np.random.default_rng(0), trained(loss, tx), jax.random.split(jax.random.key(0), members)
    x, y = r.random((members, batch, 28, 28, 1), np.float32), r.integers(0, 10, (members, batch))
    m = mesh((DEVICES,), ("data",))
    state = put(jax.jit(init)(keys[0]), m)
    steps("W2 cnn", jax.jit(step, donate_argnums=0), state, put(x[0], m, "data"), put(y[0], m, "data"))
    if not wanted("W2 ensemble"):
        return
    if DEVICES == 1:
        steps("W2 ensemble", jax.jit(jax.vmap(step), donate_argnums=0), jax.jit(jax.vmap(init))(keys), x, y)
    else:
        steps("W2 ensemble", jax.pmap(step, donate_argnums=0), jax.pmap(init)(keys), *jax.pmap(lambda *a: a)(x, y))


def keras(batch=64):
    """The Keras guide's CNN on moving statistics, which stay 0 and 1; they are arguments, as Keras's are."""
    m, r, tx = mesh((DEVICES,), ("data",)), np.random.default_rng(0), optax.adam(1e-3)
    lecun = jax.nn.initializers.lecun_normal()

    def conv(x, w, stride, pad):
        return jax.lax.conv_general_dilated(x, w, (stride,) * 2, pad, dimension_numbers=("NHWC", "HWIO", "NHWC"))

    def loss(p, moving, x, y):
        x = x / 255
        for w, b, bias, (mean, var), how in zip(p["w"], p["shift"], (None, None, p["bias"]), moving,
                                                ((1, "SAME"), (2, "VALID"), (2, "SAME"))):
            x = conv(x, w, *how)
            x = x if bias is None else x + bias
            x = jax.nn.relu((x - mean) * jax.lax.rsqrt(var + 1e-3) + b)
        for i, (w, b) in enumerate(p["dense"]):
            x = (x.mean((1, 2)) if i == 0 else jax.nn.relu(x)) @ w + b
        return optax.softmax_cross_entropy_with_integer_labels(x, y).mean()
    k = jax.random.split(jax.random.key(0), 5)
    shapes = (3, 3, 1, 12), (6, 6, 12, 24), (6, 6, 24, 32)
    p = dict(w=[lecun(a, s) for a, s in zip(k, shapes)], shift=[jnp.zeros(s[-1]) for s in shapes], bias=jnp.zeros(32),
             dense=[(lecun(a, s), jnp.zeros(s[1])) for a, s in zip(k[3:], ((32, 256), (256, 10)))])
    moving = put([(np.zeros(s[-1], np.float32), np.ones(s[-1], np.float32)) for s in shapes], m)
    p = put(p, m)
    x, y = r.integers(0, 256, (batch, 28, 28, 1)).astype(np.float32), r.integers(0, 10, batch)
    steps("W3 keras cnn", jax.jit(trained(loss, tx), donate_argnums=0), (p, jax.jit(tx.init)(p)), moving, put(x, m, "data"),
          put(y, m, "data"))


def classifier(batch=128, minibatches=4):
    """The data-parallel guide's: parameters on every device, or a slice of each (fsdp), in shard_map."""
    m, tx, r = mesh((DEVICES,), ("data",)), optax.adamw(1e-3), np.random.default_rng(0)
    shapes = (784, 512), (512,), (512, 10), (10,)
    x, y = put(r.standard_normal((batch, 784), np.float32), m, "data"), put(r.integers(0, 10, batch), m, "data")

    @jax.custom_vjp
    def gather(p):
        return jax.lax.all_gather(p, "data", tiled=True)
    gather.defvjp(lambda p: (gather(p), None),
                  lambda _, g: (jax.lax.psum_scatter(g, "data", scatter_dimension=0, tiled=True) / DEVICES,))

    def build(split, dtype):
        def loss(p, x, y, key):
            w1, b1, w2, b2 = ((gather(a) if s else a).astype(dtype) for a, s in zip(p, split))
            h = jax.nn.silu(x.astype(dtype) @ w1 + b1)
            keep = jax.random.bernoulli(jax.random.fold_in(key, jax.lax.axis_index("data")), 0.9, h.shape)
            logits = (jnp.where(keep, h / dtype(0.9), 0) @ w2 + b2).astype(jnp.float32)
            each = optax.softmax_cross_entropy_with_integer_labels(logits, y)
            return each.mean(), (each.sum(), (logits.argmax(-1) == y).sum())

        def step(state, x, y):
            p, opt, key = state
            key, now = jax.random.split(key)
            sums = None
            for k, a, b in zip(jax.random.split(now, minibatches), jnp.split(x, minibatches), jnp.split(y, minibatches)):
                part = jax.grad(loss, has_aux=True)(p, a, b, k)
                sums = part if sums is None else jax.tree.map(jnp.add, sums, part)
            grads = [g / minibatches if s else jax.lax.pmean(g / minibatches, "data") for g, s in zip(sums[0], split)]
            updates, opt = tx.update(grads, opt, p)
            return (optax.apply_updates(p, updates), opt, key), jax.lax.psum(sums[1], "data")
        return step
    for kind, split in ("dp", [False] * 4), ("fsdp", [True, True, True, False]):
        for name, dtype in ("f32", jnp.float32), ("bf16", jnp.bfloat16):
            if (kind == "fsdp" and DEVICES == 1) or not wanted(f"W4 {kind} {name}"):
                continue
            p = [jax.device_put(r.standard_normal(s, np.float32) / 28, NamedSharding(m, P("data") if cut else P()))
                 for s, cut in zip(shapes, split)]
            opt = tx.init(p)
            cut = jax.tree.map(lambda a: P("data") if kind == "fsdp" and a.ndim and a.shape[0] != 10 else P(), opt)
            opt = jax.tree.map(lambda a, s: jax.device_put(a, NamedSharding(m, s)), opt, cut)
            specs = ([P("data") if s else P() for s in split], cut, P())
            f = jax.shard_map(build(split, dtype), mesh=m, in_specs=(specs, P("data"), P("data")), out_specs=(specs, P()),
                              check_vma=False)
            steps(f"W4 {kind} {name}", jax.jit(f, donate_argnums=0), (p, opt, put(jax.random.PRNGKey(42), m)), x, y)


def gpt_loss(g, m=None):
    def norm(x, w, b):
        return (x - x.mean(-1, keepdims=True)) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * w + b

    def layer(h, p):
        B, T, C = h.shape
        q, k, v = (a.reshape(B, T, g.heads, -1) for a in jnp.split(norm(h, p["g1"], p["b1"]) @ p["qkv"] + p["qkvb"], 3, -1))
        a = jax.nn.dot_product_attention(q, k, v, is_causal=True).reshape(B, T, C)
        h = h + a @ p["out"] + p["outb"]
        return h + jax.nn.gelu(norm(h, p["g2"], p["b2"]) @ p["up"] + p["upb"]) @ p["down"] + p["downb"], None

    def loss(p, x, y):
        h = p["words"][x] + p["places"][:g.time]
        if isinstance(p["layers"], list):
            for q in p["layers"]:
                h, _ = layer(h, q)
        else:
            h, _ = jax.lax.scan(layer, h, p["layers"])
        return optax.softmax_cross_entropy_with_integer_labels(norm(h, p["g"], p["b"]) @ p["words"].T, y).mean()
    return loss


def stacked(layers):
    return jax.tree.map(lambda *a: np.stack(a), *layers)


def gpt():
    m, tx = mesh((DEVICES,), ("data",)), optax.adamw(3e-4, b2=0.95, weight_decay=0.1)
    for name, g in ("W5 gpt", Gpt()), ("W5 gpt2", Gpt(big=True)):
        for work in name, name + " scanned":
            if not wanted(work) or (name == "W5 gpt2" and DEVICES > 1):
                continue
            p = g.weights()
            if work.endswith("scanned"):
                p["layers"] = stacked(p["layers"])
            p = put(p, m)
            x, y = (put(a, m, "data") for a in g.text())
            steps(work, jax.jit(trained(gpt_loss(g), tx), donate_argnums=0), (p, jax.jit(tx.init)(p)), x, y)


def compiling():
    """bench/compile.c's step on meshes of 1 and 8; on an abstract mesh of 4,096 devices only traced and lowered. In the
    first round only: it takes half a minute."""
    if os.environ.get("TUTTI_ROUND", "1") != "1":
        return
    split = dict(qkv=(None, "model"), qkvb=("model",), out=("model",), up=(None, "model"), upb=("model",), down=("model",))
    g, tx = Gpt(big=True), optax.adamw(3e-4)

    def shapes(m, scan):
        def like(a, *spec):
            return jax.ShapeDtypeStruct(a, "float32", sharding=NamedSharding(m, P(*spec)))
        c = g.width
        one = dict(g1=(c,), b1=(c,), qkv=(c, 3 * c), qkvb=(3 * c,), out=(c, c), outb=(c,), g2=(c,), b2=(c,), up=(c, 4 * c),
                   upb=(4 * c,), down=(4 * c, c), downb=(c,))
        layer = {k: like(((g.layers,) if scan else ()) + s, *((None,) if scan else ()), *split.get(k, ())) for k, s in one.items()}
        p = dict(words=like((g.vocab, c)), places=like((g.places, c)), layers=layer if scan else [layer] * g.layers, g=like((c,)),
                 b=like((c,)))
        by_shape = {a.shape: a.sharding for a in jax.tree.leaves(p)}
        opt = jax.tree.map(lambda a: jax.ShapeDtypeStruct(a.shape, a.dtype, sharding=by_shape.get(a.shape, NamedSharding(m, P()))),
                           jax.eval_shape(tx.init, p))
        return p, opt

    def once(who, work, devices, m, batch, scan, finish):
        if wanted(work):
            state = shapes(m, scan)
            x = jax.ShapeDtypeStruct((batch, g.time), "int32", sharding=NamedSharding(m, P("data")))
            t = time.perf_counter()
            finish(jax.jit(trained(gpt_loss(g), tx), donate_argnums=0).trace(state, x, x))
            timing.put(who, work, devices, 1e3 * (time.perf_counter() - t))
    m = mesh((2, 4) if DEVICES == 8 else (1, 1), ("data", "model"))
    for scan in False, True:
        work = "W7 compile 12 layers" + (" scanned" if scan else "")
        once("jax", work, DEVICES, m, 512, scan, lambda t: t.lower().compile())
        if DEVICES == 1:
            once("jax, no compiling", work, 4096, jax.sharding.AbstractMesh((1024, 4), ("data", "model")), 4096, scan,
                 lambda t: t.lower(lowering_platforms=("cpu",)))


def ops():
    def draw(*shape):
        return jnp.asarray(np.random.default_rng(0).standard_normal(shape, np.float32))

    def run(work, f, *args):
        g = jax.jit(f)
        timed(work, lambda: g(*args))

    def back(f):
        return lambda dy, *args: jax.vjp(f, *args)[1](dy)

    def norm(x, w, b):
        d = x - x.mean(-1, keepdims=True)
        return d * jax.lax.rsqrt((d ** 2).mean(-1, keepdims=True) + 1e-5) * w + b
    if wanted_of("W10"):
        n = 16 << 20
        run("W10 chain 16M", lambda x, a, b, c: jax.nn.gelu(x * a + b) + c, *(draw(n) for _ in range(4)))
        x, w, b, tx = draw(8192, 1024), draw(1024), draw(1024), optax.adam(1e-3)
        run("W10 softmax", jax.nn.softmax, x)
        _, pull = jax.vjp(jax.nn.softmax, x)                     # a tree of residuals: softmax's result
        run("W10 softmax backward", lambda p, dy: p(dy), pull, x)
        run("W10 layer norm", norm, x, w, b)
        run("W10 layer norm backward", back(norm), x, x, w, b)

        def adam(state, g):
            updates, opt = tx.update(g, state[1], state[0])
            return (optax.apply_updates(state[0], updates), opt), 0
        p = draw(n)
        steps("W10 adam 16M", jax.jit(adam, donate_argnums=0), (p, tx.init(p)), draw(n))
    if wanted_of("GEMM"):
        timing.products(draw, run)


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


FIRST = "import jax, jax.numpy as jnp, numpy as np; x = jnp.ones(8); "
FIRST_8 = ("from jax.sharding import *; m = Mesh(np.array(jax.devices()), ('i',)); "
           "x = jax.device_put(np.ones(8, np.float32), NamedSharding(m, PartitionSpec('i'))); ")
for works in (nnx, cnn, keras, classifier, gpt, compiling, calls) + ((ops,) if DEVICES == 1 else ()):
    works()
timing.starts("jax", "W9 start to first result", DEVICES, FIRST + (FIRST_8 if DEVICES == 8 else "") + "print(jax.jit(lambda a: a + 1)(x))")
