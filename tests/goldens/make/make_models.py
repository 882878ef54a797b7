"""Suite `models`: small language models of the families that hubs publish, and what `transformers` makes of them: the logits
of a prompt's last two positions, and 200 ids in greedy succession, in each type.

Weights follow from their names by the rule of `weight`, with which tests/model/folder.h writes the same files; they are exact
in bfloat16 and float16. Where two logits are nearly equal, which one is larger depends on the order of sums. So ids depend most
on the id before them (large embeddings, the last norm of either sign), which makes them periodic; salt and prompt are those, of
some that are tried, with which the largest logit is ahead of the next one by most at its closest. The maker's own environment
has transformers and torch.
"""

import json
import os
import shutil
import tempfile

import numpy as np
import torch
import transformers
from safetensors.numpy import load_file
from safetensors.torch import save_file

from golden import Suite, versions

NEW, PROMPT, VOCAB = 200, 12, 256
SMALL = dict(vocab_size=VOCAB, hidden_size=64, intermediate_size=96, num_hidden_layers=2, num_attention_heads=4,
             num_key_value_heads=2, max_position_embeddings=512, bos_token_id=None, eos_token_id=None, pad_token_id=None)  # fmt: skip
LLAMA3 = dict(rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, rope_theta=10000.0,
              original_max_position_embeddings=64)  # fmt: skip


def families():
    t = transformers
    yield t.LlamaConfig(**SMALL, rope_parameters=LLAMA3)
    yield t.GPT2Config(n_embd=64, n_layer=2, n_head=4, n_positions=512, vocab_size=VOCAB, bos_token_id=None, eos_token_id=None)
    yield t.MistralConfig(**SMALL, sliding_window=8)
    yield t.Qwen3Config(**SMALL, head_dim=24)
    yield t.Gemma3TextConfig(**SMALL, head_dim=24, query_pre_attn_scalar=20, sliding_window=8,
                             layer_types=["sliding_attention", "full_attention"])  # fmt: skip
    yield t.MixtralConfig(**SMALL, num_local_experts=4, num_experts_per_tok=2)
    yield t.ArceeConfig(**SMALL, tie_word_embeddings=True)


def suite(out, seed, many):
    return Suite(out, "models", seed, many, versions("transformers", "torch"))


def weight(name, dims, gemma, salt):
    """The weight of that name: hashes of the name with the salt (FNV-1a) and the place (SplitMix64), 8 bits of them."""
    h = 0xCBF29CE484222325
    for b in f"{name}#{salt}".encode():
        h = ((h ^ b) * 0x100000001B3) % 2**64
    with np.errstate(over="ignore"):
        z = np.uint64(h) + np.arange(1, int(np.prod(dims)) + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z = z ^ (z >> np.uint64(31))
    k = (z >> np.uint64(56)).astype(np.int64) - 128
    if len(dims) > 1:
        table = name.endswith(("embed_tokens.weight", "wte.weight"))
        x = k / (4096 if name.endswith("wpe.weight") else 512 if not table else 64 if gemma else 32)
    elif name.endswith("bias"):
        x = k / 1024
    elif name.endswith(("model.norm.weight", "ln_f.weight")):
        x = k / 64 - (1 if gemma else 0)
    else:
        x = (k >> 3) / 128 + (0 if gemma else 1)
    return x.astype(np.float32).reshape(dims)


def folder(config, at, salt):
    """A folder of the config and weights in float32; the names and dims of its tensors."""
    model = transformers.AutoModelForCausalLM.from_config(config)
    model.save_pretrained(at)
    file = os.path.join(at, "model.safetensors")
    dims = {k: list(v.shape) for k, v in load_file(file).items()}
    gemma = config.model_type == "gemma3_text"
    save_file({k: torch.from_numpy(weight(k, d, gemma, salt)) for k, d in dims.items()}, file, metadata={"format": "pt"})
    return dims


def greedy(model, prompts):
    """The new ids [prompts, NEW] and by how much each was ahead, at its closest."""
    out = model.generate(prompts, attention_mask=torch.ones_like(prompts), do_sample=False, max_new_tokens=NEW, pad_token_id=0,
                         return_dict_in_generate=True, output_logits=True)  # fmt: skip
    logits = torch.stack(out.logits, 1).float()
    top = logits.topk(2, -1).values
    return out.sequences[:, prompts.shape[1] :], ((top[..., 0] - top[..., 1]).amin(1) / logits.abs().amax((1, 2)))


def opened(at, dtype):
    return transformers.AutoModelForCausalLM.from_pretrained(at, dtype=dtype).eval()


def best(config, prompts, salts):
    """The salt and the prompt with which the largest logit is ahead by most."""
    found = (-1.0, 0, None)
    for salt in range(salts):
        at = tempfile.mkdtemp()
        folder(config, at, salt)
        ahead = greedy(opened(at, torch.float32), prompts)[1]
        shutil.rmtree(at)
        found = max(found, (float(ahead.max()), salt, int(ahead.argmax())))
    return found[1], prompts[found[2]][None]


def family(s, config):
    name, at = config.model_type, tempfile.mkdtemp()
    with torch.no_grad():
        salt, prompt = best(config, torch.from_numpy(s.rng.integers(0, VOCAB, (12, PROMPT))), 6 * s.many)
        dims = folder(config, at, salt)
        for dtype, short in (torch.float32, "f32"), (torch.bfloat16, "bf16"), (torch.float16, "f16"):
            model = opened(at, dtype)
            logits = model(prompt).logits[0, -2:].float().numpy()
            ids, near = greedy(model, prompt)
            wide = json.load(open(os.path.join(at, "config.json")))
            wide["dtype"] = str(dtype).split(".")[1]
            most = float(np.abs(logits).max())
            tol = {"f32": 2e-5, "bf16": 2e-2, "f16": 4e-3}[short] * most
            print(f"{name} {short}: salt {salt}, logits to {most:.3g}, ahead by {float(near):.3g} of them at the closest", flush=True)
            s.case(f"{name}/{short}", "model", name, {"dtype": short, "config": wide, "tensors": dims, "salt": salt, "new": NEW},
                   [prompt[0].numpy().astype(np.int32)], [logits, ids[0].numpy().astype(np.int32)],
                   [{"rtol": 0, "atol": tol}, {"exact": True}])  # fmt: skip
    shutil.rmtree(at)


def fill(s):
    torch.manual_seed(0)
    torch.set_num_threads(1)
    for config in families():
        family(s, config)
