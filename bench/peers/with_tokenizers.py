"""Megabytes a second of the library `tokenizers`, text to ids: with_tokenizers.py FILE TEXT [ROUNDS]."""

import os
import sys
import time

os.environ["RAYON_NUM_THREADS"] = "1"
from tokenizers import Tokenizer  # noqa: E402

began = time.process_time()
t = Tokenizer.from_file(sys.argv[1])
opened = time.process_time() - began
text = open(sys.argv[2], encoding="utf-8", errors="replace", newline="").read()
best = 1e9
for _ in range(int(sys.argv[3]) if len(sys.argv) > 3 else 5):
    began = time.process_time()
    ids = t.encode(text).ids
    best = min(best, time.process_time() - began)
size = os.path.getsize(sys.argv[2])
print(f"opened in {1e3 * opened:.1f} ms; {size} bytes, {len(ids)} ids: {size / 1e6 / best:.1f} MB/s")
