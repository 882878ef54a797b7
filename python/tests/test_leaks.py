"""Reference counts are balanced: the memory of the process does not grow over 10^5 calls."""
import gc
import os

import numpy as np
import pytest

import tutti as tt

X = np.ones((16, 16), np.float32)                        # 1 KiB: a leak of one per call would be 10^5 KiB


def resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def tried(f):
    try:
        f()
    except tt.Error:
        pass


x = tt.array(X)
step = tt.jit(lambda p, x: {"w": p["w"] - 0.1 * x, "n": [p["n"][0] + 1, None]})
p = {"w": x, "n": [tt.array(0), None]}
CALLS = {
    "add": (lambda: x + 1.0, 1), "array": (lambda: tt.array(X), 1), "numpy": (lambda: np.asarray(x).sum(), 1),
    "from_dlpack": (lambda: tt.from_dlpack(X), 1), "index": (lambda: x[1:3, ::2], 2),
    "jit of trees": (lambda: step(p, x), 1),
    "errors": (lambda: tried(lambda: tt.matmul(x, X[:3])), 2),
    "options": (lambda: tt.sum(x, axis=(0, 1), keepdims=True), 1),
    "repr": (lambda: repr(x[0, 0]), 4), "capsule": (lambda: x.__dlpack__(max_version=(1, 0)), 1),
    "grad": (lambda: tt.grad(loss)(X), 20), "lambda": (lambda: tt.cond(True, lambda a: a, lambda a: -a, x), 50),
    "exception": (lambda: tried(lambda: tt.jit(bad)(x)), 10)}


def loss(a):
    return tt.sum(a * a)


def bad(a):
    raise tt.Error("bad")


@pytest.mark.parametrize("name", CALLS)
def test_no_leak(name):
    f, cost = CALLS[name]
    calls = 100000 // cost // int(os.environ.get("TUTTI_LEAKS", "1"))
    turns, grown = 5, []
    for _ in range(turns):
        gc.collect()
        objects, before = len(gc.get_objects()), resident()
        for _ in range(calls // turns):
            f()
        gc.collect()
        grown.append((resident() - before, len(gc.get_objects()) - objects))
    # What is loaded or cached once shows in one turn, a leak in each.
    assert min(bytes_ for bytes_, _ in grown[1:]) < 16 * calls // turns + (64 << 10), grown
    assert min(n for _, n in grown[1:]) < 20, grown
