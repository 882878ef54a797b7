# Prints the texts of this folder: jax's random numbers as its versions and platforms spell them; rows and their gradients.
# usage: python print.py FOLDER; writes what that version of jax prints as it is (0.10.2), or the older forms (0.4.34).
import os
import sys
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
import jax
import jax.numpy as jnp
from jax import lax, random
from jax.sharding import Mesh, PartitionSpec as P
import numpy as np

folder = sys.argv[1]
old = jax.__version__.startswith("0.4.")
key = jax.ShapeDtypeStruct((2,), jnp.uint32)
keys = jax.ShapeDtypeStruct((4, 2), jnp.uint32)


def write(name, f, *args, platform=None):
    traced = jax.jit(f).trace(*args)
    text = (traced.lower(lowering_platforms=(platform,)) if platform else traced.lower()).as_text()
    with open(f"{folder}/{name}.mlir", "w") as out:
        out.write(text)


def turns(k, x):  # a loop that draws
    return lax.scan(lambda c, i: (c + jnp.sum(random.normal(random.fold_in(k, i), (8,))), None), x, jnp.arange(6))


def taken(x, y):  # labels below zero count from the end; those out of range are dropped
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(x), y[..., None], axis=-1))


def indexed(x, y):
    return -jnp.mean(jax.nn.log_softmax(x)[jnp.arange(x.shape[0]), y])


def turned_grad(a, w):  # the backward pass reads and writes rows from the last to the first
    return jax.grad(lambda w: jnp.sum(lax.scan(lambda h, u: (jnp.tanh(h @ u), None), a, w)[0]))(w)


def row(x, i):
    return lax.dynamic_slice_in_dim(x, i, 1, 0)


def put(y, x, i):
    return lax.dynamic_update_slice_in_dim(y, x, i, 0)


def turned_counter(x):  # fori_loop has a counter and an index
    return lax.fori_loop(0, 5, lambda i, s: put(s, row(x, 4 - i) * i, 4 - i), jnp.zeros((5, 3)))


def turned_both(x, y):
    turn = lambda i, s: (put(s[0], row(x, 4 - i) * 2 + row(y, i), 4 - i), put(s[1], row(x, 4 - i) - row(y, i), i))
    return lax.fori_loop(0, 5, turn, (jnp.zeros((5, 3)), jnp.zeros((5, 3))))


logits, labels = jax.ShapeDtypeStruct((8, 3), jnp.float32), jax.ShapeDtypeStruct((8,), jnp.int32)
if old:
    write("old_taken", jax.grad(taken), logits, labels)
    write("old_indexed", jax.grad(indexed), logits, labels)
    write("old_odd", lambda k: random.bits(k, (5, 7)), key)
    write("old_batched", lambda k: jax.vmap(lambda q: random.bits(q, (4, 3)))(k), keys)
    write("old_bytes", lambda k: random.bits(k, (5, 7), dtype=jnp.uint8), key)
    write("old_permutation", lambda k: random.permutation(k, 13), key)
    jax.config.update("jax_enable_x64", True)
    write("old_wide", lambda k: random.bits(k, (5, 3), dtype=jnp.uint64), key)
else:
    write("bits", lambda k: random.bits(k, (5, 7)), key)
    write("device", lambda k: random.bits(k, (5, 7)), key, platform="tpu")
    write("bytes", lambda k: random.bits(k, (5, 7), dtype=jnp.uint8), key)
    write("batched", lambda k: jax.vmap(lambda q: random.normal(q, (5,)))(random.split(k, 4)), key)
    write("typed", lambda s: random.uniform(random.key(s), (3, 4)), jax.ShapeDtypeStruct((), jnp.int32))
    write("constant", lambda x: x + random.uniform(jnp.array([3, 5], jnp.uint32), (12,)),
          jax.ShapeDtypeStruct((12,), jnp.float32))
    write("several", lambda k: [random.uniform(q, (4, 3)) for q in random.split(k, 3)], key)
    write("turns", turns, key, jax.ShapeDtypeStruct((), jnp.float32))
    mesh = Mesh(np.array(jax.devices()).reshape(2, 4), ("data", "model"))
    write("manual", jax.shard_map(lambda k: random.bits(random.fold_in(k, lax.axis_index("data")), (3, 4)),
                                  mesh=mesh, in_specs=P(), out_specs=P("data"), check_vma=False), key)
    rows = jax.ShapeDtypeStruct((5, 3), jnp.float32)
    write("turned_grad", turned_grad, jax.ShapeDtypeStruct((3, 4), jnp.float32),
          jax.ShapeDtypeStruct((5, 4, 4), jnp.float32))
    write("turned_counter", turned_counter, rows)
    write("turned_both", turned_both, rows, rows)
    import flax.linen as nn
    x = jax.ShapeDtypeStruct((24, 40), jnp.float32)
    norm = nn.LayerNorm()
    weights = jax.eval_shape(norm.init, random.PRNGKey(0), x)
    write("taken", jax.grad(taken), jax.ShapeDtypeStruct((4, 2, 3), jnp.float32),
          jax.ShapeDtypeStruct((4, 2), jnp.int32))
    write("indexed", jax.grad(indexed), logits, labels)
    write("softmax", jax.nn.softmax, x)
    write("softmax_grad", lambda x, c: jax.vjp(jax.nn.softmax, x)[1](c), x, x)
    write("norm", norm.apply, weights, x)
    write("norm_grad", lambda p, x, c: jax.vjp(norm.apply, p, x)[1](c), weights, x, x)
    jax.config.update("jax_enable_x64", True)
    write("wide", lambda k: random.bits(k, (5, 3), dtype=jnp.uint64), key)
