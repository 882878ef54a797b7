"""The works of bench/ in PyTorch, on one device, eager and compiled. usage: with_torch.py [compiled]"""
import os
import sys

import torch
import torch.nn.functional as F
import timing
from gpt_torch import language
from timing import Gpt, measure, wanted, wanted_of

COMPILED = sys.argv[1:] == ["compiled"]
WHO = "torch compiled" if COMPILED else "torch"
DEVICE = os.environ.get("BENCH_DEVICE", "cpu")
torch.set_default_device(DEVICE)
if DEVICE == "cuda":
    torch.set_float32_matmul_precision("high")              # TF32, as XLA's products by default
torch.manual_seed(0)


def timed(work, call, batch=1):
    if wanted(work):
        return measure(WHO, work, 1, call, lambda _: DEVICE == "cuda" and torch.cuda.synchronize(), batch=batch)


def steps(work, loss, optimizer, *data):
    def step():
        optimizer.zero_grad(set_to_none=True)
        value = loss(*data)
        value.backward()
        optimizer.step()
        return value
    times = timed(work, torch.compile(step) if COMPILED else step)
    if times:
        timing.put(WHO, f"first call of {work}", 1, max(0, 1e3 * times[0] - times[1]))


def nnx(d=1024, b=8):
    x, y = torch.randn(b, d), torch.randn(b, d)
    for work, n in ("W1 nnx x1", 1), ("W1 nnx x4", 4):
        w = [(torch.randn(d, d) / 32).requires_grad_() for _ in range(2 * n)]

        def loss(x, y, w=w):
            for a, b in zip(w[::2], w[1::2]):
                x = (x @ a).relu() @ b
            return ((x - y) ** 2).mean()
        steps(work, loss, torch.optim.Adam(w, fused=True), x, y)


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


def keras(batch=64):
    from torch.nn import AdaptiveAvgPool2d, BatchNorm2d, Conv2d, Flatten, Linear, ReLU, Sequential
    last = dict(memory_format=torch.channels_last)

    def norm(c):                                             # without a scale, on moving statistics
        n = BatchNorm2d(c, eps=1e-3).eval()
        n.weight.requires_grad_(False)
        return n
    net = Sequential(Conv2d(1, 12, 3, padding=1, bias=False), norm(12), ReLU(), Conv2d(12, 24, 6, stride=2, bias=False), norm(24),
                     ReLU(), Conv2d(24, 32, 6, stride=2, padding=2), norm(32), ReLU(), AdaptiveAvgPool2d(1), Flatten(),
                     Linear(32, 256), ReLU(), Linear(256, 10)).to(**last)
    x, y = torch.randint(0, 256, (batch, 1, 28, 28)).float().contiguous(**last), torch.randint(0, 10, (batch,))
    steps("W3 keras cnn", lambda x, y: F.cross_entropy(net(x / 255), y),
          torch.optim.Adam([p for p in net.parameters() if p.requires_grad], lr=1e-3, fused=True), x, y)


def classifier(batch=128, minibatches=4):
    x, y = torch.randn(batch, 784).chunk(minibatches), torch.randint(0, 10, (batch,)).chunk(minibatches)
    for name, dtype in ("f32", torch.float32), ("bf16", torch.bfloat16):
        p = [(torch.randn(s) / 28).requires_grad_() for s in ((512, 784), (512,), (10, 512), (10,))]
        opt = torch.optim.AdamW(p, lr=1e-3, fused=True)

        def loss(x, y, p=p, dtype=dtype):
            with torch.autocast(DEVICE, dtype, enabled=dtype != torch.float32):
                h = F.dropout(F.silu(F.linear(x, p[0], p[1])), 0.1)
                return F.cross_entropy(F.linear(h, p[2], p[3]).float(), y) / minibatches
        f = torch.compile(loss) if COMPILED else loss

        def step(f=f, opt=opt):
            opt.zero_grad(set_to_none=True)
            for a, b in zip(x, y):
                f(a, b).backward()
            opt.step()
        timed(f"W4 dp {name}", step)


def gpt():
    for work, g in ("W5 gpt", Gpt()), ("W5 gpt2", Gpt(big=True)):
        if wanted(work):
            loss, optimizer = language(g)
            steps(work, loss, optimizer, *(torch.tensor(a) for a in g.text()))


def ops():
    def run(work, f, *args):
        g = torch.compile(f) if COMPILED else f
        with torch.no_grad():
            timed(work, lambda: g(*args))
    if wanted_of("W10"):
        n = 16 << 20
        run("W10 chain 16M", lambda x, a, b, c: F.gelu(x * a + b, approximate="tanh") + c, *(torch.randn(n) for _ in range(4)))
        x, w, b = torch.randn(8192, 1024), torch.randn(1024, requires_grad=True), torch.randn(1024, requires_grad=True)
        leaf = x.clone().requires_grad_()
        run("W10 softmax", lambda x: F.softmax(x, -1), x)
        run("W10 layer norm", lambda x: F.layer_norm(x, (1024,), w, b, 1e-5), x)
        soft, norm = F.softmax(leaf, -1), F.layer_norm(leaf, (1024,), w, b, 1e-5)
        if not COMPILED:                                     # the backward half alone is eager's in any case
            timed("W10 softmax backward", lambda: torch.autograd.grad(soft, leaf, x, retain_graph=True))
            timed("W10 layer norm backward", lambda: torch.autograd.grad(norm, (leaf, w, b), x, retain_graph=True))
            p = torch.randn(n, requires_grad=True)
            p.grad, opt = torch.randn(n), torch.optim.Adam([p], lr=1e-3, fused=True)
            timed("W10 adam 16M", opt.step)
    if wanted_of("GEMM") and not COMPILED:
        timing.products(torch.randn, run)


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


for works in nnx, cnn, keras, classifier, gpt, calls, ops:
    works()
if not COMPILED:
    timing.starts("torch", "W9 start to first result", 1, "import torch; print(torch.ones(8) + 1)")
