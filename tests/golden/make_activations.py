"""Golden cases of the activations SiLU and top-k, by numpy and Python's math: float64 = truth, float32 = tolerance.

  python3 make_activations.py [--out FOLDER]     (Debian's python3-numpy; after make_golden.py, whose cases stay)

silu(x) = x / (1 + exp(-x)); with s = 1 / (1 + exp(-x)): silu'(x) = s + x s (1 - s)
top-k keeps, of each row, those of its k largest that are above 0 (ties: the first); its slope is 1 there, else 0
Elfwing et al. 2018, "Sigmoid-weighted linear units", equations 6 and 7; Ramachandran et al. 2017, section 3.
Gao et al. 2024, "Scaling and evaluating sparse autoencoders", section 2.3.
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


def keeps(x, k):
    """1 where top-k keeps x (.., N); a stable sort leaves equal numbers in their order"""
    order = np.argsort(-x, axis=-1, kind="stable")[..., :k]
    kept = np.zeros_like(x)
    np.put_along_axis(kept, order, 1, -1)
    return kept * (x > 0)


def top_k(x, k):
    return np.where(keeps(x, k) > 0, x, x.dtype.type(0))


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


def rows(s, name, k, values):
    """top-k of rows, whose ties it keeps from the differences"""
    c = Case(s, name, "top_k", shape=list(np.shape(values)), active=k)
    c.inp["x"] = np.array(values, np.float32)
    c.differences = lambda *given: None if any(np.unique(r).size < r.size or 0 in r for r in c.inp["x"]) else \
        Case.differences(c, *given)
    c.run(lambda I, W: {"y": top_k(I["x"], k)}, lambda I, W, o, dy: {"x": dy * keeps(I["x"], k)})


def ffn(s, name, shape, dff, active=None):
    d = shape[-1]
    settings = {"activation": "silu"} if active is None else {"activation": "top_k", "active": active}
    c = Case(s, name, "ffn", shape=list(shape), d=d, d_ff=dff, **settings)
    act = silu if active is None else lambda pre: top_k(pre, active)
    grad = slope if active is None else lambda pre: keeps(pre, active)
    c.x("x", *shape)
    c.init([("linear1.weight", (dff, d)), ("linear1.bias", (dff,)),
            ("linear2.weight", (d, dff)), ("linear2.bias", (d,))])

    def forward(I, W):
        pre = product(I["x"].reshape(-1, d), W["linear1.weight"].T) + W["linear1.bias"]
        hidden = act(pre)
        y = product(hidden, W["linear2.weight"].T) + W["linear2.bias"]
        return {k: v.reshape(*shape[:-1], -1) for k, v in (("pre", pre), ("hidden", hidden), ("y", y))}

    def backward(I, W, o, dy):
        x, dy = I["x"].reshape(-1, d), dy.reshape(-1, d)
        pre, hidden = o["pre"].reshape(-1, dff), o["hidden"].reshape(-1, dff)
        dpre = product(dy, W["linear2.weight"]) * grad(pre)
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
    draw = np.random.RandomState(7).uniform(-2, 2, (6, 33))
    rows(s, "top_k_rows", 5, draw)
    rows(s, "top_k_ties", 3, [[1, 1, 1, 1, 1], [0, -1, -2, -0.0, -3], [2, 1, 1, 0, 1], [1e-40, 1e30, 2e-40, -1, 3e-40]])
    ffn(s, "ffn_top_k", (2, 3, 8), 32, 4)
    ffn(s, "ffn_top_1", (5, 7), 21, 1)
    path = os.path.join(s.out, "CASES.md")
    names = tuple("| %s |" % row[0] for row in s.rows)
    with open(path) as f:
        lines = [line for line in f if not line.startswith(names)]
    with open(path, "w") as f:
        f.writelines(lines + list(s.table()))


if __name__ == "__main__":
    main()
