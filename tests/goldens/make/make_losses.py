"""Suite `losses`: losses of optax beyond those of the suite `math`, with gradients of their sums."""

import jax
import jax.numpy as jnp
import numpy as np
import optax

from golden import Suite, versions


def suite(out, seed, many):
    return Suite(out, "losses", seed, many, versions("jax", "optax"))


def one(s, fn, f, ins, params=None, grad=(0,)):
    outs, tols = [f(*ins)], [{"rtol": 1e-5, "atol": 2e-6}]
    for i in grad:
        outs.append(jax.grad(lambda *v: jnp.sum(f(*v)), argnums=i)(*[jnp.asarray(x) for x in ins]))
        tols.append({"rtol": 1e-4, "atol": 1e-5})
    s.case(fn, "losses", fn, {**(params or {}), "grad": list(grad)}, ins, outs, tols)


def ctc(s):
    batch, time, classes, n = 4, 9, 5, 4
    logits = s.floats((batch, time, classes))
    labels = np.asarray([[1, 1, 2, 3], [4, 2, 2, 2], [3, 1, 4, 0], [2, 0, 0, 0]], np.int32)
    label_pad = np.asarray([[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1], [0, 1, 1, 1]], np.float32)
    logit_pad = np.zeros((batch, time), np.float32)
    logit_pad[1, 7:], logit_pad[3, 3:] = 1, 1
    one(s, "ctc_loss", lambda x, a, b, c: optax.ctc_loss(x, a, b, c), [logits, logit_pad, labels, label_pad])
    moved = np.where(labels == 0, 0, labels - 1).astype(np.int32)
    f = lambda x, a, b, c: optax.ctc_loss(x, a, b, c, blank_id=4, log_epsilon=-1e4)
    one(s, "ctc_loss", f, [logits, logit_pad, moved, label_pad], {"blank": 4, "log_epsilon": -1e4})
    one(s, "ctc_loss", lambda x, a, b, c: optax.ctc_loss(x, a, b, c), [logits, logit_pad, labels[:, :1], label_pad[:, :1]])


def fill(s):
    for _ in range(s.many):
        x, y = s.floats((4, 5)), s.floats((4, 5))
        labels = s.ints((4,), np.int32, 0, 4)
        hot = np.asarray(s.rng.integers(0, 2, (4, 5)), np.float32)
        soft = np.asarray(s.rng.dirichlet(np.ones(5), 4), np.float32)
        log_p = np.asarray(jax.nn.log_softmax(y), np.float32)
        one(s, "squared_error", optax.squared_error, [x, y], grad=(0, 1))
        one(s, "cosine_distance", optax.cosine_distance, [x, y], grad=(0, 1))
        one(s, "kl_with_log_targets", optax.losses.kl_divergence_with_log_targets, [log_p, np.log(soft)], grad=(0, 1))
        one(s, "generalized_kl", optax.losses.generalized_kl_divergence, [x, soft])
        one(s, "perceptron_loss", optax.losses.perceptron_loss, [x, 2 * hot - 1])
        one(s, "multiclass_hinge_loss", optax.losses.multiclass_hinge_loss, [x, labels])
        one(s, "multiclass_perceptron_loss", optax.losses.multiclass_perceptron_loss, [x, labels])
        one(s, "ranking_softmax_loss", optax.losses.ranking_softmax_loss, [x, soft])
        one(s, "sigmoid_focal_loss", optax.losses.sigmoid_focal_loss, [x * 3, hot])
        f = lambda a, b: optax.losses.sigmoid_focal_loss(a, b, alpha=0.25, gamma=1.5)
        one(s, "sigmoid_focal_loss", f, [x * 3, hot], {"alpha": 0.25, "gamma": 1.5})
        one(s, "poly_loss_cross_entropy", optax.losses.poly_loss_cross_entropy, [x, soft])
        f = lambda a, b: optax.losses.poly_loss_cross_entropy(a, b, epsilon=-1.0)
        one(s, "poly_loss_cross_entropy", f, [x, soft], {"epsilon": -1.0})
        z = s.floats((4, 5))
        one(s, "triplet_margin_loss", optax.losses.triplet_margin_loss, [x, y, z], grad=(0, 1, 2))
        f = lambda a, b, c: optax.losses.triplet_margin_loss(a, b, c, margin=0.2, eps=1e-3)
        one(s, "triplet_margin_loss", f, [x, y, z], {"margin": 0.2, "eps": 1e-3})
        ids = np.asarray([0, 1, 0, 1], np.int32)
        one(s, "ntxent", optax.losses.ntxent, [x, ids])
        one(s, "ntxent", lambda a, b: optax.losses.ntxent(a, b, 0.5), [x, ids], {"temperature": 0.5})
        ctc(s)
