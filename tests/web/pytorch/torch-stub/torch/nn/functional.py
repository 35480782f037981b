"""See torch/__init__.py."""
import math

from .. import Tensor


def linear(x, weight, bias=None):
    rows = weight.rows()
    added = bias.data if bias else [0.0] * len(rows)
    out = [sum(a * b for a, b in zip(row, w)) + c for row in x.rows() for w, c in zip(rows, added)]
    return Tensor(out, [*x.shape[:-1], weight.shape[0]])


def relu(x):
    return x.map(lambda value: max(value, 0.0))


def gelu(x, approximate="none"):
    if approximate == "tanh":
        slope = math.sqrt(2 / math.pi)
        return x.map(lambda value: value * (1 + math.tanh(slope * (value + 0.044715 * value**3))) / 2)
    return x.map(lambda value: value * (1 + math.erf(value / math.sqrt(2))) / 2)


def silu(x):
    return x.map(lambda value: value / (1 + math.exp(-value)))


def mse_loss(given, wanted, reduction):
    assert reduction == "sum"
    return (given - wanted).map(lambda value: value * value).sum()


def cross_entropy(logits, targets, ignore_index, label_smoothing, reduction):
    assert reduction == "sum"
    losses = []
    for row, target in zip(logits.rows(), targets.data):
        if target == ignore_index:
            continue
        total = max(row) + math.log(sum(math.exp(value - max(row)) for value in row))
        spread = total - sum(row) / len(row)
        losses.append((1 - label_smoothing) * (total - row[target]) + label_smoothing * spread)
    return Tensor([sum(losses)], [])
