// Runs that src/docs/continue.py continues in PyTorch, and what this engine makes of the same steps.
import { readSafetensors } from 'glassformer';
import { tasks } from 'glassformer/tasks';

export const BEFORE = 40;
export const STEPS = 8;

/** @type {Record<string, {task: string, config?: object, trainer?: object}>} */
export const CASES = {
  reverse: { task: 'reverse' },
  creek: { task: 'creek' },
  story: { task: 'story' },
  translate: { task: 'translate' },
  'pre-norm': {
    task: 'sort',
    config: { norm: 'pre', finalNorm: true, positions: 'learned', maxLength: 16, activation: 'gelu', head: 'linear' },
    trainer: { schedule: 'noam', optimizer: 'adam', weightDecay: 0.01, labelSmoothing: 0.1 },
  },
};

/**
 * A run with the rows of its next steps, and what these give here.
 * @param {Awaited<ReturnType<typeof import('glassformer').load>>} gf
 * @param {keyof typeof CASES} name
 */
export async function continued(gf, name) {
  const { task: id, config, trainer: settings } = CASES[name];
  const task = /** @type {any} */ (tasks)[id];
  const model = gf.createModel({ ...task.config, ...config, seed: 1 });
  const trainer = model.trainer({ ...task.trainer, ...settings });
  for (let step = 0; step < BEFORE; step++) trainer.step(task.batch(step, 1));
  const run = await trainer.save();
  /** @type {Record<string, {data: any, shape: number[]}>} */
  const rows = {};
  const losses = [];
  for (let step = BEFORE; step < BEFORE + STEPS; step++) {
    const batch = task.batch(step, 1);
    for (const [part, { data, shape }] of Object.entries(batch)) {
      rows[part] ??= { data: new data.constructor(data.length * STEPS), shape: [shape[0] * STEPS, ...shape.slice(1)] };
      rows[part].data.set(data, (step - BEFORE) * data.length);
    }
    losses.push(trainer.step(batch).loss);
  }
  const weights = [...readSafetensors(run).tensors].filter(([each]) => !each.startsWith('moment'));
  const names = Object.fromEntries(weights.map(([each, { shape }]) => [each, shape]));
  const after = await trainer.save();
  model.free();
  return { run, rows, losses, names, after, batchSize: task.batchSize };
}
