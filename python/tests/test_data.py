"""Data sets, and a whole training: epochs, metrics, checkpoints; a run that goes on ends with the same bits."""
import json
import os

import numpy as np
import pytest

import tutti as tt

X = np.arange(20, dtype=np.float32).reshape(10, 2)
Y = np.arange(10)


def rows(batches):
    return [b["y"].tolist() for b in batches]


def test_batches():
    d = tt.data.dataset({"x": X, "y": Y}, batch=4)
    assert len(d) == 2 and rows(d) == [[0, 1, 2, 3], [4, 5, 6, 7]] == rows(d) and d.epoch == 2
    b = next(iter(d))
    assert isinstance(b["x"], tt.Array) and b["x"].shape == (4, 2) and b["y"].dtype == tt.int64
    assert rows(tt.data.dataset({"y": Y}, batch=4, keep_last=True))[-1] == [8, 9]
    assert rows(tt.data.dataset({"y": Y}, batch=4, wrap=True))[-1] == [8, 9, 0, 1]
    assert rows(tt.data.dataset({"y": Y}, batch=3, limit=7)) == [[0, 1, 2], [3, 4, 5]]
    assert [b.tolist() for b in tt.data.dataset(tt.array(Y), batch=5)] == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]
    assert rows(tt.data.dataset({"y": Y}, batch=5, transform=lambda t: {"y": t["y"] * 2})) == [[0, 2, 4, 6, 8],
                                                                                             [10, 12, 14, 16, 18]]
    at_once = list(zip(d, d))                            # two loops at a time
    assert [a["y"].tolist() for a, b in at_once] == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert [b["y"].tolist() for a, b in at_once] == [[0, 1, 2, 3], [4, 5, 6, 7]]
    m = tt.mesh("data:2")
    assert next(iter(tt.data.dataset({"y": Y}, batch=4, mesh=m)))["y"].spec == "data"


def test_order():
    key = tt.random.key(3)
    d = tt.data.dataset({"y": Y}, batch=5, shuffle=key)
    key, k = tt.random.split(key)
    first = sum(rows(d), [])
    assert first == Y[np.asarray(tt.random.permutation(k, 10))].tolist() and sorted(first) == Y.tolist()
    key, k = tt.random.split(key)
    state = d.state()
    second = sum(rows(d), [])
    assert second == Y[np.asarray(tt.random.permutation(k, 10))].tolist() != first
    other = tt.data.dataset({"y": Y}, batch=5, shuffle=tt.random.key(9))
    other.restore(state)
    assert sum(rows(other), []) == second and other.epoch == 2
    for ahead in (1, 3):
        d = tt.data.dataset({"y": Y}, batch=5, shuffle=tt.random.key(3), ahead=ahead)
        assert sum(rows(d), []) == first and sum(rows(d), []) == second


def test_order_is_jax(jax):
    key, k = jax.random.split(jax.random.PRNGKey(3))
    d = tt.data.dataset({"y": Y}, batch=10, shuffle=tt.random.key(3))
    assert rows(d) == [Y[np.asarray(jax.random.permutation(k, 10))].tolist()]


def test_in_advance():
    def fails(tree):
        raise KeyError("a transform")
    with pytest.raises(KeyError, match="a transform"):
        list(tt.data.dataset({"y": Y}, batch=5, ahead=2, transform=fails))
    import threading
    before = threading.active_count()
    for _ in range(5):
        it = iter(tt.data.dataset({"y": Y}, batch=1, ahead=2))
        next(it)
        del it                                           # a loop that is left: its thread ends
    assert threading.active_count() == before


def test_wrong():
    for options, text in ((dict(batch=0), "batch is 0"), (dict(batch=11), "batches of 11 from 10"),
                          (dict(batch=2, keep_last=True, wrap=True), "both"), (dict(spec="data"), "without mesh"),
                          (dict(batch=2, limit=-1), "limit is -1"), (dict(batch=2, shuffle=3), "it is a key"),
                          (dict(batch=2, shuffle=np.zeros(2)), "it is a key")):
        with pytest.raises(tt.Error, match=text):
            tt.data.dataset({"y": Y}, **options)
    with pytest.raises(tt.ShapeError, match="3 and 10"):
        tt.data.dataset({"x": X[:3], "y": Y}, batch=1)
    with pytest.raises(tt.ShapeError, match="without dims"):
        tt.data.dataset({"x": np.float32(1)}, batch=1)
    with pytest.raises(tt.ArgumentError, match="without arrays"):
        tt.data.dataset({}, batch=1)
    with pytest.raises(tt.Error, match="prt|part"):
        tt.data.mnist(part="prt")


def example(*words):
    import importlib.util
    path = os.path.join(os.path.dirname(__file__), "..", "examples", "mnist.py")
    spec = importlib.util.spec_from_file_location("mnist", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.main(list(words))


def test_example(tmp_path, capsys):
    """python/examples/mnist.py on the digits that come with Tutti: it learns; resumed it has the same bits."""
    words = ["--limit", "1280", "--batch", "64", "--seed", "3"]
    whole, accuracy = example("--out", str(tmp_path / "a"), "--epochs", "2", *words)
    assert accuracy > 0.75, accuracy
    example("--out", str(tmp_path / "b"), "--epochs", "1", *words)
    resumed, again = example("--out", str(tmp_path / "b"), "--epochs", "2", *words)
    assert "goes on after epoch 1" in capsys.readouterr().out
    assert again == accuracy
    for a, b in zip(tt.tree_leaves(whole), tt.tree_leaves(resumed)):
        assert np.array_equal(np.asarray(a), np.asarray(b))
    lines = [json.loads(x) for x in open(tmp_path / "a" / "metrics.jsonl")]
    losses = [x["train/loss"] for x in lines if "train/loss" in x]
    assert losses[-1] < 0.6 * losses[0] and [x["test/accuracy"] for x in lines if "test/accuracy" in x][-1] == accuracy
