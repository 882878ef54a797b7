#!/usr/bin/env python3
"""Reads what `metrics_files --for-tensorboard FOLDER` wrote, with TensorBoard's own reader, tbparse and pandas.

usage: metrics.py FOLDER"""
import glob, math, os, struct, sys, zlib

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import pandas
import tbparse
from tensorboard.backend.event_processing import event_accumulator

folder = sys.argv[1]
passed = failed = 0


def check(good, what):
    global passed, failed
    passed += bool(good)
    failed += not good
    if not good:
        print("FAIL metrics:", what)


def pixels(png):
    """The pixels of a PNG whose rows are not filtered, by its chunks and their checksums."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    at, data = 8, b""
    while at < len(png):
        n, kind = struct.unpack(">I4s", png[at:at + 8])
        body, crc = png[at + 8:at + 8 + n], struct.unpack(">I", png[at + 8 + n:at + 12 + n])[0]
        assert zlib.crc32(kind + body) == crc
        if kind == b"IHDR":
            w, h, depth, color = struct.unpack(">IIBB", body[:10])
        if kind == b"IDAT":
            data += body
        at += 12 + n
    c = {0: 1, 2: 3, 6: 4}[color]
    rows = np.frombuffer(zlib.decompress(data), np.uint8).reshape(h, 1 + w * c)
    assert depth == 8 and not rows[:, 0].any()
    return rows[:, 1:].reshape(h, w, c)


acc = event_accumulator.EventAccumulator(folder, size_guidance={k: 0 for k in event_accumulator.DEFAULT_SIZE_GUIDANCE})
acc.Reload()
tags = acc.Tags()
check(sorted(tags["scalars"]) == ["loss", "test/accuracy", "weights/not_finite"], tags["scalars"])
loss = [(e.step, e.value) for e in acc.Scalars("loss")]
want = [(i, float(np.float32(1 / (i + 1)))) for i in range(4)] + [(4, -1.0)]
check(loss == want, f"loss {loss}: step 4 of the first run is purged")
check([e.value for e in acc.Scalars("test/accuracy")] == [0, 0.125, 0.25, 0.375], "test/accuracy, purged too")
x = (np.arange(1000) * 7919 % 1000).astype(np.float32) / np.float32(250) - np.float32(1)
x = x[1:].astype(np.float64)                             # the first one is NaN
count, edge = np.histogram(x, bins=30)
check(tags["histograms"] == ["weights"] or "weights" in tags["histograms"], tags["histograms"])
h = acc.Histograms("weights")[0].histogram_value
check(h.num == 999 and h.min == x.min() and h.max == x.max(), f"{h.num} values from {h.min} to {h.max}")
check(math.isclose(h.sum, x.sum()) and math.isclose(h.sum_squares, (x * x).sum()), "sums")
check(list(h.bucket)[1:] == list(count) and h.bucket[0] == 0, "counts as numpy.histogram's")
check(list(h.bucket_limit) == list(edge), "edges as numpy.histogram's")
check(sorted(tags["images"]) == ["color", "grey/0", "grey/1"], tags["images"])
color = acc.Images("color")[0]
picture = np.minimum(np.arange(18) / 16, 1).reshape(2, 3, 3)
check((color.height, color.width) == (2, 3) and (pixels(color.encoded_image_string) == np.floor(255 * picture + 0.5)).all(), "color")
grey = pixels(acc.Images("grey/1")[0].encoded_image_string)
check((grey == (np.arange(20, 40) * 6).astype(np.uint8).reshape(4, 5, 1)).all(), "grey/1")
text = acc.Tensors("note")[0].tensor_proto.string_val[0].decode()
check(text == "**bold** \u00fc", text)

table = tbparse.SummaryReader(folder).scalars
got = sorted((int(s), float(v)) for s, v, t in zip(table["step"], table["value"], table["tag"]) if t == "loss")
check(all(w in got for w in want), f"tbparse: {got}")
lines = pandas.read_json(os.path.join(folder, "metrics.jsonl"), lines=True)
check([lines["loss"][i] for i in (0, 1, 3, 4)] == [1, 0.5, 0.25, 0.2], "pandas: json lines")
check(np.float32(lines["loss"][2]) == np.float32(1 / 3), "pandas: a third")
table = pandas.read_csv(os.path.join(folder, "metrics.csv"))
check(list(table.columns) == ["step", "wall_time", "loss", "test/accuracy"] and list(table["step"]) == [0, 1, 2, 3, 4], "pandas: csv")
check(len(glob.glob(os.path.join(folder, "events.out.tfevents.*"))) == 2, "a file for each writer")
print(f"{passed} passed, {failed} failed, 0 skipped")
sys.exit(failed > 0)
