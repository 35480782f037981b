// A Python script that trains with PyTorch what the page trains, made of a run's configuration. Fetched on use.
// Every line is a string of its own, as the bundle takes the indentation from the lines of longer ones.

import { LIVE, stretchesOf } from '../train/settings/changes.js';
import { ffnOf } from './ffn.js';
import { transformerOf } from './model.js';
import { linear, optimizerOf, python, rate } from './parts.js';

/**
 * @typedef {Readonly<Record<string, import('../train/settings/settings.js').Value>>} Settings
 * @typedef {{
 *   task: string, settings: Settings, changes: readonly import('../train/settings/changes.js').Change[], step: number,
 *   config: Record<string, any>, trainer: Record<string, any>, floors: Record<string, number>, width: number,
 *   padded: boolean, level: string,
 * }} TorchOf `config`, `trainer`: all settings of both; `floors`: where each schedule ends, as a share of the highest
 *   rate; `width`: of the rows, which may be `padded`
 *
 * What differs with what is trained. `batch`: what comes before the loop, and what the loss takes at each step.
 * @typedef {{
 *   about: string[], imports: string[], constants: string[], data: string[], model: string[], loss: string[],
 *   batch: [string, string] | null,
 * }} Parts
 */

/** @param {TorchOf} run */
export function torchOf(run) {
  const { task, settings, changes, step, config, trainer, floors } = run;
  const live = Object.fromEntries(LIVE.map((name) => [name, settings[name]]));
  const { attentionBias } = config;
  const isFfn = config.kind === 'feed-forward'; // which has no dropout
  const all = [settings, ...changes.map(([, patch]) => patch)];
  const drops = !isFfn && all.some(({ dropout }) => Number(dropout) > 0);
  const start = `${task}-0.safetensors`;
  const last = stretchesOf(
    settings,
    changes.filter(([at]) => at < step),
  ).slice(-1)[0];
  const count = last.row + (step - last.from) * Number(last.settings.batch);
  const { about, imports, constants, data, model, loss, batch } = isFfn
    ? ffnOf(run)
    : transformerOf(run, { drops, count });

  return [
    `"""Glassformer's task ${task}, seed ${settings.seed}, trained with PyTorch (1.13 or later; no other package).`,
    ``,
    ...about,
    `Weights: where ${start} lies beside this script (in Train: back to step 0, "Save the run"),`,
    `training begins with the page's weights, else with others from the same distributions. Neither way gives the`,
    `page's bits, as PyTorch adds up in another order: from the same weights the losses agree to rounding, some 1e-4`,
    `over the first steps, and then drift apart.`,
    ...(drops ? [`Dropout is drawn by PyTorch: with it the losses differ from the first step on.`] : []),
    `"""`,
    `import json`,
    `import math`,
    `import os`,
    `import struct`,
    ...imports,
    ``,
    `import torch`,
    `from torch import nn`,
    `from torch.nn import functional as F`,
    ``,
    `SEED, STEPS = ${settings.seed}, ${step}`,
    `D, FF = ${config.d_model}, ${config.d_ff}`,
    `FLOORS = ${python(floors)}  # where the learning rate ends, as a share of the highest`,
    ...constants,
    `settings = {`,
    ...Object.entries(live).map(([name, value]) => `    "${name}": ${python(value)},`),
    `}`,
    `changes = {${changes.map(([at, patch]) => `${at}: ${python(patch)}`).join(', ')}}  # by the steps taken before`,
    ``,
    ``,
    ...data,
    ``,
    ``,
    ...linear(attentionBias),
    ``,
    ``,
    ...model,
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
    ...rate('FLOORS[settings["schedule"]]'),
    ``,
    ``,
    ...loss,
    ``,
    ``,
    `def main():`,
    `    torch.manual_seed(SEED)`,
    `    model = Model()`,
    `    start = os.path.join(os.path.dirname(os.path.abspath(__file__)), ${JSON.stringify(start)})`,
    `    if os.path.exists(start):`,
    `        model.load_state_dict(read_weights(start))`,
    `    optimizer = ${optimizerOf(trainer, 'model.parameters()')}`,
    ...(batch ? [`    ${batch[0]}`] : []),
    `    for step in range(STEPS):`,
    `        settings.update(changes.get(step, {}))`,
    `        for group in optimizer.param_groups:`,
    `            group.update(lr=rate(step + 1), weight_decay=settings["weightDecay"])`,
    `        loss = loss_of(model${batch ? `, ${batch[1]}` : ''})`,
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
