"""The language model of bench/gpt.c and bench/train.c in PyTorch, of timing.Gpt's sizes and weights."""
import torch
import torch.nn.functional as F


def language(g):
    """loss(x, y), and its optimizer."""
    def leaves(tree):
        if isinstance(tree, dict):
            return {k: leaves(v) for k, v in tree.items()}
        return [leaves(v) for v in tree] if isinstance(tree, list) else torch.tensor(tree, requires_grad=True)
    p = leaves(g.weights())
    flat = [v for k, v in p.items() if k != "layers"] + [v for q in p["layers"] for v in q.values()]

    def loss(x, y):
        h, c = p["words"][x] + p["places"][:g.time], (g.width,)
        for q in p["layers"]:
            a = F.layer_norm(h, c, q["g1"], q["b1"]) @ q["qkv"] + q["qkvb"]
            heads = (t.unflatten(-1, (g.heads, -1)).transpose(1, 2) for t in a.split(g.width, -1))
            h = h + F.scaled_dot_product_attention(*heads, is_causal=True).transpose(1, 2).flatten(2) @ q["out"] + q["outb"]
            f = F.gelu(F.layer_norm(h, c, q["g2"], q["b2"]) @ q["up"] + q["upb"], approximate="tanh")
            h = h + f @ q["down"] + q["downb"]
        return F.cross_entropy((F.layer_norm(h, c, p["g"], p["b"]) @ p["words"].T).float().flatten(0, 1), y.flatten())
    return loss, torch.optim.AdamW(flat, lr=3e-4, betas=(0.9, 0.95), weight_decay=0.1, fused=True)
