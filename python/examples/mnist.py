#!/usr/bin/env python3
"""Trains a convolutional network on MNIST: batches, an optimizer with a schedule, metrics, checkpoints.

usage: mnist.py [--out DIR] [--epochs N] [--batch N] [--limit N] [--seed N]
Run again with the same --out it goes on at the last checkpoint. Without a network it trains on the digits that come
with Tutti. DIR/metrics.jsonl and DIR/events.out.tfevents.* are the metrics: tensorboard --logdir DIR."""
import argparse
import os

import tutti as tt
from tutti import nn


class CNN(nn.Module):
    """Two convolutions, dropout, two dense layers."""
    classes: int = 10

    def __call__(self, x):
        for features in (16, 32):
            x = nn.relu(nn.Conv(features, kernel_size=(3, 3))(x))
            x = tt.max_pool(x, window=(2, 2), stride=(2, 2))
        x = x.reshape(x.shape[0], -1)
        x = nn.relu(nn.Dense(64)(x))
        return nn.Dense(self.classes)(nn.Dropout(0.2)(x))


model = CNN()


@tt.jit
def train_step(params, opt, batch, key):
    def loss_fn(params):
        logits, params = model.apply_train(params, batch["image"], rng=key)
        return tt.mean(nn.xent(logits, batch["label"])), (logits, params)

    (loss, (logits, params)), grads = tt.value_and_grad(loss_fn, has_aux=True)(params)
    params, opt = tt.optim.step(params, opt, grads)
    return params, opt, loss, tt.mean(tt.argmax(logits, axis=-1) == batch["label"])


@tt.jit
def correct(params, batch):
    return tt.sum(tt.argmax(model.apply(params, batch["image"]), axis=-1) == batch["label"])


def main(words=None):
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--out", default="mnist.run")
    for name, usual in (("epochs", 3), ("batch", 128), ("limit", 0), ("seed", 0)):
        p.add_argument("--" + name, type=int, default=usual)
    with tt.scope():                                     # closes what is opened in it: checkpoints, metrics
        return run(p.parse_args(words))


def run(o):
    key, init_key, order_key = tt.random.split(tt.random.key(o.seed), 3)
    train = tt.data.mnist(batch=o.batch, limit=o.limit, shuffle=order_key, ahead=2)
    test = tt.data.mnist(part="test", batch=500, keep_last=True)
    print("%d training and %d test digits of %s" % (train.count, test.count, train.source))

    params = model.init(init_key, tt.zeros((1, 28, 28, 1)))
    opt = tt.optim.adamw(params, rate=2e-3, decay=1e-4, clip_norm=1)
    state = {"params": params, "opt": opt, "data": train.state()}
    os.makedirs(o.out, exist_ok=True)
    runs = tt.manager_open(o.out + "/checkpoints", keep=2, best="max accuracy")
    newest = tt.manager_newest(runs)
    if newest >= 0:
        state = tt.manager_load(runs, newest, like=state)
        train.restore(state["data"])
        print("goes on after epoch %d" % newest)
    params, opt = state["params"], state["opt"]
    metrics = tt.metric_writer_open(o.out, purge_step=train.epoch * len(train) + 1)

    accuracy = None
    while train.epoch < o.epochs:
        for i, batch in enumerate(train, train.epoch * len(train) + 1):
            params, opt, loss, right = train_step(params, opt, batch, tt.random.fold_in(key, i))
            if i % 10 == 0:
                tt.write_scalars(metrics, i, {"train": {"loss": loss, "accuracy": right}})
        accuracy = sum(correct(params, b).item() for b in test) / test.count
        print("epoch %d: loss %.4f, %.2f %% of the test digits are right" % (train.epoch, loss.item(), 100 * accuracy))
        tt.write_scalars(metrics, i, {"test/accuracy": accuracy})
        tt.manager_save(runs, train.epoch, {"params": params, "opt": opt, "data": train.state()},
                        metrics={"accuracy": accuracy})
    return params, accuracy


if __name__ == "__main__":
    main()
