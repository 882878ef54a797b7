"""Data sets: arrays with a row for each example, given out as batches in order or shuffled anew each epoch.

    digits = tt.data.mnist(batch=128, shuffle=tt.random.key(0))
    for epoch in range(3):
        for batch in digits:
            params, opt, loss = step(params, opt, batch["image"], batch["label"])

Rows, order and the last batch are those of tutti/data.h: the order is jax.random's, `key, k = split(key)`, then
permutation(k, n). Any other iterable of arrays, as torch.utils.data.DataLoader, serves as well: a function of values
takes the arrays of NumPy, JAX and PyTorch."""
import queue
import threading
from typing import Any, Iterator

import numpy as np

from . import _core, _tree
from ._array import Array, array, unmasked
from ._core import ffi, lib

__all__ = ["Dataset", "dataset", "mnist"]


def _rows_of(what, leaf):
    a = np.asarray(unmasked(what, leaf))
    if a.ndim < 1:
        raise _core.fail(_core.ShapeError, "%s: an array without dims, which has no rows" % what,
                         "all arrays of a data set have one row per example, on dim 0")
    return a


def _key(what, x):
    key = array(x)
    if key.shape != (2,) or key.dtype.name != "uint32":
        raise _core.fail(_core.DtypeError, "dataset: %s is %s%s; it is a key, uint32(2,)" %
                         (what, key.dtype.name, key.shape), "make one: shuffle=tt.random.key(0)")
    return key


class Dataset:
    """Batches of a tree of arrays: iterating over it is one epoch. len(): the batches of an epoch.

    batch: rows of a batch (128). shuffle: a key; each epoch has a new order. The last incomplete batch is dropped;
    keep_last: it is kept, wrap: it is filled up with the first rows of the epoch. limit: at most that many rows. ahead:
    batches that a thread assembles in advance. mesh, spec: the layout of batches; without spec dim 0 lies on the mesh's
    first axis. transform: a function of the batch's tree of NumPy's arrays, which the thread of `ahead` calls.

    epoch: the epochs that have begun; state() and restore(state), (key, epoch), for checkpoints between epochs."""

    def __init__(self, tree: Any, *, batch: int = 128, shuffle=None, keep_last: bool = False, wrap: bool = False,
                 limit: int = 0, ahead: int = 0, mesh=None, spec=None, transform=None, source: str = "arrays"):
        leaves, self._structure = _tree.tree_flatten(tree)
        if not leaves:
            raise _core.fail(_core.ArgumentError, "dataset: a tree without arrays")
        self._rows = [_rows_of("dataset", x) for x in leaves]
        counts = {len(a) for a in self._rows}
        if len(counts) > 1:
            raise _core.fail(_core.ShapeError, "dataset: arrays of %s rows" % " and ".join(map(str, sorted(counts))),
                             "all arrays of a data set have one row per example, on dim 0")
        for what, n, least in (("batch", batch, 1), ("limit", limit, 0), ("ahead", ahead, 0)):
            if _core.whole(what, n) < least:
                raise _core.fail(_core.ArgumentError, "dataset: %s is %d; it is %d or more" % (what, n, least))
        keep_last, wrap = _core.flag("keep_last", keep_last), _core.flag("wrap", wrap)
        if mesh is not None:
            _core.CONVERT["m"]("dataset: mesh", mesh)
        if transform is not None and not callable(transform):
            raise _core.fail(_core.ArgumentError, "dataset: transform is a function, not %s" % type(transform).__name__)
        if keep_last and wrap:
            raise _core.fail(_core.ArgumentError, "dataset: both keep_last and wrap are given",
                             "the last batch is kept as it is, or filled up: give one of them")
        if spec is not None and mesh is None:
            raise _core.fail(_core.ArgumentError, "dataset: spec %r has no effect without mesh" % (spec,))
        n = counts.pop()
        self.count = min(limit, n) if limit else n
        self.batch, self.source, self.epoch = batch, source, 0
        if batch > self.count and not keep_last and not wrap:
            raise _core.fail(_core.ArgumentError, "dataset: batches of %d from %d rows" % (batch, self.count))
        self._keep_last, self._wrap, self._ahead, self._transform = keep_last, wrap, ahead, transform
        self._mesh, self._spec = mesh, spec or (mesh.axis_names[0] if mesh is not None else None)
        self._key = None if shuffle is None else _key("shuffle", shuffle)

    def __len__(self) -> int:
        return self.count // self.batch + ((self._keep_last or self._wrap) and self.count % self.batch != 0)

    @property
    def arrays(self) -> Any:
        """All rows: the tree of NumPy's arrays."""
        return _tree.tree_unflatten(self._structure, self._rows)

    def state(self) -> dict:
        """What a checkpoint needs to go on with the next epoch."""
        return {"key": np.zeros(2, np.uint32) if self._key is None else self._key, "epoch": self.epoch}

    def restore(self, state: dict) -> None:
        """Goes on where state() was."""
        for name in ("key", "epoch"):
            if not isinstance(state, dict) or name not in state:
                raise _core.fail(_core.TreeError, "dataset: the state has no %r" % name, "state() makes one")
        epoch = _core.whole("epoch", state["epoch"])
        if epoch < 0:
            raise _core.fail(_core.ArgumentError, "dataset: epoch is %d; it is 0 or more" % epoch)
        if self._key is not None:
            self._key = _key("the state's key", state["key"])
        self.epoch = epoch

    def _order(self):
        self.epoch += 1
        if self._key is None:
            return np.arange(self.count)
        from . import random
        keys = random.split(self._key, 2)
        order = np.asarray(random.permutation(keys[1], self.count))
        self._key = keys[0]
        return order

    def _assembled(self, order, i):
        at = np.arange(i * self.batch, (i + 1) * self.batch)
        at = order[at % self.count if self._wrap else at[at < self.count]]
        tree = _tree.tree_unflatten(self._structure, [a[at] for a in self._rows])
        return tree if self._transform is None else self._transform(tree)

    def __iter__(self) -> Iterator[Any]:
        """One epoch."""
        order, n = self._order(), len(self)              # at once: two loops over one data set are two epochs
        assembled = (self._assembled(order, i) for i in range(n))
        return self._given(_in_advance(assembled, self._ahead) if self._ahead else assembled)

    def _given(self, batches):
        from . import _api
        for tree in batches:
            tree = _tree.tree_map(array, tree)
            yield tree if self._mesh is None else _api.shard(tree, self._mesh, self._spec)


class _Failed:
    def __init__(self, error):
        self.error = error


def _in_advance(items, n):
    """The items, of which a thread makes n before they are asked for. It ends when the iterator is dropped."""
    ready, ended, stop = queue.Queue(n), object(), threading.Event()

    def put(x):
        while not stop.is_set():
            try:
                return ready.put(x, timeout=0.05)
            except queue.Full:
                continue

    def work():
        try:
            for x in items:
                put(x)
                if stop.is_set():
                    return
            put(ended)
        except BaseException as e:
            put(_Failed(e))
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        while True:
            x = ready.get()
            if x is ended:
                return
            if isinstance(x, _Failed):
                raise x.error
            yield x
    finally:
        stop.set()
        thread.join()


def dataset(tree: Any, **options) -> Dataset:
    """A Dataset of a tree of arrays, one row per example on dim 0."""
    return Dataset(tree, **options)


def _digits(tree):
    return {"image": tree["image"].astype(np.float32)[..., None] / np.float32(255), "label":
            tree["label"].astype(np.int32)}


def mnist(name: str = "mnist", *, part: str = "train", **options) -> Dataset:
    """MNIST, or a folder of TUTTI_DATA with such files: "image" float32 [B, 28, 28, 1] in [0, 1], "label" int32 [B].
    part: "train" or "test". Where it comes from: tt_mnist in tutti/data.h; .source says it. Options: Dataset's."""
    site = _core.here()
    with _core.Scope():
        o = ffi.new("tt_data_opts *")
        words, part_text = ffi.new("char[]", b".part, .batch, .keep_last"), _core.text("part", part)
        o.size, o.given, o.part, o.batch, o.keep_last = ffi.sizeof(o[0]), words, part_text, 1, 1
        digits = lib.tt_mnist_at(site, _core.text("name", name), o)
        _core.check()
        source = _core.text_of(lib.tt_data_from_at(site, digits))
        v = lib.tt_data_arrays_at(site, digits)
        _core.check()
        rows = {n: np.array(_leaf(site, v, n)) for n in ("image", "label")}
    return Dataset(rows, transform=_digits, source=source, **options)


def _leaf(site, v, name):
    x = lib.tt_get_at(site, v, name.encode())
    lib.tt_keep_at(site, x)
    _core.check()
    return Array(x)
