"""Modules: as functions of a frame and as classes; against Flax where it is there; training with checkpoints."""
import gc

import numpy as np
import pytest

import tutti as tt

nn = tt.nn
KEY = tt.random.key(0)
X = np.random.default_rng(0).normal(size=(4, 6)).astype(np.float32)


def same(a, b, tol=2e-6):
    np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=tol, atol=tol)


def same_tree(a, b, tol=2e-6):
    assert tt.tree_structure(a) == tt.tree_structure(b)
    for x, y in zip(tt.tree_leaves(a), tt.tree_leaves(b)):
        same(x, y, tol)


def shapes(tree):
    return tt.tree_map(lambda x: x.shape, tree)


class Block(nn.Module):
    width: int = 6
    scale: float = 1.0

    def __call__(self, x):
        return x + self.scale * nn.Dense(self.width)(nn.LayerNorm()(x))


class Net(nn.Module):
    width: int = 8

    def __call__(self, x, twice=False):
        x = nn.relu(nn.Dense(self.width, name="hidden")(x))
        return nn.Dense(3, name="out")(x * 2 if twice else x)


def net(m, x):
    return nn.dense(m, "out", nn.relu(nn.dense(m, "hidden", x, 8)), 3)


def test_two_ways_are_one():
    a, b = nn.init(net, KEY, X), Net().init(KEY, X)
    same_tree(a, b, 0)
    same(nn.apply(net, a, X), Net().apply(b, X), 0)
    same(Net().apply(a, X), np.maximum(X @ np.asarray(a["hidden"]["kernel"]), 0) @ np.asarray(a["out"]["kernel"]), 1e-5)
    same(Net().apply(a, X, twice=True), 2 * np.asarray(Net().apply(a, X)))
    f = tt.jit(lambda p, x: Net().apply(p, x))
    same(f(a, X), Net().apply(a, X), 1e-5)
    assert shapes(tt.grad(lambda p: tt.mean(Net().apply(p, X)))(a)) == shapes(a)
    assert "hidden.kernel" in nn.summary(a)
    assert repr(nn.Dense(3, use_bias=False)) == "Dense(features=3, no_bias=True)"


def test_names():
    class Deep(nn.Module):
        def setup(self):
            self.blocks = [Block(), Block()]
            self.head = nn.Dense(2)

        def __call__(self, x):
            for b in self.blocks:
                x = b(x)
            return self.head(nn.Dense(6)(nn.Dense(6)(Block(name="extra")(x))))
    v = Deep().init(KEY, X)
    assert sorted(v) == ["Dense_0", "Dense_1", "blocks_0", "blocks_1", "extra", "head"]
    assert shapes(v["blocks_0"]) == {"Dense_0": {"kernel": (6, 6), "bias": (6,)},
                                     "LayerNorm_0": {"scale": (6,), "bias": (6,)}}
    s = nn.Sequential([nn.Dense(5), nn.relu, nn.Dense(2)])
    assert sorted(s.init(KEY, X)) == ["layers_0", "layers_2"]
    d = nn.Dense(3)
    assert shapes(d.init(KEY, X)) == {"kernel": (6, 3), "bias": (3,)}
    same(d.apply(d.init(KEY, X), X), X @ np.asarray(d.init(KEY, X)["kernel"]), 1e-5)


def test_shared():
    class Twice(nn.Module):
        def setup(self):
            self.layer, self.block = nn.Dense(6), Block()

        def __call__(self, x):
            return self.block(self.layer(self.block(self.layer(self.layer(x)))))
    v = Twice().init(KEY, X)
    assert sorted(v) == ["block", "layer"]
    k = np.asarray(v["layer"]["kernel"])
    one = nn.Dense(6)
    same(one.apply(v["layer"], X), X @ k, 1e-5)
    want = X
    for f in ("layer", "layer", "block", "layer", "block"):
        want = (one if f == "layer" else Block()).apply(v[f], want)
    same(Twice().apply(v, X), want, 1e-5)


def test_inherited_and_parameters():
    class Scaled(Block):
        def __call__(self, x):
            return super().__call__(x) * self.param("gain", (), init="ones")
    v = Scaled().init(KEY, X)
    assert sorted(v) == ["Dense_0", "LayerNorm_0", "gain"] and v["gain"].shape == ()
    inner = {k: v[k] for k in ("Dense_0", "LayerNorm_0")}
    same(Scaled().apply(dict(v, gain=tt.array(3.0)), X), 3 * np.asarray(Block().apply(inner, X)), 1e-5)


@pytest.mark.parametrize("how", ["stack", "remat"])
def test_lifted(how):
    """C's caches know modules of Python apart, also those of one line."""
    for scale in (1.0, 0.5, 1.0):
        if how == "stack":
            m = nn.Sequential([nn.Stack(Block(scale=scale), 3)])
            v = m.init(KEY, X)
            assert v["layers_0"]["Dense_0"]["kernel"].shape == (3, 6, 6)
            want = X
            for i in range(3):
                want = Block(scale=scale).apply(tt.tree_map(lambda a: a[i], v["layers_0"]), want)
        else:
            m = nn.Sequential([nn.Remat(Block(scale=scale))])
            v = m.init(KEY, X)
            want = Block(scale=scale).apply(v["layers_0"], X)
        same(m.apply(v, X), want, 1e-5)
        same(tt.jit(m.apply)(v, X), want, 1e-5)

    def scaled(by):
        return lambda m, x: nn.dense(m, "d", x, 6) * by
    v = nn.init(lambda m, x: nn.stack(m, "s", scaled(1.0), 2, x), KEY, X)
    got = [np.asarray(nn.apply(lambda m, x: nn.stack(m, "s", f, 2, x), v, X)) for f in (scaled(1.0), scaled(2.0))]
    same(got[1], 4 * got[0], 1e-5)                       # no biases


def test_training_pass():
    class Noisy(nn.Module):
        def __call__(self, x):
            x = nn.BatchNorm(momentum=0.9)(x)
            return nn.Dropout(0.5)(x), self.training
    v = Noisy().init(KEY, X)
    y, training = Noisy().apply(v, X)
    assert not training.item()
    (y, training), new = Noisy().apply_train(v, X, rng=tt.random.key(1))
    assert training.item() and 0 < (np.asarray(y) == 0).mean() < 1
    same(new["BatchNorm_0"]["mean"], 0.1 * X.mean(0), 1e-5)
    same_tree(v["BatchNorm_0"]["mean"], tt.zeros(6))
    (z, _), _ = Noisy().apply_train(v, X, rng={"dropout": tt.random.key(1)})
    same(y, z, 0)


def test_cells():
    xs = np.random.default_rng(1).normal(size=(5, 4, 6)).astype(np.float32)
    carry = (tt.zeros((4, 7)), tt.zeros((4, 7)))
    rnn = nn.RNN(nn.lstm_cell)
    v = rnn.init(KEY, carry, xs)
    last, ys = rnn.apply(v, carry, xs)
    assert ys.shape == (5, 4, 7)
    same(ys[-1], last[1])
    with pytest.raises(tt.ArgumentError, match="cell"):
        nn.RNN(nn.dense).init(KEY, carry, xs)


def test_collections():
    class Seen(nn.Module):
        def __call__(self, x):
            h = nn.Dense(3)(x)
            self.sow("intermediates", "h", h)
            return h * 2
    v = Seen().init(KEY, X)
    y, c = Seen().apply_with(v, X, updates="intermediates")
    same(y, 2 * np.asarray(c["intermediates"]["h"][0]))


def test_errors():
    with pytest.raises(tt.ArgumentError, match=r"no option 'kernel_sze'(.|\n)*test_nn.py(.|\n)*kernel_size"):
        nn.Conv(3, kernel_sze=(3, 3))
    with pytest.raises(tt.ArgumentError, match="features is missing"):
        nn.Dense()
    with pytest.raises(tt.ArgumentError, match="window is given twice"):
        nn.Conv(3, window=(3, 3), kernel_size=(3, 3))
    with pytest.raises(tt.ArgumentError, match="outside of a module"):
        nn.Dense(3)(X)
    with pytest.raises(tt.ArgumentError, match="frame"):
        nn.dense(None, "a", X, 3)
    with pytest.raises(tt.TreeError, match='no "out.kernel"|no "out.bias"'):
        Net().apply({"hidden": Net().init(KEY, X)["hidden"]}, X)
    with pytest.raises(ZeroDivisionError):
        nn.init(lambda m, x: 1 / 0, KEY, X)
    same(Net().apply(Net().init(KEY, X), X).shape, (4, 3))     # and goes on
    with pytest.raises(tt.TreeError, match='two variables are named'):
        nn.init(lambda m, x: nn.dense(m, "a", nn.dense(m, "a", x, 6), 6), KEY, X)


def test_nothing_is_kept():
    import os
    v = Net().init(KEY, X)

    def rss():
        gc.collect()
        with open("/proc/self/statm") as f:
            return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    big = np.ones((256, 6), np.float32)
    for i in range(400):
        if i == 100:
            before = rss()
        Net().apply(v, big)
    assert rss() - before < 8 << 20


def test_flax():
    """Variables and results of Flax, bit by bit or nearly so."""
    pytest.importorskip("flax", reason="no flax")
    import flax.linen as fnn
    import jax

    class Theirs(fnn.Module):
        @fnn.compact
        def __call__(self, x):
            x = fnn.relu(fnn.Conv(4, (3, 3), padding="SAME")(x))
            x = fnn.avg_pool(x, (2, 2), (2, 2)).reshape((x.shape[0], -1))
            return fnn.Dense(3, use_bias=False)(fnn.LayerNorm(epsilon=1e-5)(fnn.Dense(5)(x)))

    class Ours(nn.Module):
        def __call__(self, x):
            x = nn.relu(nn.Conv(4, kernel_size=(3, 3), padding="SAME")(x))
            x = tt.avg_pool(x, window=(2, 2), stride=(2, 2)).reshape(x.shape[0], -1)
            return nn.Dense(3, use_bias=False)(nn.LayerNorm(epsilon=1e-5)(nn.Dense(5)(x)))
    x = np.random.default_rng(2).normal(size=(2, 8, 8, 1)).astype(np.float32)
    theirs, ours = Theirs().init(jax.random.key(7), x)["params"], Ours().init(tt.random.key(7), x)
    same_tree(ours, jax.tree.map(np.asarray, dict(theirs)), 1e-6)
    same(Ours().apply(ours, x), Theirs().apply({"params": theirs}, x), 1e-5)
