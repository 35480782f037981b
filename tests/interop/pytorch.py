"""Model files to PyTorch and back, nothing renamed.   python3 tests/interop/pytorch.py

For a reader who has PyTorch (any version from 1.13) and has built the project (npm test does).
1. Loads web/models/creek and translate into nn.TransformerEncoder and nn.Transformer by
   load_state_dict(strict=True), runs both engines on the same sentence and compares the logits.
2. Saves a state_dict made by PyTorch as safetensors and runs that file here likewise.
Exits with 1 on a difference beyond 2e-5 of the largest logit.
"""
import json, math, pathlib, struct, subprocess, sys, tempfile
import torch
import torch.nn as nn

ROOT = pathlib.Path(__file__).resolve().parents[2]
DTYPE = {"F32": (torch.float32, 4), "F16": (torch.float16, 2)}


def read(path):
    raw = path.read_bytes()
    (n,) = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8:8 + n])
    said = header.pop("__metadata__", {})
    out = {}
    for name, e in header.items():
        dtype, _ = DTYPE[e["dtype"]]
        a, b = e["data_offsets"]
        out[name] = torch.frombuffer(bytearray(raw[8 + n + a:8 + n + b]), dtype=dtype).reshape(e["shape"]).float()
    return out, json.loads(said.get("glassformer.config", "null"))


def write(path, tensors):
    header, blobs, at = {}, [], 0
    for name, t in tensors.items():
        blob = t.detach().contiguous().float().numpy().tobytes()
        header[name] = {"dtype": "F32", "shape": list(t.shape), "data_offsets": [at, at + len(blob)]}
        at += len(blob)
        blobs.append(blob)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(blobs))


def positions(n, d):
    angle = torch.arange(n, dtype=torch.float64)[:, None] / 10000 ** (torch.arange(0, d, 2, dtype=torch.float64) / d)
    pe = torch.zeros(n, d, dtype=torch.float64)
    pe[:, 0::2], pe[:, 1::2] = torch.sin(angle), torch.cos(angle)[:, : d // 2]
    return pe.float()


class Encoder(nn.Module):
    """The module whose state_dict a file of kind `encoder` is."""

    def __init__(self, c):
        super().__init__()
        layer = nn.TransformerEncoderLayer(c["d_model"], c["heads"], c["d_ff"], 0.0, "relu", c["epsilon"],
                batch_first=True)
        self.tok_emb = nn.Embedding(c["vocabulary"], c["d_model"])
        self.encoder = nn.TransformerEncoder(layer, c["layers"])
        self.generator = Bias(c["vocabulary"])

    def forward(self, ids):
        d = self.tok_emb.embedding_dim
        x = self.encoder(self.tok_emb(ids) * math.sqrt(d) + positions(ids.shape[1], d))
        return x @ self.tok_emb.weight.T + self.generator.bias


class Seq2Seq(nn.Transformer):
    """Of kind `encoder-decoder`: nn.Transformer itself, with the tables beside it. Models whose
    finalNorm is off have no encoder.norm and decoder.norm."""

    def __init__(self, c):
        super().__init__(c["d_model"], c["heads"], c["layers"], c["decoderLayers"], c["d_ff"], 0.0, "relu",
                         layer_norm_eps=c["epsilon"], batch_first=True)
        if not c["finalNorm"]:
            self.encoder.norm = self.decoder.norm = None
        self.src_emb = nn.Embedding(c["vocabulary"], c["d_model"])
        self.tgt_emb = nn.Embedding(c["targetVocabulary"], c["d_model"])
        self.generator = Bias(c["targetVocabulary"])

    def forward(self, src, tgt):
        d = self.d_model
        embed = lambda e, ids: e(ids) * math.sqrt(d) + positions(ids.shape[1], d)
        y = super().forward(embed(self.src_emb, src), embed(self.tgt_emb, tgt),
                            tgt_mask=self.generate_square_subsequent_mask(tgt.shape[1]))
        return y @ self.tgt_emb.weight.T + self.generator.bias


class Bias(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(n))


def ours(folder, file, config, inputs):
    path, description = folder / "inputs.json", folder / "config.json"
    path.write_text(json.dumps(inputs))
    description.write_text(json.dumps(config))
    out = subprocess.run(["node", str(ROOT / "tests/interop/run.mjs"), str(file), str(description), str(path)],
                         check=True, capture_output=True, text=True, cwd=ROOT).stdout
    answer = json.loads(out)
    return torch.tensor(answer["data"]).reshape(answer["shape"])


def compare(what, got, truth):
    error = float((got - truth).abs().max() / truth.abs().max())
    print(f"{what}: largest difference {error:.1e} of the largest logit")
    if not error < 2e-5:
        sys.exit(f"{what} differs")


def main():
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for model, build, ids in (("creek", Encoder, ([5, 17, 42, 3, 99, 2],)),
                ("translate", Seq2Seq, ([5, 17, 42, 3, 9], [1, 20, 30, 40]))):
            file = ROOT / f"web/models/{model}.safetensors"
            weights, config = read(file)
            module = build(config).eval()
            inputs = dict(zip(("sourceIds", "targetIds") if len(ids) > 1 else ("ids",), ids))
            tensors = [torch.tensor([i]) for i in ids]
            module.load_state_dict(weights, strict=True)
            with torch.no_grad():
                compare(f"{model}, file of glassformer in PyTorch", module(*tensors),
                        ours(folder, file, config, inputs))
                for p in module.parameters():
                    p.add_(0.1 * torch.randn_like(p))
                write(folder / "theirs.safetensors", module.state_dict())
                compare(f"{model}, file of PyTorch in glassformer",
                        ours(folder, folder / "theirs.safetensors", config, inputs), module(*tensors))
        print("both ways agree")


main()
