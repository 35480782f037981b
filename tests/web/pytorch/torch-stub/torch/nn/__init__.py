"""See torch/__init__.py."""
import math

from .. import Tensor
from . import functional as F


class Parameter(Tensor):
    def __init__(self, value):
        super().__init__(value.data, value.shape)


class Module:
    def __init__(self):
        pass

    def __call__(self, *given):
        return self.forward(*given)

    def named_parameters(self, prefix=""):
        for name, value in vars(self).items():
            if isinstance(value, Parameter):
                yield prefix + name, value
            elif isinstance(value, Module):
                yield from value.named_parameters(f"{prefix}{name}.")

    def parameters(self):
        return (value for _, value in self.named_parameters())

    def load_state_dict(self, weights):
        own = dict(self.named_parameters())
        assert sorted(own) == sorted(weights), (sorted(own), sorted(weights))
        for name, value in weights.items():
            assert own[name].shape == tuple(value.shape), (name, own[name].shape, value.shape)
            own[name].data = value.data


class ModuleDict(Module):
    def __init__(self, modules):
        vars(self).update(modules)

    def __getitem__(self, name):
        return vars(self)[name]


class ModuleList(ModuleDict):
    def __init__(self, modules):
        super().__init__({str(i): module for i, module in enumerate(modules)})

    def __iter__(self):
        return iter(vars(self).values())


class Dropout(Module):
    def __init__(self, p):
        assert p == 0

    def forward(self, x):
        return x


class Linear(Module):
    def __init__(self, columns, rows, bias=True):
        self.weight = Parameter(Tensor([0.0] * (rows * columns), [rows, columns]))
        self.bias = Parameter(Tensor([0.0] * rows, [rows])) if bias else None

    def forward(self, x):
        return F.linear(x, self.weight, self.bias)


class Embedding(Module):
    def __init__(self, rows, columns):
        self.weight = Parameter(Tensor([0.0] * (rows * columns), [rows, columns]))

    def forward(self, ids):
        rows = self.weight.rows()
        return Tensor([value for i in ids.data for value in rows[i]], [*ids.shape, self.weight.shape[1]])


class LayerNorm(Module):
    def __init__(self, size, eps, elementwise_affine):
        self.eps = eps
        kept = Parameter if elementwise_affine else lambda value: value
        self.weight = kept(Tensor([1.0] * size, [size]))
        self.bias = kept(Tensor([0.0] * size, [size]))

    def forward(self, x):
        out = []
        for row in x.rows():
            mean = sum(row) / len(row)
            deviation = math.sqrt(sum((value - mean) ** 2 for value in row) / len(row) + self.eps)
            out += [(value - mean) / deviation * w + b for value, w, b in zip(row, self.weight.data, self.bias.data)]
        return Tensor(out, x.shape)
