"""GPT-2 (124M) in training as bench/train.c has it, in PyTorch (compiled, bf16 by autocast) or JAX (bf16: weights are cast).
usage: train_gpt2.py torch|jax f32|bf16 STEPS BATCH TIME [LAYERS]"""
import os
import resource
import sys
import time

from timing import Gpt, put

WHO, TYPE, STEPS = sys.argv[1], sys.argv[2], int(sys.argv[3])
DEVICE = os.environ.get("BENCH_DEVICE", "cpu")
os.environ["JAX_PLATFORMS"] = DEVICE
g = Gpt(big=True)
g.batch, g.time = int(sys.argv[4]), int(sys.argv[5])
g.layers = int(sys.argv[6]) if len(sys.argv) > 6 else g.layers


def of_torch():
    import torch
    from gpt_torch import language
    torch.set_default_device(DEVICE)
    if DEVICE == "cuda":
        torch.set_float32_matmul_precision("high")          # TF32, as XLA's products by default
    loss, opt = language(g)
    x, y = (torch.tensor(a) for a in g.text())
    compiled = torch.compile(loss)

    def step():
        opt.zero_grad(set_to_none=True)
        with torch.autocast(DEVICE, torch.bfloat16, enabled=TYPE == "bf16"):
            value = compiled(x, y)
        value.backward()
        opt.step()
        return value.item()
    return step


def of_jax():
    import jax
    import jax.numpy as jnp
    import optax
    dtype = jnp.bfloat16 if TYPE == "bf16" else jnp.float32
    tx = optax.adamw(3e-4, b2=0.95, weight_decay=0.1)
    x, y = g.text()

    def norm(h, a, b):
        h = h.astype(jnp.float32)
        m = h.mean(-1, keepdims=True)
        v = jnp.mean((h - m) ** 2, -1, keepdims=True)
        return ((h - m) * jax.lax.rsqrt(v + 1e-5) * a + b).astype(dtype)

    def loss(p, x, y):
        words = p["words"].astype(dtype)
        h = words[x] + p["places"][:g.time].astype(dtype)
        for q in p["layers"]:
            w = {k: v.astype(dtype) for k, v in q.items()}
            a = norm(h, q["g1"], q["b1"]) @ w["qkv"] + w["qkvb"]
            a = a.reshape(g.batch, g.time, 3, g.heads, g.width // g.heads)
            a = jax.nn.dot_product_attention(a[:, :, 0], a[:, :, 1], a[:, :, 2], is_causal=True)
            h = h + a.reshape(g.batch, g.time, g.width) @ w["out"] + w["outb"]
            h = h + jax.nn.gelu(norm(h, q["g2"], q["b2"]) @ w["up"] + w["upb"]) @ w["down"] + w["downb"]
        logits = (norm(h, p["g"], p["b"]) @ words.T).astype(jnp.float32)
        return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()

    def update(state, x, y):
        p, opt = state
        value, grads = jax.value_and_grad(loss)(p, x, y)
        changes, opt = tx.update(grads, opt, p)
        return (optax.apply_updates(p, changes), opt), value
    p = jax.tree.map(jnp.asarray, g.weights())
    box, f = [(p, jax.jit(tx.init)(p))], jax.jit(update, donate_argnums=0)

    def step():
        box[0], value = f(box[0], x, y)
        return float(value)
    return step


step = {"torch": of_torch, "jax": of_jax}[WHO]()
for _ in range(2):                                          # the first one compiles
    step()
wall, cpu = time.perf_counter(), time.process_time()
for _ in range(STEPS):
    last = step()
wall, cpu = (time.perf_counter() - wall) / STEPS, (time.process_time() - cpu) / STEPS
mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(f"{WHO} {TYPE}: {1e3 * wall:.0f} ms a step, {1e3 * cpu:.0f} of the processor, {g.batch * g.time / wall:.1f} tokens a second, "
      f"{mib:.0f} MiB, loss {last:.4f}")
rows = [("", 1e3 * wall, "ms"), ("processor of ", 1e3 * cpu, "ms"), ("memory of ", mib, "MiB")]
for work, number, unit in rows if DEVICE == "cpu" else rows[:1]:    # the process's, not the device's
    put("torch compiled" if WHO == "torch" else WHO, f"{work}W14 train gpt2 {TYPE}", 1, number, unit)
