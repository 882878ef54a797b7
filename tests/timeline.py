#!/usr/bin/env python3
"""Checks files of TUTTI=time:FILE, alone or joined as one: the trace event format, names of lanes, slices that do not overlap.

usage: timeline.py FILE... WORKERS DEVICES STEPS     how many lanes, and slices of the loop's iterations, each file has"""
import json, sys

*files, workers, devices, steps = sys.argv[1:]
joined = []
for file in files:
    joined += json.load(open(file))["traceEvents"]
names, lanes = {}, {}
for e in joined:
    assert e["ph"] in "MX" and isinstance(e["pid"], int) and isinstance(e["tid"], int), e
    if e["ph"] == "M":
        if e["name"].endswith("_name"):
            key = (e["pid"], None if e["name"] == "process_name" else e["tid"])
            assert key not in names, ("two of one name, or one number twice", e)
            names[key] = e["args"]["name"]
    else:
        assert e["dur"] >= 0 and e["name"] and "line" in e["args"], e
        lanes.setdefault((e["pid"], e["tid"]), []).append((e["ts"], e["ts"] + e["dur"], e["name"], e["args"]["line"]))
for key, slices in lanes.items():
    assert key in names and (key[0], None) in names, ("a lane without a name", key)
    slices.sort()
    for a, b in zip(slices, slices[1:]):
        assert a[1] <= b[0], ("slices of a lane overlap", names[key], a, b)
of = lambda word: [n for (pid, tid), n in names.items() if tid is not None and n.startswith(word)]
assert len(of("worker ")) == int(workers) * len(files), names
assert len(of("device ")) == int(devices) * len(files), names
marks = [s for key, v in lanes.items() if names[key] == "steps" for s in v]
assert len(marks) == int(steps) * len(files), marks
assert all(".c:" in m[3] for m in marks), marks
if len(files) > 1:
    processes = [n for (pid, tid), n in names.items() if tid is None]
    assert len(set(processes)) == len(processes) and all(n.startswith("rank ") for n in processes), processes
print("a good timeline")
