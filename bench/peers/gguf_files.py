"""Writes DIR/bf16.gguf, q8_0.gguf, q4_0.gguf: one model of random weights, of llama's architecture and GPT-2's size.

usage: gguf_files.py DIR [LAYERS FEATURES HIDDEN VOCAB HEADS]. Needs the packages gguf, numpy, ml_dtypes.
"""

import os
import sys

import gguf
import ml_dtypes
import numpy as np
from gguf import GGMLQuantizationType as T

LAYERS, FEATURES, HIDDEN, VOCAB, HEADS = map(int, sys.argv[2:7]) if len(sys.argv) > 2 else (12, 768, 2048, 32000, 12)


def weights():
    rng = np.random.default_rng(0)
    shapes = {"token_embd": (VOCAB, FEATURES), "output": (VOCAB, FEATURES)}
    for i in range(LAYERS):
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            shapes[f"blk.{i}.{name}"] = (FEATURES, FEATURES)
        shapes[f"blk.{i}.ffn_gate"] = shapes[f"blk.{i}.ffn_up"] = (HIDDEN, FEATURES)
        shapes[f"blk.{i}.ffn_down"] = (FEATURES, HIDDEN)
    for name, shape in shapes.items():
        yield name + ".weight", (rng.standard_normal(shape, np.float32) * 0.02)


def written(path, kind):
    w = gguf.GGUFWriter(path, "llama")
    w.add_block_count(LAYERS)
    w.add_embedding_length(FEATURES)
    w.add_feed_forward_length(HIDDEN)
    w.add_head_count(HEADS)
    w.add_head_count_kv(HEADS)
    w.add_context_length(1024)
    w.add_layer_norm_rms_eps(1e-5)
    w.add_rope_dimension_count(FEATURES // HEADS)
    w.add_vocab_size(VOCAB)
    w.add_tokenizer_model("llama")
    pieces = ["<unk>", "<s>", "</s>"] + [f"<0x{i:02X}>" for i in range(256)] + [f"w{i}" for i in range(VOCAB - 259)]
    w.add_token_list(pieces)
    w.add_token_scores([0.0] * 259 + [-float(i) for i in range(VOCAB - 259)])
    w.add_token_types([2, 3, 3] + [6] * 256 + [1] * (VOCAB - 259))
    w.add_bos_token_id(1)
    w.add_eos_token_id(2)
    for name, x in weights():
        if kind == T.BF16:
            w.add_tensor(name, x.astype(ml_dtypes.bfloat16).view(np.uint8), raw_dtype=T.BF16)
        else:
            w.add_tensor(name, gguf.quants.quantize(x, kind), raw_dtype=kind)
    for i in range(LAYERS):
        for name in ("attn_norm", "ffn_norm"):
            w.add_tensor(f"blk.{i}.{name}.weight", np.ones(FEATURES, np.float32))
    w.add_tensor("output_norm.weight", np.ones(FEATURES, np.float32))
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


os.makedirs(sys.argv[1], exist_ok=True)
for name, kind in (("bf16", T.BF16), ("q8_0", T.Q8_0), ("q4_0", T.Q4_0)):
    written(os.path.join(sys.argv[1], name + ".gguf"), kind)
