// The Transformer of a run in PyTorch, its rows and its loss, in Python.

import { ACTIVATIONS } from './torch-activations.js';
import { rowsOf } from './torch-rows.js';

/** @typedef {import('./torch.js').TorchOf} TorchOf */

const indent = (/** @type {string[]} */ ...lines) => lines.map((line) => `        ${line}`);

/**
 * @param {TorchOf} run
 * @param {{drops: boolean, count: number}} how `drops`: it has dropout; `count`: rows that it takes
 * @returns {import('./torch.js').Parts}
 */
export function transformerOf({ task, settings, config, trainer, width, padded, level }, { drops, count }) {
  const { kind, d_ff, norm, residual, positions, causal, epsilon, embeddingNorm, finalNorm, attentionBias } = config;
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
  const layerNorm = `nn.LayerNorm(D, eps=${epsilon}${config.normAffine ? '' : ', elementwise_affine=False'})`;
  const isTied = config.head === 'tied';
  const table = isTied ? 'self.tok_emb.weight' : 'self.generator.weight';
  const norms = norm === 'none' ? [] : d_ff ? ['norm1', 'norm2'] : ['norm1'];

  return {
    about: rows.about,
    imports: [`import itertools`, ...rows.imports],
    constants: [
      `HEADS, LAYERS, WORDS, IGNORE = ${config.heads}, ${config.layers}, ${config.vocabulary}, ${trainer.ignoreIndex}`,
    ],
    data: rows.lines,
    model: [
      ...(drops ? [`def drop(x):`, `    return F.dropout(x, settings["dropout"])`, ``, ``] : []),
      `class Attention(nn.Module):`,
      `    def __init__(self):`,
      `        super().__init__()`,
      `        self.in_proj_weight = nn.Parameter(torch.cat([xavier(D, D) for _ in range(3)]))`,
      ...(attentionBias ? indent(`self.in_proj_bias = nn.Parameter(torch.zeros(3 * D))`) : []),
      `        self.out_proj = Linear(D, D${attentionBias ? '' : ', bias=False'})`,
      ``,
      `    def forward(self, x, hidden):`,
      `        B, T, _ = x.shape`,
      `        projected = F.linear(x, self.in_proj_weight${attentionBias ? ', self.in_proj_bias' : ''})`,
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
      ...norms.map((name) => `        self.${name} = ${layerNorm}`),
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
      ...(embeddingNorm ? indent(`self.emb_ln = ${layerNorm}`) : []),
      `        self.${kind} = nn.Module()`,
      `        self.${kind}.layers = nn.ModuleList([Layer() for _ in range(LAYERS)])`,
      ...(finalNorm ? indent(`self.${kind}.norm = ${layerNorm}`) : []),
      ...(isTied && !config.headBias
        ? []
        : indent(`self.generator = nn.Module()${isTied ? '  # its table is that of the embedding' : ''}`)),
      ...(isTied ? [] : indent(`self.generator.weight = nn.Parameter(xavier(WORDS, D))`)),
      ...(config.headBias ? indent(`self.generator.bias = nn.Parameter(torch.zeros(WORDS))`) : []),
      ``,
      `    def forward(self, ids, hidden):`,
      `        x = self.tok_emb(ids)${config.embeddingScale ? ' * math.sqrt(D)' : ''}`,
      ...(positions === 'sinusoidal' ? indent(`x = x + sinusoids(ids.shape[1])`) : []),
      ...(positions === 'learned' ? indent(`x = x + self.pos_emb.weight[: ids.shape[1]]`) : []),
      ...(embeddingNorm ? indent(`x = self.emb_ln(x)`) : []),
      ...(drops ? indent(`x = drop(x)`) : []),
      `        for layer in self.${kind}.layers:`,
      `            x = layer(x, hidden)`,
      ...(finalNorm ? indent(`x = self.${kind}.norm(x)`) : []),
      `        return F.linear(x, ${table}${config.headBias ? ', self.generator.bias' : ''})`,
      ``,
      ``,
    ],
    loss: [
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
    ],
    batch: [`rows = all_rows()`, `list(itertools.islice(rows, settings["batch"]))`],
  };
}
