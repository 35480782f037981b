"""Trains in PyTorch what Glassformer trains: from the first step, or from the step where a run was saved.

    python3 train.py                         one process
    torchrun --nproc_per_node=4 train.py     four processes that share each batch (DistributedDataParallel)
    python3 train.py --processes 4           the same on this machine without torchrun
                                             (PyTorch 1.13's torchrun needs -r 1 -t 1 with Python 3.11)
    python3 train.py --help                  all options

It needs PyTorch 1.13 or later, no other package, and up to three files beside it:

    run.json           the task, the model, the settings of training and their changes on the way; a script that you
                       copied from the page has all of this at its top
    run.safetensors    weights, the optimizer's moments and the number of steps, as Glassformer saves a run;
                       without this file training starts at step 0 from random weights
    data.safetensors   the rows of the next steps in order; after the last one the first comes again. Without this
                       file the task's own generator draws the same rows. You may put other rows in it

The trained run is saved in the form of run.safetensors: continue it with --run, or open it with Glassformer's
loadModel. From the same weights the losses agree with Glassformer's to rounding at first; then they drift apart, as
PyTorch adds in another order. Dropout is random: with it they differ from the first step.
"""
import argparse
import functools
import itertools
import json
import math
import os
import socket
import struct

import torch
from torch import distributed, multiprocessing, nn
from torch.nn import functional as F

RUN = None  # or the text of run.json
FOLDER = os.path.dirname(os.path.abspath(__file__))


# The model. Weights have the names and shapes of nn.Transformer; `config` is the configuration in run.json.

ACTIVATIONS = {
    "relu": F.relu,
    "gelu": F.gelu,
    "gelu-tanh": lambda x: F.gelu(x, approximate="tanh"),
    "silu": F.silu,
    "none": lambda x: x,
}


def layer_norm(config):
    return nn.LayerNorm(config["d_model"], eps=config["epsilon"], elementwise_affine=config["normAffine"])


def hidden_from(ids, padding, causal):
    """True where a query (second to last axis) must not see a key (last axis)."""
    length = ids.shape[1]
    hidden = torch.zeros(1, length, dtype=torch.bool, device=ids.device)
    if padding is not None:
        hidden = padding[:, None, None, :]
    if causal:
        hidden = hidden | torch.ones(length, length, dtype=torch.bool, device=ids.device).triu(1)
    return hidden


def window_of(config, layer):
    """How far self-attention sees to each side in this layer, its own place included; 0: everything."""
    unlimited = (config["globalLayers"] & 0xFFFFFFFF) + (config["globalLayersAbove"] << 32)  # a bit for each layer
    return 0 if unlimited >> layer & 1 else config["window"]


def sinusoids(length, width, device):
    """The positions of Vaswani et al. 2017, section 3.5."""
    place = torch.arange(length, dtype=torch.float64)[:, None]
    angle = place * torch.exp(torch.arange(0, width, 2, dtype=torch.float64) * (-math.log(10000) / width))
    return torch.stack([angle.sin(), angle.cos()], 2).flatten(1)[:, :width].float().to(device)


class Attention(nn.Module):
    """Multi-head attention (section 3.2.2) with the weights of nn.MultiheadAttention."""

    def __init__(self, config):
        super().__init__()
        width, bias = config["d_model"], config["attentionBias"]
        self.heads = config["heads"]
        self.divisor = math.sqrt(width // self.heads) if config["scoreScale"] else 1.0
        self.in_proj_weight = nn.Parameter(torch.empty(3 * width, width))  # rows of queries, then keys, then values
        self.in_proj_bias = nn.Parameter(torch.empty(3 * width)) if bias else None
        self.out_proj = nn.Linear(width, width, bias=bias)

    def forward(self, x, memory, hidden):
        """Queries come from x, keys and values from memory."""
        weights = self.in_proj_weight.chunk(3)
        biases = [None] * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        q, k, v = (
            F.linear(each, weight, bias).view(*each.shape[:2], self.heads, -1).transpose(1, 2)
            for each, weight, bias in zip((x, memory, memory), weights, biases)
        )
        scores = (q @ k.transpose(2, 3) / self.divisor).masked_fill(hidden, -1e30)
        attention = scores.softmax(3).masked_fill(hidden, 0.0)  # a query that sees no key gets 0, not the mean
        return self.out_proj((attention @ v).transpose(1, 2).flatten(2))


class Layer(nn.Module):
    """A layer with the weights of nn.TransformerEncoderLayer, or, with `cross`, of nn.TransformerDecoderLayer."""

    def __init__(self, config, cross, window):
        super().__init__()
        width, inner = config["d_model"], config["d_ff"]
        self.norm, self.residual, self.window = config["norm"], config["residual"], window
        self.self_attn = Attention(config) if config["heads"] else None
        self.multihead_attn = Attention(config) if cross else None
        self.linear1 = nn.Linear(width, inner) if inner else None
        self.linear2 = nn.Linear(inner, width) if inner else None
        self.activation = ACTIVATIONS[config["activation"]]
        self.dropout = nn.Dropout(0.0)
        if self.norm != "none":
            for number in range(1 if config["heads"] else 2, 2 + cross + bool(inner)):
                setattr(self, f"norm{number}", layer_norm(config))

    def forward(self, x, hidden, memory=None, memory_hidden=None):
        if self.window:
            place = torch.arange(x.shape[1], device=x.device)
            hidden = hidden | ((place[:, None] - place).abs() >= self.window)
        sublayers = []
        if self.self_attn:
            sublayers.append(lambda x: self.self_attn(x, x, hidden))
        if self.multihead_attn:
            sublayers.append(lambda x: self.multihead_attn(x, memory, memory_hidden))
        if self.linear1:
            sublayers.append(lambda x: self.linear2(self.activation(self.linear1(x))))
        for number, sublayer in enumerate(sublayers, 1 if self.self_attn else 2):
            norm = getattr(self, f"norm{number}", None)
            y = self.dropout(sublayer(norm(x) if self.norm == "pre" else x))
            y = x + y if self.residual else y
            x = norm(y) if self.norm == "post" else y
        return x


class Stack(nn.Module):
    """The layers of an encoder or of a decoder."""

    def __init__(self, config, count, cross=False):
        super().__init__()
        self.layers = nn.ModuleList([Layer(config, cross, window_of(config, i)) for i in range(count)])
        self.norm = layer_norm(config) if config["finalNorm"] else None

    def forward(self, x, *others):
        for layer in self.layers:
            x = layer(x, *others)
        return self.norm(x) if self.norm else x


class Transformer(nn.Module):
    """An encoder, a decoder, or both: from token ids to logits."""

    def __init__(self, config):
        super().__init__()
        self.config = config
        width, words, bias = config["d_model"], config["vocabulary"], config["headBias"]
        if config["kind"] == "encoder-decoder":
            self.encoder = Stack(config, config["layers"])
            self.decoder = Stack(config, config["decoderLayers"], cross=True)
            self.tables = {"src_": "src_emb", "tgt_": "src_emb" if config["tiedEmbeddings"] else "tgt_emb"}
            sizes = {"tgt_emb": config["targetVocabulary"] or words, "src_emb": words}
        else:
            setattr(self, config["kind"], Stack(config, config["layers"]))
            self.tables = {"": "tok_emb"}
            sizes = {"tok_emb": words}
        for prefix, table in self.tables.items():
            setattr(self, table, nn.Embedding(sizes[table], width))
            if config["positions"] == "learned":
                setattr(self, f"{prefix}pos_emb", nn.Embedding(config["maxLength"], width))
            if config["embeddingNorm"]:
                setattr(self, f"{prefix}emb_ln", layer_norm(config))
        self.dropout = nn.Dropout(0.0)
        if config["headTransform"]:
            self.transform = nn.ModuleDict({"dense": nn.Linear(width, width), "norm": layer_norm(config)})
        if config["head"] == "linear":
            self.generator = nn.Linear(width, config["outputVocabulary"] or sizes[table], bias=bias)
        elif bias:
            self.generator = nn.Module()  # the weights are those of the embedding
            self.generator.bias = nn.Parameter(torch.empty(sizes[table]))

    def embed(self, ids, prefix=""):
        config, length = self.config, ids.shape[1]
        x = getattr(self, self.tables[prefix])(ids)
        if config["embeddingScale"]:
            x = x * math.sqrt(config["d_model"])
        if config["positions"] == "sinusoidal":
            x = x + sinusoids(length, config["d_model"], ids.device)
        if config["positions"] == "learned":
            x = x + getattr(self, f"{prefix}pos_emb").weight[:length]
        if config["embeddingNorm"]:
            x = getattr(self, f"{prefix}emb_ln")(x)
        return self.dropout(x)

    def forward(self, batch):
        config = self.config
        if config["kind"] == "encoder-decoder":
            ids, targets = batch["sourceIds"], batch["targetIds"]
            memory_hidden = hidden_from(ids, batch.get("sourcePadding"), False)
            memory = self.encoder(self.embed(ids, "src_"), memory_hidden)
            hidden = hidden_from(targets, batch.get("targetPadding"), config["causal"])
            x = self.decoder(self.embed(targets, "tgt_"), hidden, memory, memory_hidden)
        else:
            ids = batch["ids"]
            hidden = hidden_from(ids, batch.get("padding"), config["causal"])
            x = getattr(self, config["kind"])(self.embed(ids), hidden)
        if config["headTransform"]:
            x = self.transform["norm"](ACTIVATIONS[config["activation"]](self.transform["dense"](x)))
        if config["head"] == "linear":
            return self.generator(x)
        *_, table = self.tables.values()
        return F.linear(x, getattr(self, table).weight, self.generator.bias if config["headBias"] else None)


class FeedForward(nn.Module):
    """A feed-forward network alone: from vectors to vectors."""

    def __init__(self, config):
        super().__init__()
        self.linear1 = nn.Linear(config["d_model"], config["d_ff"])
        self.linear2 = nn.Linear(config["d_ff"], config["d_model"])
        self.activation = ACTIVATIONS[config["activation"]]

    def forward(self, batch):
        return self.linear2(self.activation(self.linear1(batch["vectors"])))


def model_of(config):
    return FeedForward(config) if config["kind"] == "feed-forward" else Transformer(config)


@torch.no_grad()
def draw_weights(model, task):
    """Random weights from the distributions that Glassformer draws from."""
    for name, weight in model.named_parameters():
        if "_emb." in name:
            nn.init.normal_(weight, std=weight.shape[1] ** -0.5)
        elif name.endswith("bias"):
            nn.init.zeros_(weight)
        elif len(weight.shape) == 2:
            for part in weight.chunk(3 if "in_proj" in name else 1):
                nn.init.xavier_uniform_(part)
    if task == "square":  # neurons that look left or right, with their kinks between -1 and 1
        model.linear1.weight.bernoulli_().mul_(2).sub_(1)
        model.linear1.bias.uniform_(-1, 1)


# The rows of the tasks, as Glassformer draws them.


class Random:
    """Glassformer's random numbers: xoshiro128++, its state filled by splitmix64."""

    def __init__(self, seed, stream):
        low = 0x811C9DC5
        for character in stream:
            low = (low ^ ord(character)) * 0x01000193 & 0xFFFFFFFF
        x, self.state = seed << 32 | low, []
        for _ in range(2):
            x = x + 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF
            z = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & 0xFFFFFFFFFFFFFFFF
            z = (z ^ z >> 27) * 0x94D049BB133111EB & 0xFFFFFFFFFFFFFFFF
            z ^= z >> 31
            self.state += [z & 0xFFFFFFFF, z >> 32]
        self.state[3] |= 1

    def next(self):
        a, b, c, d = self.state
        total = a + d & 0xFFFFFFFF
        result = (total << 7 & 0xFFFFFFFF | total >> 25) + a & 0xFFFFFFFF
        c ^= a
        d ^= b
        self.state = [a ^ d, b ^ c, c ^ b << 9 & 0xFFFFFFFF, d << 11 & 0xFFFFFFFF | d >> 21]
        return result

    def integer(self, n):
        """From 0 to n - 1."""
        end = 2**32 - 2**32 % n
        x = self.next()
        while x >= end:
            x = self.next()
        return x % n

    def integers(self, count, n):
        return [self.integer(n) for _ in range(count)]

    def shuffle(self, items):
        items = list(items)
        for i in range(len(items) - 1, 0, -1):
            j = self.integer(i + 1)
            items[i], items[j] = items[j], items[i]
        return items


def is_held_out(ids):
    """A hash keeps a tenth of all rows for the test."""
    h = 0x5EED
    for k in ids:
        k = k * 0xCC9E2D51 & 0xFFFFFFFF
        h ^= (k << 15 & 0xFFFFFFFF | k >> 17) * 0x1B873593 & 0xFFFFFFFF
        h = (h << 13 & 0xFFFFFFFF | h >> 19) * 5 + 0xE6546B64 & 0xFFFFFFFF
    h ^= len(ids)
    h = (h ^ h >> 16) * 0x85EBCA6B & 0xFFFFFFFF
    h = (h ^ h >> 13) * 0xC2B2AE35 & 0xFFFFFFFF
    return h ^ h >> 16 < 0.1 * 2**32


def digits_row(random, answer):
    digits = random.integers(8, 10)
    return digits, answer(digits)


def reverse_variable_row(random):
    """4 to 10 digits (2 to 11) and their end (1)."""
    count = 4 + random.integer(7)
    digits = [2 + digit for digit in random.integers(count, 10)]
    return digits + [1], digits[::-1] + [None]


def order_row(random):
    """Six letters, among them one A (0) and one B (1). At the last token, [CLS], the answer is which comes first."""
    letters = random.shuffle([0, 1] + [2 + letter for letter in random.integers(4, 10)])
    return letters + [12], [None] * 6 + [0 if letters.index(0) < letters.index(1) else 1]


def induction_row(random):
    """A unit of 3 to 8 letters, repeated. The answers begin when the unit comes for the second time."""
    period = 3 + random.integer(6)
    unit = random.shuffle(range(16))[:period]
    ids = [unit[place % period] for place in range(25)]
    return ids[:-1], [None] * period + ids[period + 1 :]


@functools.lru_cache(maxsize=None)
def held_out_sums():
    return Random(0, "addition 2").shuffle([True] * 1000 + [False] * 9000)


def addition_row(random):
    """12+34= and the sum, last digit first. 0 is a blank, digits are 1 to 10, + is 11, = is 12."""
    pair = random.integer(10000)
    while held_out_sums()[pair]:
        pair = random.integer(10000)
    a, b = divmod(pair, 100)
    text = f"{a:02}+{b:02}=" + f"{a + b:03}"[::-1]
    ids = ["_0123456789+=".index(character) for character in text]
    return ids[:-1], [None] * 5 + ids[6:]


# How each task draws a row: ids and labels, None where nothing is asked.
DRAW = {
    "copy": lambda random: digits_row(random, list),
    "reverse": lambda random: digits_row(random, lambda digits: digits[::-1]),
    "sort": lambda random: digits_row(random, sorted),
    "reverse-variable": reverse_variable_row,
    "order": order_row,
    "induction": induction_row,
    "addition": addition_row,
}
# All points of the tasks of a feed-forward network alone: inputs and labels.
POINTS = {
    "square": [([x], [x * x]) for x in (-1 + 2 * i / 255 for i in range(256))],
    "and": [([a, b], [a * b] * 2) for a in (0.0, 1.0) for b in (0.0, 1.0)],
    "xor": [([a, b], [abs(a - b)] * 2) for a in (0.0, 1.0) for b in (0.0, 1.0)],
}


def drawn_rows(run):
    """The rows of a run from its first step on, by the task's own generator."""
    task, ignored = run["task"], run["settings"]["ignoreIndex"]
    for vector, target in itertools.cycle(POINTS.get(task, [])):
        yield {"vectors": torch.tensor(vector), "labels": torch.tensor(target)}
    if task not in DRAW:
        raise SystemExit(
            f"This script does not draw the rows of the task {task}. Put data.safetensors beside it: "
            "go back to step 0 on the page and choose “Continue in PyTorch”."
        )
    random = Random(run["seed"], f"{task} batches")
    while True:
        ids, labels = DRAW[task](random)
        if task != "addition" and is_held_out(ids):
            continue
        blanks = 11 - len(ids) if task == "reverse-variable" else 0
        labels = [ignored if target is None else target for target in labels] + [ignored] * blanks
        row = {"ids": torch.tensor(ids + [0] * blanks), "labels": torch.tensor(labels)}
        if task == "reverse-variable":
            row["padding"] = torch.tensor([False] * len(ids) + [True] * blanks)
        yield row


def saved_rows(path, run):
    """The rows of a file, again and again."""
    data, said = load(path)
    for name in ("task", "seed", "step"):
        if said.get(name, str(run[name])) != str(run[name]):
            raise SystemExit(f"{path} has the rows of {name} {said[name]}; this run needs those of {run[name]}")
    for row in itertools.cycle(range(len(data["labels"]))):
        yield {name: values[row] for name, values in data.items()}


# Files.


def load(path):
    """The tensors of a safetensors file, and its metadata. Integers become long and bytes bool, as PyTorch wants."""
    types = {"F32": torch.float32, "I32": torch.int32, "U8": torch.uint8}
    wanted = {"F32": torch.float32, "I32": torch.long, "U8": torch.bool}
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = bytearray(file.read())
    said = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        shape, offset, dtype = entry["shape"], entry["data_offsets"][0], entry["dtype"]
        part = torch.frombuffer(data, dtype=types[dtype], offset=offset, count=math.prod(shape))
        tensors[name] = part.reshape(shape).to(wanted[dtype])
    return tensors, said


def save(path, tensors, said):
    header, end = {"__metadata__": said}, 0
    for name, values in tensors.items():
        begin, end = end, end + 4 * values.numel()
        header[name] = {"dtype": "F32", "shape": list(values.shape), "data_offsets": [begin, end]}
    data = bytearray(end)
    for name, values in tensors.items():
        offset = header[name]["data_offsets"][0]
        place = torch.frombuffer(data, dtype=torch.float32, offset=offset, count=values.numel())
        place.copy_(values.detach().flatten())
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path + ".part", "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)
    os.replace(path + ".part", path)  # an interrupted run leaves the last whole file


def save_run(path, model, optimizer, said, settings, step):
    tensors = dict(model.named_parameters())
    for name, parameter in model.named_parameters():
        state = optimizer.state.get(parameter, {})
        for moment, key in (("moment1", "exp_avg"), ("moment2", "exp_avg_sq")):
            kept = state.get(key, state.get("momentum_buffer") if moment == "moment1" else None)
            tensors[f"{moment}.{name}"] = torch.zeros_like(parameter) if kept is None else kept
    trainer = json.loads(said["glassformer.trainer"])
    trainer["settings"].update({name: settings[name] for name in trainer["settings"] if name in settings})
    trainer["steps"] = step
    said = {name: text for name, text in said.items() if name.startswith("glassformer.")}
    save(path, tensors, {**said, "glassformer.trainer": json.dumps(trainer)})


# Training.


def rate(settings, width, step):
    """The learning rate of a step, counted from 1."""
    high, warmup, steps, floor = (settings[name] for name in ("learningRate", "warmup", "steps", "floor"))
    if settings["schedule"] == "noam":
        return high * width**-0.5 * min(step**-0.5, step * warmup**-1.5)
    if step <= warmup:
        return high * step / warmup
    done = min(1, (step - warmup) / max(1, steps - warmup))
    if settings["schedule"] == "linear":
        return high * (1 - (1 - floor) * done)
    if settings["schedule"] == "cosine":
        return high * (floor + (1 - floor) * (1 + math.cos(math.pi * done)) / 2)
    return high


def optimizer_of(parameters, settings):
    if settings["optimizer"] == "sgd":
        return torch.optim.SGD(parameters, lr=settings["learningRate"], momentum=settings["momentum"])
    kind = {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW}[settings["optimizer"]]
    betas = settings["beta1"], settings["beta2"]
    return kind(parameters, lr=settings["learningRate"], betas=betas, eps=settings["epsilon"])


def restore(model, optimizer, saved, step):
    """Sets the weights and moments of a saved run."""
    model.load_state_dict({name: each for name, each in saved.items() if not name.startswith("moment")})
    for name, parameter in model.named_parameters():
        first, second = (saved[f"moment{i}.{name}"].clone().to(parameter.device) for i in (1, 2))
        if not parameter.requires_grad:
            continue
        if isinstance(optimizer, torch.optim.SGD):
            optimizer.state[parameter] = {"momentum_buffer": first}
        else:
            optimizer.state[parameter] = {"step": torch.tensor(float(step)), "exp_avg": first, "exp_avg_sq": second}


def batch_of(rows):
    """Rows below one another, by name."""
    rows = list(rows)
    return {name: torch.stack([row[name] for row in rows]) for name in rows[0]}


def loss_of(network, batch, settings, rank=0, world=1):
    """This process's share of the mean over all labels of the batch: its rows are every `world`th."""
    device = next(network.parameters()).device
    part = {name: values[rank::world].to(device) for name, values in batch.items()}
    outputs = network(part)
    if "vectors" in part:
        return F.mse_loss(outputs, part["labels"], reduction="sum") / batch["labels"].numel()
    how = {"ignore_index": settings["ignoreIndex"], "label_smoothing": settings["labelSmoothing"], "reduction": "sum"}
    total = F.cross_entropy(outputs.flatten(0, 1), part["labels"].flatten(), **how)
    return total / (batch["labels"] != settings["ignoreIndex"]).sum()


def read_run():
    if RUN:
        return json.loads(RUN)
    with open(os.path.join(FOLDER, "run.json"), encoding="utf-8") as file:
        return json.load(file)


def beside(name, given):
    """The file that was given, or the one beside this script, or None."""
    path = given or os.path.join(FOLDER, name)
    return path if given or os.path.exists(path) else None


def train(given):
    rank, world, local = (
        int(os.environ.get(name, number)) for name, number in (("RANK", 0), ("WORLD_SIZE", 1), ("LOCAL_RANK", 0))
    )
    device = torch.device("cuda", local) if torch.cuda.is_available() else torch.device("cpu")
    run = read_run()
    config, changes = run["config"], dict(run["changes"])  # by the steps taken before
    settings = {**run["settings"], "batch": run["batch"]}

    torch.manual_seed(run["seed"])
    model = model_of(config)
    draw_weights(model, run["task"])
    model.to(device)
    frozen = settings.get("frozen") or []  # what the names of weights begin with that stay as they are
    for name, parameter in model.named_parameters():
        parameter.requires_grad_(not any(f"{name}.".startswith(f"{part}.") for part in frozen))
    optimizer = optimizer_of([each for each in model.parameters() if each.requires_grad], settings)
    first, path = 0, beside("run.safetensors", given.run)
    parts = {"version": 1, "config": config, "trainer": {"settings": run["settings"], "steps": 0}}
    said = {f"glassformer.{name}": json.dumps(part) for name, part in parts.items()}
    if path:
        saved, said = load(path)
        first = json.loads(said["glassformer.trainer"])["steps"]
        restore(model, optimizer, saved, first)
    if first < run["step"]:
        raise SystemExit(f"{path or 'a new run'} is at step {first}; this script continues from step {run['step']}")

    taken = 0  # rows since run["step"]
    for step in range(run["step"], first):
        settings.update(changes.get(step, {}))
        taken += settings["batch"]
    path = beside("data.safetensors", given.data)
    rows = saved_rows(path, run) if path else itertools.islice(drawn_rows(run), run["row"], None)
    rows = itertools.islice(rows, taken, None)

    torch.manual_seed(run["seed"] + 1000003 * rank)  # of dropout
    network = model
    if world > 1:
        distributed.init_process_group("nccl" if device.type == "cuda" else "gloo")
        where = [local] if device.type == "cuda" else None
        network = nn.parallel.DistributedDataParallel(model, device_ids=where)

    steps = given.steps or run["steps"]
    for step in range(first, first + steps):
        settings.update(changes.get(step, {}))
        if world > settings["batch"]:
            raise SystemExit(f"{world} processes are more than the {settings['batch']} rows of a batch")
        for group in optimizer.param_groups:
            group.update(lr=rate(settings, config["d_model"], step + 1), weight_decay=settings["weightDecay"])
        for module in model.modules():
            if isinstance(module, nn.Dropout):
                module.p = settings["dropout"]
        batch = batch_of(itertools.islice(rows, settings["batch"]))
        loss = loss_of(network, batch, settings, rank, world)
        optimizer.zero_grad()
        (loss * world).backward()  # DistributedDataParallel takes the mean of the gradients, not the sum
        trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
        norm = nn.utils.clip_grad_norm_(trained, settings["clip"] or math.inf)
        if not norm.isfinite():
            raise SystemExit(f"step {step + 1}: the gradient norm is {norm.item()}; the step is not taken")
        optimizer.step()
        count = step + 1 - first
        if count <= 10 or count % 25 == 0:
            loss = loss.detach()
            if world > 1:
                distributed.all_reduce(loss)
            if rank == 0:
                print(f"step {step + 1}: loss {loss.item():.7f}, gradient norm {norm.item():.6f}", flush=True)
        if rank == 0 and (count % given.save_every == 0 or count == steps):
            save_run(given.out, model, optimizer, said, settings, step + 1)
    if world > 1:
        distributed.barrier()
        distributed.destroy_process_group()


def process(rank, given, port):
    """One of several processes on this machine, with the environment that torchrun would set."""
    where = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "WORLD_SIZE": given.processes}
    os.environ.update({name: str(each) for name, each in {**where, "RANK": rank, "LOCAL_RANK": rank}.items()})
    torch.set_num_threads(max(1, (os.cpu_count() or 1) // given.processes))
    train(given)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, help="how many steps to take (default: those of run.json)")
    parser.add_argument("--run", help="a saved run to continue (default: run.safetensors)")
    parser.add_argument("--data", help="the rows (default: data.safetensors)")
    parser.add_argument("--out", default=os.path.join(FOLDER, "continued.safetensors"), help="where to save the run")
    parser.add_argument("--save-every", type=int, default=500, help="steps (default: %(default)s)")
    parser.add_argument("--processes", type=int, default=1, help="on this machine, without torchrun")
    given = parser.parse_args()
    if (given.steps is not None and given.steps < 1) or given.save_every < 1 or given.processes < 1:
        parser.error("--steps, --save-every and --processes must be 1 or more")
    if given.processes == 1 or "RANK" in os.environ:
        return train(given)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    multiprocessing.spawn(process, (given, port), nprocs=given.processes)


if __name__ == "__main__":
    main()
