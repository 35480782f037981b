// The Python script that carries on with a saved run in PyTorch, on one process or many.

import { ACTIVATIONS } from './activations.js';
import { LOAD_AND_SAVE, MAIN } from './carry-on-lines.js';
import {
  embedded,
  embeddingOf,
  headOf,
  isPlain,
  logitsOf,
  ownLayers,
  ownStack,
  plainStack,
  sinusoids,
  windowed,
  windowsOf,
} from './module.js';
import { linear, optimizerOf, python, rate } from './parts.js';

/**
 * @typedef {{
 *   task: string, seed: number, step: number, steps: number, config: Record<string, any>, trainer: Record<string, any>,
 *   settings: Record<string, any>, changes: [number, Record<string, any>][], names: string[],
 * }} Continued `steps`: whose data there are; `settings`: those that may change, at this step; `changes` that are still
 *   to come; `names` of the data's tensors
 */

/** @param {Continued} run @returns {string} */
export function continuedScript(run) {
  const { task, seed, step, steps, config, trainer, settings, changes, names } = run;
  const isFfn = config.kind === 'feed-forward';
  const drops = !isFfn && [settings, ...changes.map(([, patch]) => patch)].some(({ dropout }) => Number(dropout) > 0);
  const hasPadding = names.includes('padding');
  const { constants, model, logits, loss } = isFfn ? ffnOf(config) : transformerOf(config, drops, hasPadding);
  const hasMomentum = trainer.optimizer !== 'sgd' || trainer.momentum > 0;

  return [
    `"""Glassformer's task ${task}, seed ${seed}, carried on from step ${step} in PyTorch (1.13 or later).`,
    ``,
    `    python3 train.py                         one process`,
    `    torchrun --nproc_per_node=4 train.py     four, which share each batch (DistributedDataParallel)`,
    `    python3 train.py --processes 4           the same on this machine, without torchrun, or where it fails`,
    `                                             (that of PyTorch 1.13 does in Python 3.11 without -r 1 -t 1)`,
    `    python3 train.py --help                  what else can be said`,
    ``,
    `run.safetensors: weights, the optimiser's moments, settings and number of steps, as Glassformer saves a run.`,
    ...(isFfn
      ? [`data.safetensors: the points of the task; each step takes all of them.`]
      : [
          `data.safetensors: the rows of the next ${steps} steps, by the task's own generator from the same seed, in`,
          `order. After the last one the first comes again. Other rows under the same names may take their place.`,
        ]),
    `What is trained is saved in the form of run.safetensors: --run goes on with it, Glassformer's loadModel opens it.`,
    `PyTorch adds up in another order: losses agree with Glassformer's to rounding at first, and then drift apart.`,
    ...(drops ? [`Dropout is drawn by PyTorch: with it the losses differ from the first step on.`] : []),
    `"""`,
    `import argparse`,
    `import json`,
    `import math`,
    `import os`,
    `import socket`,
    `import struct`,
    ``,
    `import torch`,
    `from torch import distributed, multiprocessing, nn`,
    `from torch.nn import functional as F`,
    ``,
    `SEED, START, STEPS = ${seed}, ${step}, ${steps}`,
    `D, FF, IGNORE = ${config.d_model}, ${config.d_ff}, ${trainer.ignoreIndex}`,
    ...constants,
    `FROZEN = ${python([...(trainer.frozen ?? [])])}  # weights that stay as they are: what their names begin with`,
    `settings = {`,
    ...Object.entries(settings).map(([name, value]) => `    "${name}": ${python(value)},`),
    `}`,
    `changes = {${changes.map(([at, patch]) => `${at}: ${python(patch)}`).join(', ')}}  # by the steps taken before`,
    ``,
    ``,
    ...model,
    ``,
    ``,
    `def loss_of(network, batch, rank, world):`,
    `    """This process's share of the mean over all targets of the batch: its rows are every \`world\`th."""`,
    `    device = next(network.parameters()).device`,
    `    part = {name: values[rank::world].to(device) for name, values in batch.items()}`,
    `    ${logits}`,
    ...loss,
    ``,
    ``,
    ...rate('settings["floor"]', true),
    ``,
    ``,
    ...LOAD_AND_SAVE,
    ``,
    ``,
    `def optimizer_of(model, saved, step):`,
    `    """With the moments of a saved run."""`,
    `    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]`,
    `    optimizer = ${optimizerOf({ ...trainer, ...settings }, 'trained')}`,
    ...(hasMomentum
      ? [
          `    for name, parameter in model.named_parameters():`,
          `        first, second = (saved[f"moment{i}.{name}"].clone().to(parameter.device) for i in (1, 2))`,
          `        if parameter.requires_grad:`,
          trainer.optimizer === 'sgd'
            ? `            optimizer.state[parameter] = {"momentum_buffer": first}`
            : `            state = {"step": torch.tensor(float(step)), "exp_avg": first, "exp_avg_sq": second}`,
          ...(trainer.optimizer === 'sgd' ? [] : [`            optimizer.state[parameter] = state`]),
        ]
      : []),
    `    return optimizer`,
    ``,
    ``,
    ...MAIN,
    ``,
  ].join('\n');
}

/**
 * @param {Record<string, any>} config
 * @param {boolean} drops
 * @param {boolean} hasPadding
 */
function transformerOf(config, drops, hasPadding) {
  const { kind, causal, finalNorm } = config;
  const isPair = kind === 'encoder-decoder';
  const plain = isPlain(config, drops);
  const targets = config.targetVocabulary || config.vocabulary; // of a single stack the latter
  const output = config.outputVocabulary || targets;
  const words = `${config.vocabulary}, ${output}`;
  const { window } = config;
  const hides = hasPadding || causal || Boolean(window);
  const empties = hasPadding && Boolean(window);
  const layers = plain ? [] : ownLayers(config, { drops, cross: isPair, hides, empties });
  const needsLinear = !plain || config.head === 'linear';
  return {
    constants: [
      `HEADS, LAYERS, WORDS, OUTPUTS = ${config.heads}, ${config.layers}, ${words}`,
      ...(isPair ? [`DECODER_LAYERS, TARGET_WORDS = ${config.decoderLayers}, ${targets}`] : []),
      ...(window
        ? [
            `# How far the self-attention of each layer sees, its own place included; 0: as far as there are tokens.`,
            `WINDOWS = ${python(windowsOf(config, Math.max(config.layers, isPair ? config.decoderLayers : 0)))}`,
          ]
        : []),
    ],
    model: [
      ...(needsLinear ? [...linear(config.attentionBias), ``, ``] : []),
      ...sinusoids(config, 'device'),
      ...(causal
        ? [
            `def later(length, device):`,
            `    """Where a token must not attend to: the tokens after it."""`,
            `    return torch.ones(length, length, dtype=torch.bool, device=device).triu(1)`,
            ``,
            ``,
          ]
        : []),
      ...windowed(config),
      ...layers,
      `class Model(nn.Module):`,
      `    def __init__(self):`,
      `        super().__init__()`,
      ...(isPair ? pairOf(config, plain) : stackOf(config, plain)),
      ...headOf(config, 'OUTPUTS'),
      ``,
      ...(isPair
        ? pairForward(config, { plain, drops, hasPadding })
        : [
            `    def forward(self, ids, padding=None):`,
            ...embedded(config, { drops, device: ', ids.device' }),
            ...(plain
              ? [
                  `        mask = ${causal ? 'later(ids.shape[1], ids.device)' : 'None'}`,
                  `        x = self.${kind}(x, mask=mask, src_key_padding_mask=padding)`,
                ]
              : [
                  `        hidden = ${hiddenOf(config, hasPadding, 'ids', 'padding')}`,
                  ...through(config, kind, 'x', 'hidden', 'ids'),
                  ...(finalNorm ? [`        x = self.${kind}.norm(x)`] : []),
                ]),
          ]),
      ...logitsOf(config, isPair ? (config.tiedEmbeddings ? 'src_emb' : 'tgt_emb') : 'tok_emb'),
    ],
    logits: isPair
      ? `logits = network(part["ids"], part["targetIds"], part.get("padding"), part.get("targetPadding"))`
      : `logits = network(part["ids"], part.get("padding"))`,
    loss: [
      `    how = {"ignore_index": IGNORE, "label_smoothing": settings["labelSmoothing"], "reduction": "sum"}`,
      `    total = F.cross_entropy(logits.flatten(0, 1), part["targets"].flatten(), **how)`,
      `    return total / (batch["targets"] != IGNORE).sum()`,
    ],
  };
}

/** @param {Record<string, any>} config @param {boolean} hasPadding @param {string} ids @param {string} padding */
const hiddenOf = ({ causal, window }, hasPadding, ids, padding) =>
  [
    ...(hasPadding ? [`${padding}[:, None, None, :]`] : []),
    ...(causal ? [`later(${ids}.shape[1], ${ids}.device)`] : []),
  ].join(' | ') || (window ? `torch.zeros(1, 1, dtype=torch.bool, device=${ids}.device)` : 'None');

/**
 * A stack's own layers, one after the other.
 * @param {Record<string, any>} config
 * @param {string} stack @param {string} x @param {string} hidden @param {string} ids @param {string} others arguments
 */
const through = ({ window }, stack, x, hidden, ids, others = '') =>
  window
    ? [
        `        for layer, window in zip(self.${stack}.layers, WINDOWS):`,
        `            ${x} = layer(${x}${others && ', memory'}, within(window, ${hidden}, ${ids}.shape[1])${others})`,
      ]
    : [
        `        for layer in self.${stack}.layers:`,
        `            ${x} = layer(${x}${others && ', memory'}, ${hidden}${others})`,
      ];

/** @param {Record<string, any>} config @param {boolean} plain */
const stackOf = (config, plain) => [
  ...embeddingOf(config),
  ...(plain ? plainStack(config, config.kind, 'Encoder', 'LAYERS') : ownStack(config, config.kind)),
];

/** @param {Record<string, any>} config @param {boolean} plain */
const pairOf = (config, plain) => [
  ...embeddingOf(config, { prefix: 'src_', table: 'src_emb' }),
  ...embeddingOf(config, { prefix: 'tgt_', table: config.tiedEmbeddings ? '' : 'tgt_emb', size: 'TARGET_WORDS' }),
  ...(plain
    ? [
        ...plainStack(config, 'encoder', 'Encoder', 'LAYERS'),
        ...plainStack(config, 'decoder', 'Decoder', 'DECODER_LAYERS'),
      ]
    : [...ownStack(config, 'encoder'), ...ownStack(config, 'decoder', 'DecoderLayer', 'DECODER_LAYERS')]),
];

/**
 * @param {Record<string, any>} config
 * @param {{plain: boolean, drops: boolean, hasPadding: boolean}} how
 */
function pairForward(config, { plain, drops, hasPadding }) {
  const { causal, finalNorm, tiedEmbeddings } = config;
  const source = { ...config, causal: false };
  const target = { prefix: 'tgt_', table: tiedEmbeddings ? 'src_emb' : 'tgt_emb', ids: 'target_ids' };
  const later = causal ? 'later(target_ids.shape[1], ids.device)' : 'None';
  return [
    `    def forward(self, ids, target_ids, padding=None, target_padding=None):`,
    ...embedded(config, { prefix: 'src_', table: 'src_emb', x: 'memory', drops, device: ', ids.device' }),
    ...(plain
      ? [
          `        memory = self.encoder(memory, src_key_padding_mask=padding)`,
          ...embedded(config, { ...target, drops, device: ', ids.device' }),
          `        x = self.decoder(`,
          `            x, memory, tgt_mask=${later},`,
          `            tgt_key_padding_mask=target_padding, memory_key_padding_mask=padding,`,
          `        )`,
        ]
      : [
          `        memory_hidden = ${hiddenOf(source, hasPadding, 'ids', 'padding')}`,
          ...through(config, 'encoder', 'memory', 'memory_hidden', 'ids'),
          ...(finalNorm ? [`        memory = self.encoder.norm(memory)`] : []),
          ...embedded(config, { ...target, drops, device: ', ids.device' }),
          `        hidden = ${hiddenOf(config, hasPadding, 'target_ids', 'target_padding')}`,
          ...through(config, 'decoder', 'x', 'hidden', 'target_ids', ', memory_hidden'),
          ...(finalNorm ? [`        x = self.decoder.norm(x)`] : []),
        ]),
  ];
}

/** @param {Record<string, any>} config */
function ffnOf({ activation }) {
  const inner = (ACTIVATIONS[activation] ?? '@').replace('@', 'self.linear1(x)');
  return {
    constants: [],
    model: [
      `class Model(nn.Module):`,
      `    def __init__(self):`,
      `        super().__init__()`,
      `        self.linear1 = nn.Linear(D, FF)`,
      `        self.linear2 = nn.Linear(FF, D)`,
      ``,
      `    def forward(self, x):`,
      `        return self.linear2(${inner})`,
    ],
    logits: `outputs = network(part["vectors"])`,
    loss: [`    return F.mse_loss(outputs, part["targets"], reduction="sum") / batch["targets"].numel()`],
  };
}
