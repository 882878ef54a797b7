"""examples/gpt.c in PyTorch: from the same weights, on the same batches, with the same optimizer, it has the same losses.

    gpt --dtype f32 --rate 0 --warmup 0 --steps 1 --eval 0 --sample 0 --hub first       the weights that it begins with
    gpt --dtype f32 --steps 100 --warmup 20 --losses losses.npy ...
    python gpt_twin.py first losses.npy tinyshakespeare.txt --steps 100 --warmup 20 ...

Prints the largest distance of two losses, in the size of one; the status is 1 if it is above --most."""
import argparse
import gzip
import json
import math
import os
import struct

import numpy as np
import torch
import torch.nn.functional as F


def options():
    a = argparse.ArgumentParser()
    a.add_argument("folder")
    a.add_argument("losses")
    a.add_argument("text")
    for name, usual in dict(steps=2000, warmup=100, batch=12, accumulate=1, block=64, seed=1337, rate=1e-3, decay=0.1, clip=1.0,
                            most=1e-5).items():
        a.add_argument(f"--{name}", type=type(usual), default=usual)
    return a.parse_args()


# ---- the batches: JAX's generator of random numbers (Threefry, Salmon and others, 2011), whose bits Tutti has ----

def threefry(key, x, y):
    """Two words for each counter (x, y)."""
    x, y = np.asarray(x, np.uint32), np.asarray(y, np.uint32)
    ks = [np.uint32(key[0]), np.uint32(key[1]), np.uint32(key[0]) ^ np.uint32(key[1]) ^ np.uint32(0x1BD11BDA)]
    with np.errstate(over="ignore"):
        x, y = x + ks[0], y + ks[1]
        for i in range(5):
            for by in ((13, 15, 26, 6), (17, 29, 16, 24))[i % 2]:
                x = x + y
                y = (y << np.uint32(by) | y >> np.uint32(32 - by)) ^ x
            x, y = x + ks[(i + 1) % 3], y + ks[(i + 2) % 3] + np.uint32(i + 1)
    return x, y


def fold_in(key, data):
    return tuple(int(w) for w in threefry(key, 0, data))


def randint(key, high, n):
    """n integers of [0, high)."""
    words = threefry(key, np.zeros(2), np.arange(2))
    bits = []
    for i in range(2):
        a, b = threefry((words[0][i], words[1][i]), np.zeros(n), np.arange(n))
        bits.append((a ^ b).astype(np.uint64))
    by = (2 ** 16 % high) ** 2 % 2 ** 32 % high                 # as in JAX, in 32 bits
    return ((bits[0] % high * by % 2 ** 32 + bits[1] % high) % 2 ** 32 % high).astype(np.int64)


def batches(o):
    with (gzip.open if o.text.endswith(".gz") else open)(o.text, "rb") as f:
        text = np.frombuffer(f.read(), np.uint8)
    text = text[:len(text) * 9 // 10]
    for step in range(o.steps):
        key = fold_in(fold_in((0, o.seed), step), 0)
        first = randint(key, len(text) - o.block - 1, o.batch * o.accumulate)
        yield torch.from_numpy(text[first[:, None] + np.arange(o.block + 1)].astype(np.int64))


# ---- the model ----

def weights(folder):
    with open(os.path.join(folder, "model.safetensors"), "rb") as f:
        header = json.loads(f.read(struct.unpack("<Q", f.read(8))[0]))
        rest = f.read()
    p = {}
    for name, t in header.items():
        if name != "__metadata__":
            a, b = t["data_offsets"]
            p[name] = torch.tensor(np.frombuffer(rest[a:b], np.float32).reshape(t["shape"]), requires_grad=True)
    return p


def rotated(x):
    depth = x.shape[-1]
    angle = torch.arange(x.shape[-2])[:, None] * 10000.0 ** (-torch.arange(0, depth, 2) / depth)
    cos, sin = angle.cos().repeat(1, 2), angle.sin().repeat(1, 2)
    a, b = x.chunk(2, -1)
    return x * cos + torch.cat((-b, a), -1) * sin


def loss(p, c, rows):
    def norm(x, name):
        return F.rms_norm(x, x.shape[-1:], p[name], 1e-6)

    x, y = rows[:, :-1], rows[:, 1:]
    h = p["model.embed_tokens.weight"][x]
    for i in range(c["num_hidden_layers"]):
        at = f"model.layers.{i}."
        a = norm(h, at + "input_layernorm.weight")
        q, k, v = (F.linear(a, p[f"{at}self_attn.{n}_proj.weight"]).unflatten(-1, (c["num_attention_heads"], -1)).transpose(1, 2)
                   for n in "qkv")
        a = F.scaled_dot_product_attention(rotated(q), rotated(k), v, is_causal=True).transpose(1, 2).flatten(2)
        h = h + F.linear(a, p[at + "self_attn.o_proj.weight"])
        a = F.linear(norm(h, at + "post_attention_layernorm.weight"), p[at + "mlp.up_proj.weight"])
        h = h + F.linear(F.gelu(a, approximate="tanh"), p[at + "mlp.down_proj.weight"])
    logits = F.linear(norm(h, "model.norm.weight"), p["model.embed_tokens.weight"])
    return F.cross_entropy(logits.flatten(0, 1), y.flatten())


def rate(o, step):
    """From 0 in a line to the rate, then along a cosine to a tenth of it."""
    if step < o.warmup:
        return o.rate * step / o.warmup
    part = min(step - o.warmup, o.steps - o.warmup) / (o.steps - o.warmup)
    return o.rate * (0.9 * (1 + math.cos(math.pi * part)) / 2 + 0.1)


def main():
    o = options()
    torch.set_num_threads(1)
    p, c = weights(o.folder), json.load(open(os.path.join(o.folder, "config.json")))
    opt = torch.optim.AdamW([{"params": [v for v in p.values() if v.dim() > 1], "weight_decay": o.decay},
                             {"params": [v for v in p.values() if v.dim() < 2], "weight_decay": 0.0}], betas=(0.9, 0.99), eps=1e-8)
    theirs, far = np.load(o.losses)[:o.steps], []
    for step, rows in enumerate(batches(o)):
        opt.zero_grad()
        parts = [loss(p, c, part) for part in rows.chunk(o.accumulate)]
        one = sum(parts) / len(parts)
        one.backward()
        size = torch.sqrt(sum((v.grad ** 2).sum() for v in p.values()))
        for v in p.values():
            v.grad *= o.clip / max(float(size), o.clip)
        for group in opt.param_groups:
            group["lr"] = rate(o, step)
        opt.step()
        far.append(abs(one.item() - theirs[step]) / one.item())
    print(f"{o.steps} losses, {theirs[0]:.5f} to {theirs[-1]:.5f}: at most {max(far):.2g} of one apart, at the first step {far[0]:.2g}")
    return len(far) != o.steps or not max(far) <= o.most


if __name__ == "__main__":
    raise SystemExit(main())
