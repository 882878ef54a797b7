"""Prints the training steps gpt.mlir.gz and keras.mlir.gz, and the ten losses that JAX gets for each.

    KERAS_BACKEND=jax python tests/corpus/steps/print.py [gpt] [keras]      (jax 0.10.2, flax 0.12.8, optax 0.2.8, keras 3)

Parameters are 0.25 sin(0.7 k + 1.3 i) for element k of array i, the optimizer's and other state zeros, data the same
formula with i = 99 and 98, whole data (7 k + 3) % classes: tests/api/programs/program_steps.c makes the same."""
import gzip, os, sys
import numpy as np
import jax, jax.numpy as jnp

here = os.path.dirname(os.path.abspath(__file__))


def formula(like, i, classes=None):
    k = np.arange(int(np.prod(like.shape)), dtype=np.float64)
    if classes: return jnp.asarray(((7 * k + 3) % classes).astype(like.dtype).reshape(like.shape))
    return jnp.asarray((0.25 * np.sin(0.7 * k + 1.3 * i)).astype(like.dtype).reshape(like.shape))


def run(name, flat, params, state, data, classes):
    """flat(*params, *state, x, y) -> (*params, *state, loss)"""
    x = [formula(p, i) for i, p in enumerate(params)] + [jnp.zeros_like(s) for s in state]
    d = [formula(v, 99 - i, c) for i, (v, c) in enumerate(zip(data, classes))]
    step = jax.jit(flat)
    text = step.lower(*x, *d).as_text()
    with open(os.path.join(here, name + ".mlir.gz"), "wb") as f:
        f.write(gzip.compress(text.encode(), 9, mtime=0))
    losses = []
    for _ in range(10):
        *x, loss = step(*x, *d)
        losses.append(float(loss))
    print(name, len(params), "parameters", len(params) + len(state), "state", len(text), "bytes")
    print("{ " + ", ".join(f"{v:.9g}F" for v in losses) + " }")


def gpt():
    import flax.linen as nn, optax

    class Block(nn.Module):
        heads: int = 2

        @nn.compact
        def __call__(self, x, mask):
            h = nn.MultiHeadDotProductAttention(self.heads)(nn.LayerNorm()(x), mask=mask)
            x = x + h
            h = nn.Dense(4 * x.shape[-1])(nn.LayerNorm()(x))
            return x + nn.Dense(x.shape[-1])(nn.gelu(h))

    class GPT(nn.Module):
        @nn.compact
        def __call__(self, tokens):
            x = nn.Embed(32, 16)(tokens) + self.param("pos", nn.initializers.normal(), (tokens.shape[1], 16))
            mask = nn.make_causal_mask(tokens)
            for _ in range(4): x = Block()(x, mask)
            return nn.Dense(32)(nn.LayerNorm()(x))

    model, adam = GPT(), optax.adam(5e-3)
    tokens = jnp.zeros((8, 8), jnp.int32)
    params = model.init(jax.random.key(0), tokens)["params"]
    p, ptree = jax.tree.flatten(params)
    s, stree = jax.tree.flatten(adam.init(params))

    def flat(*a):
        w, o = jax.tree.unflatten(ptree, a[:len(p)]), jax.tree.unflatten(stree, a[len(p):len(p) + len(s)])

        def loss_of(w):
            logits = model.apply({"params": w}, a[-2])
            return optax.softmax_cross_entropy_with_integer_labels(logits, a[-1]).mean()

        loss, g = jax.value_and_grad(loss_of)(w)
        u, o = adam.update(g, o, w)
        return *jax.tree.leaves(optax.apply_updates(w, u)), *jax.tree.leaves(o), loss

    run("gpt", flat, p, s, [tokens, tokens], [32, 31])


def keras_cnn():
    import keras
    from keras import layers
    model = keras.Sequential([
        keras.Input((8, 8, 1)), layers.Conv2D(4, 3, padding="same", use_bias=False), layers.BatchNormalization(),
        layers.ReLU(), layers.MaxPooling2D(2), layers.Conv2D(8, 3, padding="same", activation="relu"),
        layers.MaxPooling2D(2), layers.Flatten(), layers.Dropout(0.25), layers.Dense(10)])
    loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    adam = keras.optimizers.Adam(1e-3)
    adam.build(model.trainable_variables)
    tv = [v.value for v in model.trainable_variables]
    ntv = [v.value for v in model.non_trainable_variables]
    rate = next(i for i, v in enumerate(adam.variables) if v is adam._learning_rate)
    ov = [v.value for i, v in enumerate(adam.variables) if i != rate]
    n, m = len(tv), len(ntv)

    def flat(*a):
        w, rest, o = list(a[:n]), list(a[n:n + m]), list(a[n + m:-2])
        o.insert(rate, jnp.float32(1e-3))

        def loss_of(w):
            y, new = model.stateless_call(w, rest, a[-2], training=True)
            return loss_fn(a[-1], y), new

        (loss, rest), g = jax.value_and_grad(loss_of, has_aux=True)(w)
        w, o = adam.stateless_apply(o, g, w)
        del o[rate]
        return *w, *rest, *o, loss

    run("keras", flat, tv, ntv + ov, [jnp.zeros((8, 8, 8, 1)), jnp.zeros((8,), jnp.int32)], [None, 10])


for name, f in {"gpt": gpt, "keras": keras_cnn}.items():
    if name in sys.argv[1:] or len(sys.argv) == 1: f()
