"""What the makers share: a suite that is being written, drawn numbers, and the versions that answered.

A suite is a folder with cases.json and arrays.npz, as tests/goldens/README.md says. Everything drawn follows from a
seed, so the same seed makes the same goldens with the same versions.
"""

import importlib.metadata
import io
import json
import os
import zipfile

import numpy as np


def versions(*names):
    return ", ".join(f"{n} {importlib.metadata.version(n)}" for n in names)


class Suite:
    """A list of cases and the arrays they name. `many`: how often each function is drawn; `rng` draws."""

    def __init__(self, out, name, seed, many, made):
        self.dir, self.name, self.made = os.path.join(out, name), name, made
        self.cases, self.taken, self.arrays, self.many = [], set(), {}, many
        self.rng = np.random.default_rng([seed, len(name)])
        os.makedirs(self.dir, exist_ok=True)

    def array(self, name, value):
        value = np.asarray(value)
        if value.dtype.name == "bfloat16":
            name, value = name + ".bf16", value.view(np.uint16)
        if value.dtype.name.startswith("key<"):
            raise TypeError("a typed key")
        self.arrays[name] = np.asarray(value, order="C")
        return name

    def case(self, ident, kind, fn, params=None, ins=(), outs=(), tol=None, **more):
        """Arrays are stored under the case's own name; `tol` None: exact where there are arrays."""
        ident, k = f"{ident}", 1
        while ident in self.taken:
            k += 1
            ident = f"{ident.split('~')[0]}~{k}"
        self.taken.add(ident)
        case = {"id": ident, "kind": kind, "fn": fn, "params": params or {}}
        case["in"] = [self.array(f"{ident}.i{i}", x) for i, x in enumerate(ins)]
        case["out"] = [self.array(f"{ident}.o{i}", x) for i, x in enumerate(outs)]
        if outs:
            case["tol"] = tol or {"exact": True}
        if more.get("ref64") is not None:
            more["ref64"] = self.array(f"{ident}.r", more["ref64"])
        case.update({k: v for k, v in more.items() if v is not None})
        case["made"] = self.made
        self.cases.append(case)
        return case

    def text(self, name, text):
        with open(os.path.join(self.dir, name), "w") as f:
            f.write(text)
        return name

    def close(self):
        with open(os.path.join(self.dir, "cases.json"), "w") as f:
            f.write("[\n" + ",\n".join(json.dumps(c) for c in self.cases) + "\n]\n")
        with zipfile.ZipFile(os.path.join(self.dir, "arrays.npz"), "w", zipfile.ZIP_DEFLATED) as z:
            for name, value in self.arrays.items():  # a fixed date: the same arrays make the same file
                data = io.BytesIO()
                np.lib.format.write_array(data, value, allow_pickle=False)
                z.writestr(zipfile.ZipInfo(name + ".npy", (1980, 1, 1, 0, 0, 0)), data.getvalue(), zipfile.ZIP_DEFLATED)
        print(f"{self.name}: {len(self.cases)} cases, {sum(a.nbytes for a in self.arrays.values())} bytes of arrays")

    # ---- drawn numbers ----

    def shape(self, rank=None, most=6, least=1):
        rank = int(self.rng.integers(0, 4)) if rank is None else rank
        return tuple(int(n) for n in self.rng.integers(least, most + 1, rank))

    def floats(self, shape, dtype=np.float32, scale=1.0):
        return np.asarray(self.rng.standard_normal(shape) * scale, dtype)

    def ints(self, shape, dtype=np.int32, low=-100, high=100):
        info = np.iinfo(dtype)
        return self.rng.integers(max(low, info.min), min(high, info.max) + 1, shape).astype(dtype)

    def quarters(self, shape, dtype=np.float32):
        """Multiples of 1/4: sums of them are exact in any order."""
        return (self.rng.integers(-32, 33, shape) / 4).astype(dtype)

    def pick(self, *choices):
        return choices[int(self.rng.integers(0, len(choices)))]
