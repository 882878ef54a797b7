"""Suite `seeds_keras`: Keras's loss, optimizer, batch norm and batches."""

import jax
import jax.numpy as jnp
import keras
import numpy as np

from golden import Suite, versions


def suite(out, seed, many):
    return Suite(out, "seeds_keras", seed, many, versions("keras", "jax"))


def fill(s):
    for k in range(s.many):
        b, n = int(s.rng.integers(2, 9)), int(s.rng.integers(2, 9))
        x, labels = s.floats((b, n), scale=3), s.ints((b,), np.int32, 0, n - 1)
        f = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        value, dx = jax.value_and_grad(lambda v: f(labels, v))(jnp.asarray(x))
        s.case(
            f"loss.{k}",
            "keras_loss",
            "SparseCategoricalCrossentropy",
            {"from_logits": True, "args": ["x", "labels"], "outs": ["loss", "dx"]},
            [x, labels],
            [value, dx],
            {"rtol": 2e-6, "atol": 1e-6},
        )
        m, eps = float(s.pick(0.99, 0.9)), float(s.pick(1e-3, 1e-2))
        layer = keras.layers.BatchNormalization(momentum=m, epsilon=eps)
        rows, c = s.floats((3, int(s.rng.integers(3, 7)), 4, 3)), 3
        y, mean, var = [], [], []
        for row in rows:
            y.append(np.asarray(layer(row, training=True)))
            mean.append(np.asarray(layer.moving_mean)), var.append(np.asarray(layer.moving_variance))
        s.case(
            f"bn.{k}",
            "keras_bn",
            "BatchNormalization",
            {
                "options": {"momentum": m, "epsilon": eps},
                "args": ["x"],
                "outs": ["y", "moving_mean", "moving_variance"],
            },
            [rows],
            [np.stack(y), np.stack(mean), np.stack(var)],
            {"rtol": 1e-5, "atol": 1e-5},
        )
        options, steps = {"learning_rate": float(s.pick(0.01, 0.001)), "beta_1": float(s.pick(0.9, 0.8))}, 10
        start, scale, to = (s.floats((4, 3)) for _ in range(3))
        w = keras.Variable(start)
        adam = keras.optimizers.Adam(**options)
        adam.build([w])
        seen = {}
        for t in range(1, steps + 1):
            adam.apply([jnp.asarray(scale) * (w.value - to)], [w])
            seen[t] = np.asarray(w)
        outs = {f"step{t}.x0": seen[t] for t in (1, 2, steps)} | {
            "end.m0": np.asarray(adam._momentums[0]),
            "end.v0": np.asarray(adam._velocities[0]),
        }
        s.case(
            f"adam.{k}",
            "keras_adam",
            "Adam",
            {"options": options, "steps": steps, "args": ["x0", "c0", "t0"], "outs": list(outs)},
            [start, scale, to],
            list(outs.values()),
            {"rtol": 1e-5, "atol": 1e-6},
        )
        n, batch = int(s.rng.integers(5, 60)), int(s.rng.integers(2, 9))
        ranges = [[e, i * batch, (i + 1) * batch - 1] for e in range(2) for i in range(n // batch)]
        if ranges:
            s.case(
                f"batching.{k}",
                "keras_batching",
                "array",
                {"n": n, "batch": batch, "epochs": 2, "outs": ["ranges"]},
                [],
                [np.asarray(ranges, np.int32)],
            )
