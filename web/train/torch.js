// A Python script that trains with PyTorch what the page trains, made of a run's configuration. Fetched on use.
// Every line is a string of its own, as the bundle takes the indentation from the lines of longer ones.

import { stretchesOf } from './changes.js';
import { rowsOf } from './torch-rows.js';

/**
 * @typedef {Readonly<Record<string, import('./settings.js').Value>>} Settings
 * @typedef {{
 *   task: string, settings: Settings, changes: readonly import('./changes.js').Change[], step: number,
 *   config: Record<string, any>, trainer: Record<string, any>, width: number, padded: boolean, level: string,
 * }} TorchOf `config`, `trainer`: all settings of both; `width`: of the rows, which may be `padded`
 */

/** A value as Python writes it. @param {any} value @returns {string} */
function python(value) {
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (Array.isArray(value)) return `[${value.map(python).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'None';
  return `{${Object.entries(value)
    .map(([name, each]) => `${JSON.stringify(name)}: ${python(each)}`)
    .join(', ')}}`;
}

/** What the loop reads, as it can change on the way. */
const LIVE = [
  'learningRate',
  'schedule',
  'warmup',
  'steps',
  'batch',
  'weightDecay',
  'dropout',
  'labelSmoothing',
  'clip',
];

/** @type {Record<string, string>} */
const ACTIVATIONS = { relu: 'F.relu(@)', gelu: 'F.gelu(@)', silu: 'F.silu(@)', none: '@' };

/** @param {TorchOf} run */
export function torchOf({ task, settings, changes, step, config, trainer, width, padded, level }) {
  const { kind, d_ff, norm, residual, positions, causal, epsilon, finalNorm } = config;
  const live = Object.fromEntries(LIVE.map((name) => [name, settings[name]]));
  const drops = [settings, ...changes.map(([, patch]) => patch)].some(({ dropout }) => Number(dropout) > 0);
  const start = `${task}-0.safetensors`;
  const last = stretchesOf(
    settings,
    changes.filter(([at]) => at < step),
  ).slice(-1)[0];
  const count = last.row + (step - last.from) * Number(last.settings.batch);
  const rows = rowsOf(task, { seed: Number(settings.seed), count, level });
  const hides = causal || padded;

  /** @param {string} sublayer what it computes of @ @param {string} name of its norm */
  function sum(sublayer, name) {
    const branch = sublayer.replace('@', norm === 'pre' ? `self.${name}(x)` : 'x');
    const out = drops ? `drop(${branch})` : branch;
    const total = residual ? `x + ${out}` : out;
    return norm === 'post' ? `self.${name}(${total})` : total;
  }

  const inner = (ACTIVATIONS[config.activation] ?? '@').replace('@', 'self.linear1(@)');
  const norms = norm === 'none' ? [] : d_ff ? ['norm1', 'norm2'] : ['norm1'];
  const indent = (/** @type {string[]} */ ...lines) => lines.map((line) => `        ${line}`);

  return [
    `"""Glassformer's task ${task}, seed ${settings.seed}, trained with PyTorch (1.13 or later; no other package).`,
    ``,
    ...rows.about,
    `Weights: where ${start} lies beside this script (in Train: back to step 0, "Save the run"),`,
    `training begins with the page's weights, else with others from the same distributions. Neither way gives the`,
    `page's bits, as PyTorch adds up in another order: from the same weights the losses agree to rounding, some 1e-4`,
    `over the first steps, and then drift apart.`,
    ...(drops ? [`Dropout is drawn by PyTorch: with it the losses differ from the first step on.`] : []),
    `"""`,
    `import itertools`,
    `import json`,
    `import math`,
    `import os`,
    `import struct`,
    ...rows.imports,
    ``,
    `import torch`,
    `from torch import nn`,
    `from torch.nn import functional as F`,
    ``,
    `SEED, STEPS = ${settings.seed}, ${step}`,
    `D, HEADS, FF, LAYERS, WORDS = ${config.d_model}, ${config.heads}, ${d_ff}, ${config.layers}, ${config.vocabulary}`,
    `IGNORE = ${trainer.ignoreIndex}`,
    `settings = {`,
    ...Object.entries(live).map(([name, value]) => `    "${name}": ${python(value)},`),
    `}`,
    `changes = {${changes.map(([at, patch]) => `${at}: ${python(patch)}`).join(', ')}}  # by the steps taken before`,
    ``,
    ``,
    ...rows.lines,
    ``,
    ``,
    `def xavier(rows, columns):`,
    `    return nn.init.xavier_uniform_(torch.empty(rows, columns))`,
    ``,
    ``,
    `class Linear(nn.Module):`,
    `    def __init__(self, columns, rows):`,
    `        super().__init__()`,
    `        self.weight = nn.Parameter(xavier(rows, columns))`,
    `        self.bias = nn.Parameter(torch.zeros(rows))`,
    ``,
    `    def forward(self, x):`,
    `        return F.linear(x, self.weight, self.bias)`,
    ``,
    ``,
    ...(drops ? [`def drop(x):`, `    return F.dropout(x, settings["dropout"])`, ``, ``] : []),
    `class Attention(nn.Module):`,
    `    def __init__(self):`,
    `        super().__init__()`,
    `        self.in_proj_weight = nn.Parameter(torch.cat([xavier(D, D) for _ in range(3)]))`,
    `        self.in_proj_bias = nn.Parameter(torch.zeros(3 * D))`,
    `        self.out_proj = Linear(D, D)`,
    ``,
    `    def forward(self, x, hidden):`,
    `        B, T, _ = x.shape`,
    `        projected = F.linear(x, self.in_proj_weight, self.in_proj_bias)`,
    `        q, k, v = projected.view(B, T, 3, HEADS, D // HEADS).permute(2, 0, 3, 1, 4)`,
    `        scores = q @ k.transpose(2, 3)${config.scoreScale ? ' / math.sqrt(D // HEADS)' : ''}`,
    ...(hides ? [`        scores = scores.masked_fill(hidden, -math.inf)`] : []),
    `        return self.out_proj((scores.softmax(3) @ v).transpose(1, 2).reshape(B, T, D))`,
    ``,
    ``,
    `class Layer(nn.Module):`,
    `    def __init__(self):`,
    `        super().__init__()`,
    `        self.self_attn = Attention()`,
    ...(d_ff ? indent(`self.linear1 = Linear(D, FF)`, `self.linear2 = Linear(FF, D)`) : []),
    ...norms.map((name) => `        self.${name} = nn.LayerNorm(D, eps=${epsilon})`),
    ``,
    `    def forward(self, x, hidden):`,
    `        x = ${sum('self.self_attn(@, hidden)', 'norm1')}`,
    ...(d_ff ? indent(`x = ${sum(`self.linear2(${inner})`, 'norm2')}`) : []),
    `        return x`,
    ``,
    ``,
    ...(positions === 'sinusoidal'
      ? [
          `def sinusoids(length):`,
          `    place = torch.arange(length, dtype=torch.float64)[:, None]`,
          `    angle = place * torch.exp(-torch.arange(0, D, 2, dtype=torch.float64) / D * math.log(10000))`,
          `    return torch.stack([angle.sin(), angle.cos()], 2).flatten(1)[:, :D].float()`,
          ``,
          ``,
        ]
      : []),
    `class Model(nn.Module):`,
    `    def __init__(self):`,
    `        super().__init__()`,
    `        self.tok_emb = nn.Embedding(WORDS, D)`,
    `        nn.init.normal_(self.tok_emb.weight, std=D**-0.5)`,
    ...(positions === 'learned'
      ? indent(
          `self.pos_emb = nn.Embedding(${config.maxLength}, D)`,
          `nn.init.normal_(self.pos_emb.weight, std=D**-0.5)`,
        )
      : []),
    `        self.${kind} = nn.Module()`,
    `        self.${kind}.layers = nn.ModuleList([Layer() for _ in range(LAYERS)])`,
    ...(finalNorm ? indent(`self.${kind}.norm = nn.LayerNorm(D, eps=${epsilon})`) : []),
    `        self.generator = nn.Module()  # its table is that of the embedding`,
    `        self.generator.bias = nn.Parameter(torch.zeros(WORDS))`,
    ``,
    `    def forward(self, ids, hidden):`,
    `        x = self.tok_emb(ids)${config.embeddingScale ? ' * math.sqrt(D)' : ''}`,
    ...(positions === 'sinusoidal' ? indent(`x = x + sinusoids(ids.shape[1])`) : []),
    ...(positions === 'learned' ? indent(`x = x + self.pos_emb.weight[: ids.shape[1]]`) : []),
    ...(drops ? indent(`x = drop(x)`) : []),
    `        for layer in self.${kind}.layers:`,
    `            x = layer(x, hidden)`,
    ...(finalNorm ? indent(`x = self.${kind}.norm(x)`) : []),
    `        return F.linear(x, self.tok_emb.weight, self.generator.bias)`,
    ``,
    ``,
    `def read_weights(path):`,
    `    with open(path, "rb") as file:`,
    `        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))`,
    `        data = bytearray(file.read())`,
    `    said = header.pop("__metadata__")`,
    `    assert json.loads(said["glassformer.trainer"])["steps"] == 0, "not the run at step 0"`,
    `    weights = {}`,
    `    for name, entry in header.items():`,
    `        begin, end = entry["data_offsets"]`,
    `        if not name.startswith("moment"):`,
    `            part = torch.frombuffer(data, dtype=torch.float32, count=(end - begin) // 4, offset=begin)`,
    `            weights[name] = part.reshape(entry["shape"])`,
    `    return weights`,
    ``,
    ``,
    `def rate(step):`,
    `    """The learning rate of a step, counted from 1."""`,
    `    high, warmup, steps = settings["learningRate"], settings["warmup"], settings["steps"]`,
    `    if step <= warmup:`,
    `        return high * step / warmup`,
    `    done = min(1, (step - warmup) / max(1, steps - warmup))`,
    `    if settings["schedule"] == "linear":`,
    `        return high * (1 - 0.98 * done)`,
    `    if settings["schedule"] == "cosine":`,
    `        return high * (0.02 + 0.98 * (1 + math.cos(math.pi * done)) / 2)`,
    `    return high`,
    ``,
    ``,
    `def tensors(batch):`,
    ...(padded
      ? [
          `    width = ${width}`,
          `    ids = torch.tensor([row + [0] * (width - len(row)) for row, _ in batch])`,
          `    targets = torch.tensor([row + [IGNORE] * (width - len(row)) for _, row in batch])`,
          `    lengths = torch.tensor([len(row) for row, _ in batch])`,
          `    hidden = (torch.arange(width) >= lengths[:, None])[:, None, None, :]`,
          ...(causal ? [`    hidden = hidden | torch.ones(width, width, dtype=torch.bool).triu(1)`] : []),
        ]
      : [
          `    ids = torch.tensor([row for row, _ in batch])`,
          `    targets = torch.tensor([row for _, row in batch])`,
          causal
            ? `    hidden = torch.ones(ids.shape[1], ids.shape[1], dtype=torch.bool).triu(1)`
            : `    hidden = None`,
        ]),
    `    return ids, targets, hidden`,
    ``,
    ``,
    `def loss_of(model, batch):`,
    `    ids, targets, hidden = tensors(batch)`,
    `    logits = model(ids, hidden)`,
    `    how = {"ignore_index": IGNORE, "label_smoothing": settings["labelSmoothing"]}`,
    `    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), **how)`,
    ``,
    ``,
    `def main():`,
    `    torch.manual_seed(SEED)`,
    `    model = Model()`,
    `    start = os.path.join(os.path.dirname(os.path.abspath(__file__)), ${JSON.stringify(start)})`,
    `    if os.path.exists(start):`,
    `        model.load_state_dict(read_weights(start))`,
    `    optimizer = ${optimizerOf(trainer)}`,
    `    rows = all_rows()`,
    `    for step in range(STEPS):`,
    `        settings.update(changes.get(step, {}))`,
    `        for group in optimizer.param_groups:`,
    `            group.update(lr=rate(step + 1), weight_decay=settings["weightDecay"])`,
    `        loss = loss_of(model, list(itertools.islice(rows, settings["batch"])))`,
    `        optimizer.zero_grad()`,
    `        loss.backward()`,
    `        norm = nn.utils.clip_grad_norm_(model.parameters(), settings["clip"] or math.inf)`,
    `        optimizer.step()`,
    `        if step < 10 or (step + 1) % 25 == 0:`,
    `            print(f"step {step + 1}: loss {loss.item():.6f}, gradient norm {norm:.4f}")`,
    ``,
    ``,
    `if __name__ == "__main__":`,
    `    main()`,
    ``,
  ].join('\n');
}

/** @param {Record<string, any>} trainer */
function optimizerOf({ optimizer, learningRate, beta1, beta2, epsilon, momentum }) {
  if (optimizer === 'sgd') return `torch.optim.SGD(model.parameters(), lr=${learningRate}, momentum=${momentum})`;
  const name = optimizer === 'adam' ? 'Adam' : 'AdamW';
  return `torch.optim.${name}(model.parameters(), lr=${learningRate}, betas=(${beta1}, ${beta2}), eps=${epsilon})`;
}
