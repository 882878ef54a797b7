"""Times calls and appends rows (program, work, devices, ms) to the file that TUTTI_ROWS names, as bench/rows.h does."""
import os
import statistics
import time

SECONDS = float(os.environ.get("TUTTI_SECONDS", "1"))       # to spend on one case


def measure(program, work, devices, call, wait=lambda x: None, batch=1):
    """The median of as many calls as SECONDS allow; batch: so many calls to one wait, for what takes microseconds."""
    for _ in range(2):
        wait(call())
    times, end = [], time.perf_counter() + SECONDS
    while len(times) < 3 or (time.perf_counter() < end and len(times) < 10000):
        t = time.perf_counter()
        for _ in range(batch - 1):
            call()
        wait(call())
        times.append(1e3 * (time.perf_counter() - t) / batch)
    with open(os.environ["TUTTI_ROWS"], "a") as rows:
        rows.write(f"{program}\t{work}\t{devices}\t{statistics.median(times):.6g}\n")


class Gpt:
    """The language model of bench/gpt.c: sizes, weights and tokens."""
    batch, time, layers, heads, width, vocab = 8, 128, 4, 4, 256, 256

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
        return dict(words=normal(self.vocab, c), places=normal(self.time, c), layers=layers, g=ones(), b=zeros(c))

    def text(self):
        import numpy as np
        t = np.random.default_rng(1).integers(0, self.vocab, (self.batch, self.time + 1))
        return np.ascontiguousarray(t[:, :-1]), np.ascontiguousarray(t[:, 1:])
