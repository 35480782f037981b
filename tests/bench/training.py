"""The training steps of training-work.js in PyTorch, one thread: prints the same rows as JSON."""
import json
import time

import torch
from torch import nn

D, HEADS, FF, LAYERS, V = 64, 4, 256, 2, 64
torch.set_num_threads(1)
torch.manual_seed(7)


class GPT(nn.Module):
    def __init__(self, length):
        super().__init__()
        self.token, self.position = nn.Embedding(V, D), nn.Embedding(length, D)
        layer = nn.TransformerEncoderLayer(D, HEADS, FF, 0.0, "gelu", batch_first=True, norm_first=True)
        self.stack = nn.TransformerEncoder(layer, LAYERS)
        self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(length))

    def forward(self, ids):
        x = self.stack(self.token(ids) + self.position.weight, self.mask)
        return x @ self.token.weight.T


class Translator(nn.Module):
    def __init__(self, length):
        super().__init__()
        self.source, self.target, self.head = nn.Embedding(V, D), nn.Embedding(V, D), nn.Linear(D, V)
        self.body = nn.Transformer(D, HEADS, LAYERS, LAYERS, FF, 0.0, batch_first=True)
        self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(length))

    def forward(self, ids):
        return self.head(self.body(self.source(ids), self.target(ids), tgt_mask=self.mask))


def blas():
    """The library that is loaded: Debian's default is many times slower than OpenBLAS."""
    with open("/proc/self/maps") as maps:
        paths = maps.read()
    return next((name for name in ("mkl", "openblas", "blis", "blas") if name in paths), "unknown")


def flops(model, batch, length, attentions, tied):
    """As training-work.js counts."""
    tables = {id(m.weight) for m in model.modules() if isinstance(m, nn.Embedding)}
    weights = sum(p.numel() for p in model.parameters() if p.dim() > 1 and id(p) not in tables) + tied * V * D
    return 6 * weights * batch * length + 3 * attentions * 4 * batch * length * length * D


def timed(call):
    """Milliseconds that the thread ran: median and least."""
    for _ in range(5):
        call()
    samples = []
    for _ in range(25):
        start = time.thread_time()
        call()
        samples.append((time.thread_time() - start) * 1000)
    return sorted(samples)[12], min(samples)


def measure(title, model, batch, length, attentions, tied):
    ids = torch.randint(V, (batch, length))
    optimizer = torch.optim.AdamW(model.parameters(), 1e-4)

    def loss():
        return nn.functional.cross_entropy(model(ids).flatten(0, 1), ids.flatten())

    def gradients():
        optimizer.zero_grad()
        loss().backward()

    def step():
        gradients()
        optimizer.step()

    (forward, _), (learnt, _), (whole, least) = timed(loss), timed(gradients), timed(step)
    return {"model": title, "variant": f"{torch.__version__}, {blas()}", "tokens": batch * length,
            "flops": flops(model, batch, length, attentions, tied), "median": whole, "least": least,
            "forward": forward, "backward": learnt - forward, "optimiser": whole - learnt}


print(json.dumps([
    measure("GPT", GPT(32), 16, 32, LAYERS, True),
    measure("encoder–decoder", Translator(16), 32, 16, 3 * LAYERS, False),
]))
