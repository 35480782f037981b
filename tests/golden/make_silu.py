"""Golden cases of the activation SiLU, computed by numpy and Python's math: float64 = truth, float32 = tolerance.

  python3 make_silu.py [--out FOLDER]     (Debian's python3-numpy; after make_golden.py, whose cases stay)

silu(x) = x / (1 + exp(-x)); with s = 1 / (1 + exp(-x)): silu'(x) = s + x s (1 - s)
Elfwing et al. 2018, "Sigmoid-weighted linear units", equations 6 and 7; Ramachandran et al. 2017, section 3.
Truths: sums by math.fsum, which rounds once. float32: sums in order. No BLAS, so the bytes do not depend on it.
"""
import argparse, math, os
import numpy as np

import golden_format
from golden_format import Suite

exponential = np.vectorize(math.exp, otypes=[np.float64])


def sigmoid(x):
    e = exponential(-np.abs(x).astype(np.float64)).astype(x.dtype)    # the smaller of exp(x), exp(-x), rounded once
    one = x.dtype.type(1)
    return np.where(x < 0, e, one) / (one + e)


def silu(x):
    return x * sigmoid(x)


def slope(x):
    s = sigmoid(x)
    return s + x * s * sigmoid(-x)


def total(terms, axis):
    """a sum along one axis, in the precision of the terms"""
    if terms.dtype == np.float64:
        return np.apply_along_axis(math.fsum, axis, terms)
    return np.take(np.add.accumulate(terms, axis=axis), -1, axis=axis)


def product(a, b):
    """a (R,K) times b (K,N)"""
    return total(a[:, :, None] * b[None, :, :], 1)


class Case(golden_format.Case):
    library = "none; numpy %s" % np.__version__

    def run(self, forward, backward):
        """forward(I, W) -> outputs; backward(I, W, outputs, dy) -> gradients of the loss sum(dy * y)"""
        results = []
        for dt in (np.float64, np.float32):
            I = {k: v.astype(dt) for k, v in self.inp.items()}
            W = {k: v.astype(dt) for k, v in self.w.items()}
            o = forward(I, W)
            self.cot.setdefault("y", self.u("cotangent.y", *o["y"].shape))
            g = backward(I, W, o, self.cot["y"].astype(dt))
            results.append({**{"output." + k: v for k, v in o.items()}, **{"grad." + k: v for k, v in g.items()}})
        self.differences(forward, results[0])
        self.write(*results)

    def differences(self, forward, r64):
        """the gradients are those of the forward pass: central differences in double"""
        values = {**self.inp, **self.w}
        for name, given in values.items():
            flat = given.astype(np.float64).reshape(-1)
            for i in range(0, flat.size, max(1, flat.size // 40)):
                def loss(step):
                    moved = flat.copy()
                    moved[i] += step
                    all_ = {k: v.astype(np.float64) for k, v in values.items()} | {name: moved.reshape(given.shape)}
                    y = forward({k: all_[k] for k in self.inp}, {k: all_[k] for k in self.w})["y"]
                    return math.fsum((self.cot["y"].astype(np.float64) * y).reshape(-1))
                h = 1e-5
                found, exact = (loss(h) - loss(-h)) / (2 * h), r64["grad." + name].reshape(-1)[i]
                assert abs(found - exact) <= 1e-7 * (1 + abs(flat[i]) + abs(exact)), (self.name, name, i, found, exact)


def activation(s, name, values):
    c = Case(s, name, "silu", shape=[len(values)])
    c.inp["x"] = np.array(values, np.float32)
    c.run(lambda I, W: {"y": silu(I["x"])}, lambda I, W, o, dy: {"x": dy * slope(I["x"])})


def ffn(s, name, shape, dff):
    d = shape[-1]
    c = Case(s, name, "ffn", shape=list(shape), d=d, d_ff=dff, activation="silu")
    c.x("x", *shape)
    c.init([("linear1.weight", (dff, d)), ("linear1.bias", (dff,)),
            ("linear2.weight", (d, dff)), ("linear2.bias", (d,))])

    def forward(I, W):
        pre = product(I["x"].reshape(-1, d), W["linear1.weight"].T) + W["linear1.bias"]
        hidden = silu(pre)
        y = product(hidden, W["linear2.weight"].T) + W["linear2.bias"]
        return {k: v.reshape(*shape[:-1], -1) for k, v in (("pre", pre), ("hidden", hidden), ("y", y))}

    def backward(I, W, o, dy):
        x, dy = I["x"].reshape(-1, d), dy.reshape(-1, d)
        pre, hidden = o["pre"].reshape(-1, dff), o["hidden"].reshape(-1, dff)
        dpre = product(dy, W["linear2.weight"]) * slope(pre)
        return {"x": product(dpre, W["linear1.weight"]).reshape(shape),
                "linear1.weight": product(dpre.T, x), "linear1.bias": total(dpre, 0),
                "linear2.weight": product(dy.T, hidden), "linear2.bias": total(dy, 0)}
    c.run(forward, backward)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--out", default=os.path.dirname(os.path.abspath(__file__)))
    a = ap.parse_args()
    s = Suite("public-1", a.out, clear=False)
    activation(s, "silu_grid", [0.0, -0.0, 1e-30, -1e-30, 1e-4, -1e-4] + [k / 4 for k in range(-40, 41)])
    activation(s, "silu_big", [50.0, -50.0, 1e4, -1e4, 88.5, -88.5, 12.5, -12.5])
    ffn(s, "ffn_silu", (2, 3, 8), 32)
    path = os.path.join(s.out, "CASES.md")
    names = tuple("| %s |" % row[0] for row in s.rows)
    with open(path) as f:
        lines = [line for line in f if not line.startswith(names)]
    with open(path, "w") as f:
        f.writelines(lines + list(s.table()))


if __name__ == "__main__":
    main()
