"""Times calls and appends rows (program, work, devices, number, unit) to the file that TUTTI_ROWS names, as bench/results.h does."""
import os
import statistics
import time

SECONDS = float(os.environ.get("TUTTI_SECONDS", "0.5"))     # to spend on one case
ONLY = os.environ.get("TUTTI_ONLY", "")


def wanted(work):
    return ONLY in work


def wanted_of(group):
    """Is anything wanted whose name begins so?"""
    return ONLY in group or ONLY.startswith(group)


def put(program, work, devices, number, unit="ms"):
    with open(os.environ["TUTTI_ROWS"], "a") as rows:
        rows.write(f"{program}\t{work}\t{devices}\t{number:.6g}\t{unit}\n")


def measure(program, work, devices, call, wait=lambda x: None, batch=1):
    """The median of as many calls as SECONDS allow; batch: so many calls to one wait, for what takes microseconds."""
    t = time.perf_counter()
    wait(call())
    first = time.perf_counter() - t
    if first < 2:
        wait(call())
    times, end = [], time.perf_counter() + SECONDS
    while len(times) < 2 or (time.perf_counter() < end and len(times) < 10000):
        t = time.perf_counter()
        for _ in range(batch - 1):
            call()
        wait(call())
        times.append(1e3 * (time.perf_counter() - t) / batch)
    ms = statistics.median(times)
    put(program, work, devices, ms)
    return first, ms


class Gpt:
    """A language model of bench/gpt.c: sizes, weights and tokens."""

    def __init__(self, big=False):
        self.batch, self.time, self.layers, self.heads, self.width, self.vocab = (
            (4, 64, 12, 12, 768, 50304) if big else (8, 128, 4, 4, 256, 256))
        self.places = 1024 if big else self.time

    def weights(self):
        import numpy as np
        r, c = np.random.default_rng(0), self.width

        def normal(*shape):
            return 0.02 * r.standard_normal(shape, np.float32)

        def ones(): return np.ones(c, np.float32)
        def zeros(n): return np.zeros(n, np.float32)
        layers = [dict(g1=ones(), b1=zeros(c), qkv=normal(c, 3 * c), qkvb=zeros(3 * c), out=normal(c, c), outb=zeros(c),
                       g2=ones(), b2=zeros(c), up=normal(c, 4 * c), upb=zeros(4 * c), down=normal(4 * c, c), downb=zeros(c))
                  for _ in range(self.layers)]
        return dict(words=normal(self.vocab, c), places=normal(self.places, c), layers=layers, g=ones(), b=zeros(c))

    def text(self):
        import numpy as np
        t = np.random.default_rng(1).integers(0, self.vocab, (self.batch, self.time + 1))
        return np.ascontiguousarray(t[:, :-1]), np.ascontiguousarray(t[:, 1:])


SHAPES = [(4096, 768, 3072), (1024, 1024, 1024), (1024, 256, 1024), (512, 512, 512), (128, 3136, 256), (128, 784, 512),
          (16, 4096, 4096), (4, 4096, 4096), (1, 4096, 4096)]       # of bench/ops.c: m, k, n


def products(draw, timed):
    """x w, dy w^T, x^T dy: draw(*shape) gives an array, timed(work, f, *arrays) calls f."""
    for m, k, n in SHAPES:
        x, w, dy = draw(m, k), draw(k, n), draw(m, n)
        timed(f"GEMM {m}x{k}x{n} forward", lambda a, b: a @ b, x, w)
        timed(f"GEMM {m}x{k}x{n} dX", lambda a, b: a @ b.T, dy, w)
        if m >= 64:
            timed(f"GEMM {m}x{k}x{n} dW", lambda a, b: a.T @ b, x, dy)


def starts(program, work, devices, code, env=None):
    """A process of this Python from its start to its end."""
    import subprocess
    import sys
    if wanted(work):
        t = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL, env={**os.environ, **(env or {})})
        put(program, work, devices, 1e3 * (time.perf_counter() - t))
