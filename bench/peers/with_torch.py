"""The works of bench/ in PyTorch, on one device, eager and compiled. usage: with_torch.py [compiled]"""
import sys

import torch
import torch.nn.functional as F
from timing import Gpt, measure

COMPILED = sys.argv[1:] == ["compiled"]
torch.manual_seed(0)


def timed(work, call, batch=1):
    measure("torch compiled" if COMPILED else "torch", work, 1, call, batch=batch)


def steps(work, loss, optimizer, *data):
    def step():
        optimizer.zero_grad(set_to_none=True)
        value = loss(*data)
        value.backward()
        optimizer.step()
        return value
    timed(work, torch.compile(step) if COMPILED else step)


def nnx(d=1024, b=8):
    w = [(torch.randn(d, d) / 32).requires_grad_() for _ in range(2)]
    x, y = torch.randn(b, d), torch.randn(b, d)
    steps("W1 nnx x1", lambda x, y: (((x @ w[0]).relu() @ w[1] - y) ** 2).mean(), torch.optim.Adam(w, fused=True), x, y)


def cnn(batch=128, members=8):
    last = dict(memory_format=torch.channels_last)

    def net():
        from torch.nn import AvgPool2d, Conv2d, Flatten, Linear, ReLU, Sequential
        return Sequential(Conv2d(1, 32, 3, padding=1), ReLU(), AvgPool2d(2), Conv2d(32, 64, 3, padding=1), ReLU(),
                          AvgPool2d(2), Flatten(), Linear(3136, 256), ReLU(), Linear(256, 10)).to(**last)
    x = [torch.rand(batch, 1, 28, 28).contiguous(**last) for _ in range(members)]
    y = [torch.randint(0, 10, (batch,)) for _ in range(members)]
    nets = [net() for _ in range(members)]

    def sgd(*of):
        return torch.optim.SGD([p for n in of for p in n.parameters()], lr=0.1, momentum=0.9, fused=True)
    steps("W2 cnn", lambda x, y: F.cross_entropy(nets[0](x), y), sgd(nets[0]), x[0], y[0])
    if not COMPILED:
        steps("W2 ensemble", lambda x, y: sum(F.cross_entropy(n(a), b) for n, a, b in zip(nets, x, y)), sgd(*nets), x, y)


def gpt():
    g = Gpt()

    def leaves(tree):
        if isinstance(tree, dict):
            return {k: leaves(v) for k, v in tree.items()}
        return [leaves(v) for v in tree] if isinstance(tree, list) else torch.tensor(tree, requires_grad=True)
    p = leaves(g.weights())
    flat = [v for k, v in p.items() if k != "layers"] + [v for q in p["layers"] for v in q.values()]

    def loss(x, y):
        h, c = p["words"][x] + p["places"], (g.width,)
        for q in p["layers"]:
            a = F.layer_norm(h, c, q["g1"], q["b1"]) @ q["qkv"] + q["qkvb"]
            heads = (t.unflatten(-1, (g.heads, -1)).transpose(1, 2) for t in a.split(g.width, -1))
            h = h + F.scaled_dot_product_attention(*heads, is_causal=True).transpose(1, 2).flatten(2) @ q["out"] + q["outb"]
            f = F.gelu(F.layer_norm(h, c, q["g2"], q["b2"]) @ q["up"] + q["upb"], approximate="tanh")
            h = h + f @ q["down"] + q["downb"]
        return F.cross_entropy((F.layer_norm(h, c, p["g"], p["b"]) @ p["words"].T).flatten(0, 1), y.flatten())
    steps("W5 gpt", loss, torch.optim.AdamW(flat, lr=3e-4, betas=(0.9, 0.95), weight_decay=0.1, fused=True),
          *(torch.tensor(a) for a in g.text()))


def calls():
    x, many, w, rows = torch.ones(8), [torch.ones(8) for _ in range(100)], torch.ones(8, 8), torch.ones(32, 8)
    leaf = x.clone().requires_grad_()

    def f(x):
        return ((x @ w).tanh() ** 2).sum()
    if COMPILED:
        add, adds = torch.compile(lambda x: x + 1), torch.compile(lambda xs: [x + 1 for x in xs])
        timed("W6 x + 1", lambda: add(x), 100)
        timed("W6 100 arguments", lambda: adds(many))
        return
    timed("W6 x + 1", lambda: x + 1, 100)
    timed("W6 100 arguments", lambda: torch._foreach_add(many, 1))
    timed("W11 normals", lambda: torch.randn(100_000_000))
    timed("W13 x + x", lambda: x + x, 100)
    timed("W13 f", lambda: f(x))
    timed("W13 grad of f", lambda: torch.autograd.grad(f(leaf), leaf))
    mapped = torch.func.vmap(torch.func.grad(f))
    timed("W13 vmap of grad of f", lambda: mapped(rows))


for works in nnx, cnn, gpt, calls:
    works()
