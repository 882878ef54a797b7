"""Suite `gguf`: files that the package gguf writes, with tensors of every type that is read; and damaged ones."""

import os

import gguf
import numpy as np
from gguf import GGMLQuantizationType as T

from golden import Suite, versions

PLAIN = {"F32": np.float32, "F16": np.float16, "F64": np.float64, "I8": np.int8, "I16": np.int16, "I32": np.int32,
         "I64": np.int64}  # fmt: skip
BLOCKS = ["Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0"]
SCALES = {"Q4_K": [0, 2], "Q5_K": [0, 2], "Q6_K": [208]}  # where the f16 numbers of a block are


def suite(out, seed, many):
    return Suite(out, "gguf", seed, many, versions("gguf", "numpy"))


def tensors(s):
    """Name, bytes or array to write, type, expected array."""
    for name, dtype in PLAIN.items():
        v = s.floats(s.shape(2, 5)) * 9
        v = v.astype(dtype)
        yield "plain." + name, v, None, v
    bits = s.rng.integers(0, 0x7F80, (3, 4)).astype(np.uint16)
    import ml_dtypes

    yield "plain.BF16", bits.view(np.uint8), T.BF16, bits.view(ml_dtypes.bfloat16)
    for name in BLOCKS:
        q = gguf.quants.quantize(s.floats((s.rng.integers(1, 4), 32 * s.rng.integers(1, 4)), scale=3), T[name])
        yield "blk.0." + name, q, T[name], gguf.quants.dequantize(q, T[name])
    for name, places in SCALES.items():
        size = gguf.GGML_QUANT_SIZES[T[name]][1]
        q = s.rng.integers(0, 256, (2, 2, size)).astype(np.uint8)
        for at in places:
            q[..., at : at + 2] = s.floats((2, 2, 1), np.float16, 0.01).view(np.uint8)
        q = q.reshape(2, -1)
        yield "blk.1." + name, q, T[name], gguf.quants.dequantize(q, T[name])


def written(s, name, keys, align=None):
    path = os.path.join(s.dir, name)
    w = gguf.GGUFWriter(path, "llama")
    if align:
        w.add_custom_alignment(align)
    meta = {"general.architecture": "llama"}
    if align:
        meta["general.alignment"] = align
    for key, (add, value) in keys.items():
        getattr(w, add)(key, value)
        meta[key] = value
    names, values = [], []
    for key, data, kind, expected in tensors(s):
        w.add_tensor(key, data, raw_dtype=kind)
        names.append([key])
        values.append(expected)
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()
    s.case(name, "checkpoint", "restore", {"path": name, "format": "gguf", "leaves": names, "metadata": meta}, [], values)
    return path


def refused(s, ident, data, error):
    with open(os.path.join(s.dir, ident + ".gguf"), "wb") as f:
        f.write(data)
    s.case("bad." + ident, "checkpoint", "restore", {"path": ident + ".gguf", "format": "gguf"}, error=error)


def fill(s):
    keys = {
        "llama.context_length": ("add_uint32", 4096),
        "a.negative": ("add_int16", -7),
        "a.float": ("add_float32", 0.5),
        "a.double": ("add_float64", 1e-300),
        "a.bool": ("add_bool", True),
        "a.large": ("add_uint64", 2**62),
        "a.list": ("add_array", [1, 2, 3]),
        "tokenizer.ggml.tokens": ("add_array", ["<s>", "▁a", "é"]),
        "general.name": ("add_string", "a test"),
    }
    path = written(s, "all.gguf", keys)
    for i in range(s.many):
        written(s, f"aligned{i}.gguf", {"a.float": ("add_float32", 2.0)}, 64)
    with open(path, "rb") as f:
        data = f.read()
    refused(s, "cut", data[:-40], "a tensor cut off")
    refused(s, "version", data[:4] + b"\x09\0\0\0" + data[8:], "GGUF of another version")
    refused(s, "header", data[:60], "a header cut off")
