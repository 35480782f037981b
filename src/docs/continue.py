"""Continues in PyTorch (1.13 or later) a run that Glassformer saved with trainer.save() or “Save the run”.
    python3 continue.py RUN.safetensors ROWS.safetensors BATCH STEPS OUT.pt
ROWS holds training data by the names of a batch (ids, labels, padding ...), BATCH rows a step; after the last the
first comes again. OUT.pt gets the state_dicts of model and optimizer.
"""
import json, math, struct, sys, torch
from torch import nn
TYPES = {"F32": (torch.float32, torch.float32), "I32": (torch.int32, torch.long), "U8": (torch.uint8, torch.bool)}
# The known settings of a model and of a trainer; a run with another setting, or another value, is refused.
KNOWN = {"kind": ["encoder", "decoder", "encoder-decoder"], "norm": ["pre", "post"], "activation": ["relu", "gelu"],
         "positions": ["none", "sinusoidal", "learned"], "head": ["linear", "tied"], "weights": ["f32"], "frozen": [[]],
         "optimizer": ["adam", "adamw"], "schedule": ["constant", "linear", "cosine", "noam"], "loss": ["crossEntropy"],
         **dict.fromkeys("residual scoreScale attentionBias attentionOutBias ffnBias normAffine".split(), [True]),
         "normKind": ["layer"], "ffn": ["plain"], "positionsFrom": ["index"], **dict.fromkeys("types window headWidth "
         "embeddingNorm tiedEmbeddings headTransform inputWidth outputWidth keyValueHeads qkNorm dropout parallel "
         "relativeBuckets headScale".split(), [0]), "headPooler": ["none"]}
FREE = ("vocabulary targetVocabulary outputVocabulary d_model heads d_ff layers decoderLayers maxLength embeddingScale "
        "finalNorm epsilon causal headBias globalLayers globalLayersAbove initializerRange learningRate beta1 beta2 "
        "weightDecay momentum clip warmup steps floor ignoreIndex labelSmoothing seed shards active "
        "relativeDistance").split()

def read(path):
    with open(path, "rb") as file:
        header, data = json.loads(file.read(struct.unpack("<Q", file.read(8))[0])), bytearray(file.read())
    facts, tensors = header.pop("__metadata__", {}), {}
    for name, part in header.items():
        (stored, wanted), shape, (begin, _) = TYPES[part["dtype"]], part["shape"], part["data_offsets"]
        flat = torch.frombuffer(data, dtype=stored, offset=begin, count=math.prod(shape))
        tensors[name] = flat.reshape(shape).to(wanted, copy=True)
    return tensors, facts

class Model(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c, d, both = c, c["d_model"], c["kind"] == "encoder-decoder"
        how = {"dropout": 0.0, "activation": c["activation"], "layer_norm_eps": c["epsilon"], "batch_first": True}
        how["norm_first"] = c["norm"] == "pre"
        self.prefixes = ["src_", "tgt_"] if both else [""]
        for prefix, side in zip(self.prefixes, ["encoder", "decoder"] if both else [c["kind"]]):
            target = prefix == "tgt_"
            kind = "TransformerDecoder" if target else "TransformerEncoder"
            layer = getattr(nn, f"{kind}Layer")(d, c["heads"], c["d_ff"], **how)
            final = nn.LayerNorm(d, eps=c["epsilon"]) if c["finalNorm"] else None
            setattr(self, side, getattr(nn, kind)(layer, c["decoderLayers" if target else "layers"], norm=final))
            size = target and c["targetVocabulary"] or c["vocabulary"]
            setattr(self, f"{prefix or 'tok_'}emb", nn.Embedding(size, d))
            if c["positions"] == "learned":
                setattr(self, f"{prefix}pos_emb", nn.Embedding(c["maxLength"], d))
        self.generator = nn.Linear(d, c.get("outputVocabulary") or size, bias=c["headBias"])
        if c["head"] == "tied":
            del self.generator.weight

    def embed(self, ids, prefix):
        c, (_, length) = self.c, ids.shape
        x = getattr(self, f"{prefix or 'tok_'}emb")(ids) * (math.sqrt(c["d_model"]) if c["embeddingScale"] else 1)
        if c["positions"] == "learned":
            x = x + getattr(self, f"{prefix}pos_emb").weight[:length]
        if c["positions"] == "sinusoidal":
            rates = 10000 ** (torch.arange(0, c["d_model"], 2, dtype=torch.float64) / -c["d_model"])
            angles = torch.arange(length)[:, None] * rates
            x = x + torch.stack([angles.sin(), angles.cos()], 2).flatten(1)[:, :c["d_model"]].float()
        return x

    def forward(self, batch):
        c, part, both = self.c, batch.get, len(self.prefixes) == 2
        ids = part("targetIds" if both else "ids")
        mask = torch.ones(2 * ids.shape[1:], dtype=torch.bool).triu(1) if c["causal"] else None
        if both:
            memory = self.encoder(self.embed(part("sourceIds"), "src_"), None, part("sourcePadding"))
            x = self.decoder(self.embed(ids, "tgt_"), memory, mask, None, part("targetPadding"), part("sourcePadding"))
        else:
            x = getattr(self, c["kind"])(self.embed(ids, ""), mask, part("padding"))
        table = self.tgt_emb if both else self.tok_emb
        return nn.functional.linear(x, (table if c["head"] == "tied" else self.generator).weight, self.generator.bias)

def rate(step, width, learningRate, schedule, warmup, steps, floor, **_):
    start, done = max(1, warmup), min(1, max(0, step - warmup) / max(1, steps - warmup))
    fall = {"linear": 1 - done, "cosine": (1 + math.cos(math.pi * done)) / 2}.get(schedule, 1)
    noam = width**-0.5 * min(step**-0.5, step * start**-1.5)
    return learningRate * (noam if schedule == "noam" else min(1, step / start) * (floor + (1 - floor) * fall))

(saved, facts), (rows, _), (size, steps) = read(sys.argv[1]), read(sys.argv[2]), map(int, sys.argv[3:5])
config, trainer = (json.loads(facts[f"glassformer.{part}"]) for part in ("config", "trainer"))
s, step = trainer["settings"], trainer["steps"]
unknown = [f"{name} = {value}" for name, value in [*config.items(), *s.items()]
           if name not in FREE and not name.startswith("rope") and value not in KNOWN.get(name, [])]
if unknown:
    sys.exit(f"This run has settings that continue.py does not know: {unknown}")
model = Model(config)
model.load_state_dict({name: values for name, values in saved.items() if not name.startswith("moment")})
optimizer = {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW}[s["optimizer"]](
    model.parameters(), betas=(s["beta1"], s["beta2"]), eps=s["epsilon"], weight_decay=s["weightDecay"])
for name, weight in model.named_parameters():
    optimizer.state[weight] = {"step": torch.tensor(1.0 * step), "exp_avg": saved[f"moment1.{name}"],
                               "exp_avg_sq": saved[f"moment2.{name}"]}
loss_of = nn.CrossEntropyLoss(ignore_index=s["ignoreIndex"], label_smoothing=s["labelSmoothing"])
for at in range(steps):
    chosen = torch.arange(at * size, (at + 1) * size) % len(rows["labels"])
    logits = model({name: values[chosen] for name, values in rows.items()}).flatten(0, 1)
    loss = loss_of(logits, rows["labels"][chosen].flatten())
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), s["clip"] or math.inf)
    optimizer.param_groups[0]["lr"] = rate(step + at + 1, config["d_model"], **s)
    optimizer.step()
    print(f"step {step + at + 1}: loss {loss.item():.7f}", flush=True)
torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, sys.argv[5])
