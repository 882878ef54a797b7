"""llama.cpp on what bench/decode.c measures: usage: with_llama.py ROUNDS FILE.gguf ... (package llama-cpp-python)."""

import os
import statistics
import sys
import time

from llama_cpp import Llama

NEW, PROMPT = 64, 512


def measured(m):
    m.reset()
    m.eval([5 + i for i in range(8)])
    began = time.monotonic()
    for i in range(NEW):
        m.eval([6 + i])
    speed = NEW / (time.monotonic() - began)
    m.reset()
    began = time.monotonic()
    m.eval([5 + i for i in range(PROMPT)])
    return speed, PROMPT / (time.monotonic() - began)


def loaded(path):
    n = os.cpu_count()
    return Llama(path, n_ctx=1024, n_batch=512, n_threads=n, n_threads_batch=n, verbose=False)


rounds, files = int(sys.argv[1]), sys.argv[2:]
models = {f: loaded(f) for f in files}
found = {f: [] for f in files}
for m in models.values():
    measured(m)
for _ in range(rounds):
    for f, m in models.items():
        found[f].append(measured(m))
print(f"{'file':28s} {'ids/s':>10s} {'prompt ids/s':>12s}")
for f in files:
    speed, prompt = (statistics.median(x) for x in zip(*found[f]))
    name = os.path.basename(f)
    print(f"{name:28s} {speed:10.1f} {prompt:12.0f}")
    if os.environ.get("TUTTI_ROWS"):
        with open(os.environ["TUTTI_ROWS"], "a") as rows:
            rows.write(f"llama.cpp\tdecode {name}\t1\t{speed:.6g}\tids/s\n")
            rows.write(f"llama.cpp\tprompt of 512 {name}\t1\t{prompt:.6g}\tids/s\n")
