// The Transformer of a run in PyTorch, its rows and its loss, in Python.

import { embedded, embeddingOf, headOf, logitsOf, ownLayers, ownStack, sinusoids } from './module.js';
import { rowsOf } from './rows.js';

/** @typedef {import('./script.js').TorchOf} TorchOf */

/**
 * @param {TorchOf} run
 * @param {{drops: boolean, count: number}} how `drops`: it has dropout; `count`: rows that it takes
 * @returns {import('./script.js').Parts}
 */
export function transformerOf({ task, settings, config, trainer, width, padded, level }, { drops, count }) {
  const { kind, causal } = config;
  const rows = rowsOf(task, { seed: Number(settings.seed), count, level });
  const hides = causal || padded;

  return {
    about: rows.about,
    imports: [`import itertools`, ...rows.imports],
    constants: [
      `HEADS, LAYERS, WORDS, IGNORE = ${config.heads}, ${config.layers}, ${config.vocabulary}, ${trainer.ignoreIndex}`,
    ],
    data: rows.lines,
    model: [
      ...ownLayers(config, { drops, cross: false, hides }),
      ...sinusoids(config, ''),
      `class Model(nn.Module):`,
      `    def __init__(self):`,
      `        super().__init__()`,
      ...embeddingOf(config),
      ...ownStack(config, kind),
      ...headOf(config, 'WORDS'),
      ``,
      `    def forward(self, ids, hidden):`,
      ...embedded(config, { drops }),
      `        for layer in self.${kind}.layers:`,
      `            x = layer(x, hidden)`,
      ...(config.finalNorm ? [`        x = self.${kind}.norm(x)`] : []),
      ...logitsOf(config, 'tok_emb'),
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
