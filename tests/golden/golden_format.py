"""The file format of the golden cases and their tolerances, with numpy alone; make_*.py compute the cases.

Deterministic: every number comes from the integer PRNG below, seeded by the string "salt:case:tensor"; no library RNG.
PRNG (all arithmetic on uint32, wrapping), i = flat row-major index:
  seed = FNV-1a-32(ascii bytes of "salt:case:tensor")
  x = seed + i*0x9E3779B9; x ^= x>>16; x *= 0x7feb352d; x ^= x>>15; x *= 0x846ca68b; x ^= x>>16
  u = ((x>>8) - 2^23) / 2^23                in [-1,1), exact in float32
  float tensor: value = (float32)(offset + scale*u), the sum in double;   integer tensor: lo + x mod (hi-lo)
"""
import hashlib, json, math, os, struct
import numpy as np

# smallest |FFN pre-activation| of each float64 forward: a float32 sign flip at a ReLU kink would move gradients
KINK = []
RTOL = 2e-6          # check: |got - truth| <= atol + RTOL*|truth|, atol per tensor in __metadata__.tol
MARGIN = 4.0         # see Case.write
INF = float("inf")
M32 = 0xFFFFFFFF


def fnv1a(s):
    h = 0x811C9DC5
    for b in s.encode("ascii"):
        h = ((h ^ b) * 0x01000193) & M32
    return h


def prng(seed, n):
    x = (seed + np.arange(n, dtype=np.uint64) * 0x9E3779B9) & M32
    x ^= x >> 16
    x = (x * 0x7FEB352D) & M32
    x ^= x >> 15
    x = (x * 0x846CA68B) & M32
    return x ^ (x >> 16)


def floats(seed, shape, scale, offset):
    u = ((prng(seed, int(np.prod(shape))) >> 8).astype(np.float64) - 2.0**23) / 2.0**23
    return (offset + scale * u).astype(np.float32).reshape(shape)


# ------------------------------------------------------------------------------------------------ safetensors writer
DT = {np.dtype("f8"): "F64", np.dtype("f4"): "F32", np.dtype("i4"): "I32", np.dtype("?"): "BOOL"}


def save_safetensors(path, tensors, meta):
    names = sorted(tensors, key=lambda k: (-tensors[k].dtype.itemsize, k))   # 8-byte data first: all views aligned
    head, off, blobs = {"__metadata__": {k: v if isinstance(v, str) else json.dumps(v) for k, v in meta.items()}}, 0, []
    for k in names:
        a = np.ascontiguousarray(tensors[k])
        b = a.tobytes()
        head[k] = {"dtype": DT[a.dtype], "shape": list(tensors[k].shape), "data_offsets": [off, off + len(b)]}
        off += len(b)
        blobs.append(b)
    h = json.dumps(head, separators=(",", ":")).encode()
    h += b" " * (-len(h) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(h)) + h + b"".join(blobs))


# ------------------------------------------------------------------------------------------------ case plumbing
class Suite:
    def __init__(self, salt, out, clear=True):
        self.salt, self.out, self.rows = salt, out, []
        os.makedirs(out, exist_ok=True)
        for f in os.listdir(out) if clear else []:
            if f.endswith(".safetensors"):
                os.remove(os.path.join(out, f))

    def table(self):
        """the rows of CASES.md"""
        for n, op, p, ab, rel, wn, el, sz in self.rows:
            h = hashlib.sha256(open(os.path.join(self.out, n + ".safetensors"), "rb").read()).hexdigest()[:16]
            ps = ", ".join("%s=%s" % (k, v) for k, v in p.items())
            yield "| %s | %s | %s | %.1e | %.1e | %s | %.1e | %d | %s |\n" % (n, op, ps, ab, rel, wn, el, sz, h)


def up3(x):
    """round up to 3 significant digits"""
    if not x or not math.isfinite(x):
        return x
    e = 10.0 ** (math.floor(math.log10(abs(x))) - 2)
    return float("%.3g" % (math.ceil(abs(x) / e) * e))


class Case:
    library = ""               # what computed the float32 results

    def __init__(self, suite, name, op, **params):
        self.s, self.name, self.op, self.p = suite, name, op, params
        self.inp, self.w, self.gen, self.cot = {}, {}, {}, {}
        self.undef = {}            # output name -> bool array broadcastable to it: rows PyTorch leaves NaN
        self.nograd, self.meta = set(), {}

    def u(self, t, *shape, scale=1.0, offset=0.0):
        return floats(fnv1a("%s:%s:%s" % (self.s.salt, self.name, t)), shape, scale, offset)

    def x(self, t, *shape, scale=2.0, offset=0.0):
        self.inp[t] = self.u("input." + t, *shape, scale=scale, offset=offset)
        return self.inp[t]

    def ids(self, t, *shape, lo=0, hi):
        seed = fnv1a("%s:%s:%s" % (self.s.salt, self.name, "input." + t))
        offsets = (prng(seed, int(np.prod(shape))) % (hi - lo)).astype(np.int32)
        self.inp[t] = (lo + offsets).reshape(shape).astype(np.int32)
        return self.inp[t]

    def init(self, shapes, prefix="", wscale=1.0):
        """weights for every (name, shape): gains 1+u/4, biases u/4, matrices u*2^round(log2(sqrt(3/fan_in)))"""
        for n, sh in shapes:
            if len(sh) == 1:
                scale, offset = 0.25, (1.0 if n.endswith("weight") else 0.0)
            else:
                scale, offset = 2.0 ** round(math.log2(math.sqrt(3.0 / sh[-1]))) * wscale, 0.0
            t = "weight." + prefix + n
            self.gen[prefix + n] = {"seed": fnv1a("%s:%s:%s" % (self.s.salt, self.name, t)), "shape": list(sh),
                                    "scale": scale, "offset": offset}
            self.w[prefix + n] = self.u(t, *sh, scale=scale, offset=offset)

    def write(self, r64, r32, store_weights=True, big=False):
        tens, tol, scale = {}, {}, {}
        if self.p.get("activation") == "relu" and not big:
            self.meta["min_abs_preact"] = "%.2g" % min(KINK)
            assert min(KINK) > 1e-5, (self.name, "ReLU kink too near, change the salt or the sizes", min(KINK))
        KINK.clear()
        for k, a in r64.items():
            if a.dtype.kind == "f":
                f = a[np.isfinite(a)]
                scale[k] = math.sqrt(float(np.mean(f**2))) if f.size else 0.0
        kind = lambda k: k.split(".")[0]
        worst_abs = worst_rel = worst_el = 0.0
        worst_name = ""
        noise = {}                                    # kind -> relative errors (to the tensor's rms) seen in this case
        for k, a in r64.items():
            if scale.get(k, 0.0) > 1e-9 * max(scale[j] for j in scale if kind(j) == kind(k)):
                ok = np.isfinite(a)
                off = float(np.abs(r32[k].astype(np.float64)[ok] - a[ok]).max())
                noise.setdefault(kind(k), []).append(off / scale[k])
        for k, a in r64.items():
            b = r32[k]
            if a.dtype.kind != "f":
                assert np.array_equal(a, b), (self.name, k, "integer outputs differ between f64 and f32")
                tens[k] = a.astype(np.int32)
                continue
            types = a.dtype, b.dtype
            assert types == (np.float64, np.float32) and a.shape == b.shape, (self.name, k, *types)
            fin = np.isfinite(a)
            assert np.array_equal(fin, np.isfinite(b)), (self.name, k, "float32 result is not finite where float64 is")
            assert np.array_equal(a[~fin & ~np.isnan(a)], b[~fin & ~np.isnan(a)]), (self.name, k)
            d, m = np.abs(b.astype(np.float64)[fin] - a[fin]), np.abs(a[fin])
            top = float(m.max()) if m.size else 0.0
            err = float(d.max()) if d.size else 0.0
            # atol: (1) the float32 error stays MARGIN times inside; (2) not tighter than MARGIN times the case's median
            # relative error (one tensor's float32 run may be lucky); (3) not below about 1 ulp of the rms
            big_scale = max(scale[j] for j in scale if kind(j) == kind(k))
            own = float((MARGIN * d - RTOL * m).max()) if d.size else 0.0
            atol = max(own, MARGIN * scale[k] * float(np.median(noise.get(kind(k), [0.0]))),
                       2.0**-22 * max(scale[k], 0.01 * big_scale))
            rel = err / top if top > 0 else 0.0
            sel = m > 1e-3 * top
            el = float((d[sel] / m[sel]).max()) if top > 0 and sel.any() else 0.0
            tol[k] = {"err": up3(err), "max": up3(top), "atol": up3(atol)}
            worst_abs = max(worst_abs, err)
            if top > 1e-10 or not worst_name:
                worst_el = max(worst_el, el)
                if rel > worst_rel:
                    worst_rel, worst_name = rel, k
            tens[k] = a
            if b.size <= 4096:
                tens["f32." + k] = b
        for k, v in self.inp.items():
            tens["input." + k] = v
        for k, v in self.cot.items():
            tens["cotangent." + k] = v
        if store_weights:
            for k, v in self.w.items():
                tens["weight." + k] = v
        else:
            self.meta["generated"] = self.gen
            for k, v in self.w.items():
                tens["weightcheck." + k] = v.reshape(-1)[:8].copy()
        meta = {"case": self.name, "op": self.op, "params": self.p, "tol": tol, "rtol": RTOL,
                "torch": self.library,
                "undefined": int(sum(np.isnan(a).sum() for a in r64.values() if a.dtype.kind == "f"))}
        meta.update(self.meta)
        path = os.path.join(self.s.out, self.name + ".safetensors")
        save_safetensors(path, tens, meta)
        self.s.rows.append((self.name, self.op, self.p, worst_abs, worst_rel, worst_name, worst_el,
                            os.path.getsize(path)))
        print("%-34s %-16s err %.1e  err/max %.1e (%s)  %d B" % (self.name, self.op, worst_abs, worst_rel, worst_name,
                                                                  os.path.getsize(path)), flush=True)
