"""What train.py needs of PyTorch, in plain Python and for the forward pass alone: there may be no PyTorch where the tests
run, and the first loss shows whether the model is Glassformer's. Doubles, row-major lists."""
import itertools
import math
import struct

float32, float64, int32, uint8 = "f", "d", "i", "B"
long, bool = "long", "bool"


def strides_of(shape):
    steps, step = [], 1
    for size in reversed(shape):
        steps.insert(0, step)
        step *= size
    return steps


class Tensor:
    device = None

    def __init__(self, data, shape):
        self.data, self.shape = list(data), tuple(shape)
        assert len(self.data) == math.prod(self.shape), (len(self.data), shape)

    def at(self, place):
        return self.data[sum(i * s for i, s in zip(place, strides_of(self.shape)))]

    def made(self, shape, place_of):
        return Tensor([self.at(place_of(place)) for place in itertools.product(*map(range, shape))], shape)

    def map(self, f):
        return Tensor(map(f, self.data), self.shape)

    def broadcast(self, shape):
        own = (1,) * (len(shape) - len(self.shape)) + self.shape
        assert all(a in (1, b) for a, b in zip(own, shape)), (self.shape, shape)
        steps = [0 if a == 1 else s for a, s in zip(own, strides_of(own))]
        places = itertools.product(*map(range, shape))
        return [self.data[sum(i * s for i, s in zip(place, steps))] for place in places]

    def combine(self, other, f):
        if not isinstance(other, Tensor):
            return self.map(lambda value: f(value, other))
        rank = max(len(self.shape), len(other.shape))
        pairs = zip(*((1,) * (rank - len(each.shape)) + each.shape for each in (self, other)))
        shape = [max(pair) for pair in pairs]
        return Tensor(map(f, self.broadcast(shape), other.broadcast(shape)), shape)

    def __add__(self, other):
        return self.combine(other, lambda a, b: a + b)

    def __mul__(self, other):
        return self.combine(other, lambda a, b: a * b)

    def __sub__(self, other):
        return self.combine(other, lambda a, b: a - b)

    def __truediv__(self, other):
        return self.combine(other, lambda a, b: a / b)

    def __ge__(self, other):
        return self.combine(other, lambda a, b: a >= b)

    def __or__(self, other):
        return self.combine(other, lambda a, b: a or b)

    def __ne__(self, other):
        return self.combine(other, lambda a, b: a != b)

    __hash__ = object.__hash__

    def abs(self):
        return self.map(abs)

    def sum(self):
        return Tensor([sum(self.data)], [])

    def numel(self):
        return len(self.data)

    def to(self, _):
        return self

    def __matmul__(self, other):
        *outer, rows, inner = self.shape
        assert list(other.shape[:-1]) == [*outer, inner], (self.shape, other.shape)
        columns = other.shape[-1]
        parts = []
        for part in range(math.prod(outer)):
            a = self.data[part * rows * inner : (part + 1) * rows * inner]
            b = other.data[part * inner * columns : (part + 1) * inner * columns]
            for i in range(rows):
                row = a[i * inner : (i + 1) * inner]
                parts += [sum(x * b[k * columns + j] for k, x in enumerate(row)) for j in range(columns)]
        return Tensor(parts, [*outer, rows, columns])

    def __getitem__(self, key):
        if isinstance(key, int):
            size = len(self.data) // len(self)
            return Tensor(self.data[key * size : (key + 1) * size], self.shape[1:])
        if isinstance(key, slice) and key.step:
            return stack(list(self)[key])
        key = key if isinstance(key, tuple) else (key,)
        shape, axes, axis = [], [], 0
        for each in key:
            if each is None:
                shape.append(1)
                axes.append(None)
            else:
                assert isinstance(each, slice) and not each.start, key
                size = self.shape[axis]
                shape.append(min(size, size if each.stop is None else each.stop))
                axes.append(axis)
                axis += 1
        shape += self.shape[axis:]
        axes += range(axis, len(self.shape))
        kept = [i for i, each in enumerate(axes) if each is not None]
        return self.made(shape, lambda place: [place[i] for i in kept])

    def __len__(self):
        return self.shape[0]

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def reshape(self, *shape):
        return Tensor(self.data, shape[0] if isinstance(shape[0], (list, tuple)) else shape)

    def view(self, *shape):
        return self.reshape(*(len(self.data) // -math.prod(shape) if size == -1 else size for size in shape))

    def chunk(self, count):
        rows = list(self)
        size = len(rows) // count
        return [stack(rows[i : i + size]) for i in range(0, len(rows), size)]

    def flatten(self, first=0, last=-1):
        last %= len(self.shape)
        return self.reshape(*self.shape[:first], math.prod(self.shape[first : last + 1]), *self.shape[last + 1 :])

    def permute(self, *order):
        return self.made([self.shape[i] for i in order], lambda place: [place[order.index(i)] for i in range(len(order))])

    def transpose(self, a, b):
        order = list(range(len(self.shape)))
        order[a], order[b] = b, a
        return self.permute(*order)

    def masked_fill(self, mask, value):
        return self.combine(mask, lambda own, hidden: value if hidden else own)

    def softmax(self, axis):
        assert axis == len(self.shape) - 1
        out = []
        for row in self.rows():
            high = max(row)
            powers = [math.exp(value - high) for value in row]
            out += [power / sum(powers) for power in powers]
        return Tensor(out, self.shape)

    def rows(self):
        width = self.shape[-1]
        return [self.data[i : i + width] for i in range(0, len(self.data), width)]

    def triu(self, diagonal):
        columns = self.shape[1]
        kept = ((i % columns - i // columns >= diagonal, value) for i, value in enumerate(self.data))
        return Tensor([value if keep else 0 for keep, value in kept], self.shape)

    def sin(self):
        return self.map(math.sin)

    def cos(self):
        return self.map(math.cos)

    def float(self):
        return self

    def item(self):
        (value,) = self.data
        return value


def tensor(values):
    return Tensor(values, [len(values)])


def empty(*shape, dtype=None, device=None):
    return Tensor([0.0] * math.prod(shape), shape)


zeros = empty


def ones(*shape, dtype=None, device=None):
    return Tensor([1] * math.prod(shape), shape)


def arange(*bounds, dtype=None, device=None):
    values = range(*bounds)
    return Tensor(values, [len(values)])


def exp(x):
    return x.map(math.exp)


def stack(parts, axis=0):
    if axis == 0:
        return Tensor(itertools.chain(*(part.data for part in parts)), [len(parts), *parts[0].shape])
    assert axis == len(parts[0].shape)
    return Tensor(itertools.chain(*zip(*(part.data for part in parts))), [*parts[0].shape, len(parts)])


def frombuffer(buffer, dtype, count, offset):
    return Tensor(struct.unpack_from(f"<{count}{dtype}", buffer, offset), [count])


def no_grad():
    return lambda function: function


distributed = multiprocessing = None  # of no use without the backward pass
