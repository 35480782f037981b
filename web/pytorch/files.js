// What train.py reads: run.json, the run, the rows of its next steps.

import { GlassformerError, readSafetensors, writeSafetensors } from 'glassformer';
import { makeText, tasks } from 'glassformer/tasks';
import { LIVE, settingsAt, stretchesOf } from '../train/settings/changes.js';
import { FLOOR } from '../train/settings/settings.js';
import { trainAnew } from './anew.js';

/**
 * @typedef {Awaited<ReturnType<typeof import('glassformer').load>>} Engine
 * @typedef {Float32Array<ArrayBuffer> | Int32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>} Values
 * @typedef {{data: Values, shape: number[]}} Part
 * @typedef {{name: string, config: any, batchSize: number, trainer: any, vocabulary?: {size: number},
 *   batch: (step: number, seed: number) => Record<string, Part>}} Task
 */

const LEAST_STEPS = 500;
const MOST_BYTES = 1e9; // of data

/** What train.py knows; another setting that is not at its default is refused. @type {Record<string, unknown[]>} */
const SAID = {
  kind: ['encoder', 'decoder', 'encoder-decoder', 'feed-forward'],
  positions: ['none', 'sinusoidal', 'learned'],
  norm: ['none', 'pre', 'post'],
  activation: ['relu', 'gelu', 'gelu-tanh', 'none', 'silu'],
  head: ['linear', 'tied'],
  weights: ['f32'],
  positionsFrom: ['index'],
};
const FREE =
  'vocabulary targetVocabulary outputVocabulary d_model heads d_ff layers decoderLayers maxLength epsilon ' +
  'embeddingScale embeddingNorm normAffine finalNorm residual scoreScale causal attentionBias headBias ' +
  'tiedEmbeddings headTransform window globalLayers globalLayersAbove';

/**
 * `run.json`, `run.safetensors` and `data.safetensors`: what is trained, the run, the data of its next steps.
 * @param {Engine} gf of the variant simd
 * @param {Uint8Array} file a saved run, or a model that says how it was trained: that is trained anew, to the same bits
 * @param {object} [options]
 * @param {number} [options.steps] whose data are to be there; default: those left of the schedule, 500 at least
 * @param {number} [options.at] of a model that is trained anew: the step to stop at; default its last
 * @param {(step: number, steps: number, loss: number) => unknown} [options.onProgress] of training anew
 * @returns {Promise<Record<'run.json' | 'run.safetensors' | 'data.safetensors', Uint8Array>>}
 * @throws {GlassformerError} format of a file that is no run of a task that is known here; range of steps, at
 */
export async function pytorchFiles(gf, file, { steps, at, onProgress } = {}) {
  const { model, trainer } = await gf.loadModel(file); // makes sure of weights, moments, settings
  try {
    const { said, source } = metadataOf(file);
    const { config } = model;
    expectSaid(config);
    const task = taskOf(said.recipe, source);
    expectTask(config, task);
    if (trainer) {
      if (at !== undefined) throw new GlassformerError('unknown', 'at', at, 'is for a model, and this file is a run');
      return filesOf(file, { config, recipe: said.recipe, trainer }, task, steps);
    }
    const anew = await trainAnew(gf, file, { ...said, config }, task, { at, onProgress });
    const run = await gf.loadModel(anew);
    try {
      return filesOf(anew, { config, recipe: run.recipe, trainer: /** @type {any} */ (run.trainer) }, task, steps);
    } finally {
      run.model.free();
    }
  } finally {
    model.free();
  }
}

/**
 * @param {Uint8Array} file of a run
 * @param {{config: Record<string, any>, recipe: Record<string, any>, trainer: import('glassformer').Trainer}} run
 * @param {Task} task
 * @param {number} [wanted] steps
 */
function filesOf(file, { config, recipe, trainer }, task, wanted) {
  const { steps: step } = trainer;
  const settings = /** @type {Record<string, any>} */ (trainer.settings);
  const isFfn = config.kind === 'feed-forward';
  const steps = isFfn ? LEAST_STEPS : (wanted ?? Math.max(settings.steps - step, LEAST_STEPS));
  if (!(Number.isSafeInteger(steps) && steps > 0))
    throw new GlassformerError('range', 'steps', steps, 'must be a whole number from 1');
  const run = describe({ config, recipe, settings }, task, step, steps);
  const data = isFfn ? pointsOf(task, run.seed) : rowsOf(task, run.seed, run.row, run.rows);
  return {
    'run.json': new TextEncoder().encode(`${textOf(run)}\n`),
    'run.safetensors': file,
    'data.safetensors': writeSafetensors(data, {
      metadata: { task: run.task, seed: String(run.seed), step: String(step) },
    }),
  };
}

/**
 * What run.json says. `row`: how many rows of the data come before `step`; `rows`: how many its steps take; `changes`
 * that come after it.
 * @param {{config: Record<string, any>, recipe: Record<string, any>, settings: Record<string, any>}} run `settings` of
 *   the trainer at this step
 * @param {Pick<Task, 'batchSize' | 'trainer'>} task
 * @param {number} step from which the run continues
 * @param {number} steps how many to take
 */
function describe({ config, recipe, settings }, task, step, steps) {
  const changes = changesOf(recipe);
  const first = { batch: task.batchSize, ...recipe };
  const { batch } = settingsAt(first, changes, step);
  if (!(Number.isSafeInteger(batch) && Number(batch) > 0))
    refuse('recipe.batch', batch, 'must be the number of rows of a batch');
  const seed = recipe.dataSeed ?? recipe.seed;
  if (!(Number.isSafeInteger(seed) && seed >= 0 && seed < 2 ** 32))
    refuse('recipe.seed', seed, 'must be that of the data');
  const floorOf = (/** @type {unknown} */ schedule) =>
    schedule === task.trainer.schedule ? (task.trainer.floor ?? 0) : FLOOR;
  const later = changes.filter(([from]) => from > step);
  const operation = ['frozen', 'cut'].find((name) => later.some(([, patch]) => name in patch));
  if (operation)
    refuse('recipe.changes', operation, 'cannot be done by train.py on its way: continue in PyTorch after that step');
  const stretches = stretchesOf(first, changes);
  const rowAt = (/** @type {number} */ to) => {
    const last = stretches.filter(({ from }) => from <= to).slice(-1)[0];
    return last.row + (to - last.from) * Number(last.settings.batch);
  };
  const row = rowAt(step);
  return {
    ...{ task: recipe.task, seed, step, steps, row, rows: rowAt(step + steps) - row, batch, config, settings },
    changes: later.map(([from, patch]) => [
      from,
      patch.schedule ? { ...patch, floor: floorOf(patch.schedule) } : patch,
    ]),
  };
}

/** @param {ReturnType<typeof describe>} run */
const textOf = (run) => JSON.stringify(run, null, 2);

/**
 * train.py with the text of run.json in it, for a run from its first step: complete without other files where train.py
 * draws the rows of the task.
 * @param {string} script the text of train.py
 * @param {Parameters<typeof describe>[0]} run at its first step
 * @param {Parameters<typeof describe>[1]} task
 * @param {number} steps
 */
export const scriptOf = (script, run, task, steps) =>
  script.replace(/^RUN = None.*$/m, () => `RUN = r"""\n${textOf(describe(run, task, 0, steps))}\n"""`);

/** What of a run has changed, or will. @param {Record<string, any>} recipe */
function changesOf({ changes = [] }) {
  const isChange = (/** @type {any} */ each) =>
    Array.isArray(each) &&
    Number.isSafeInteger(each[0]) &&
    Object.keys(Object(each[1])).every((name) => name === 'cut' || LIVE.includes(name)) &&
    (!('batch' in Object(each[1])) || (Number.isSafeInteger(each[1].batch) && each[1].batch > 0));
  if (!Array.isArray(changes) || !changes.every(isChange))
    refuse('recipe.changes', undefined, `must list steps with new values of ${LIVE.join(', ')}`);
  return /** @type {import('../train/settings/changes.js').Change[]} */ (changes);
}

/** @param {Uint8Array} file */
function metadataOf(file) {
  const { metadata } = readSafetensors(file);
  /** @type {Record<string, any>} */
  const said = {};
  for (const name of ['recipe', 'vocabulary', 'targetVocabulary', 'outputVocabulary']) {
    const text = metadata.get(`glassformer.${name}`);
    if (text !== undefined) said[name] = JSON.parse(text);
  }
  said.recipe ??= {};
  try {
    return { said, source: JSON.parse(metadata.get('glassformer-train') ?? '{}').source ?? null };
  } catch {
    return refuse('glassformer-train', undefined, 'is no JSON');
  }
}

/**
 * @param {Record<string, any>} recipe one without `heldOut` is from before there was a choice
 * @param {{text: string, level: 'words'} | null} source the reader's own text
 * @returns {Task}
 */
function taskOf({ task: name, heldOut = 'end' }, source) {
  if (name === 'text' && source)
    return { .../** @type {any} */ (makeText(source.text, { level: source.level, heldOut })), name };
  if (typeof name === 'string' && Object.hasOwn(tasks, name)) return /** @type {any} */ (tasks)[name];
  return refuse('recipe.task', name, `must be one of ${Object.keys(tasks).join(', ')}: its data are to go on`);
}

/** @param {Record<string, any>} config */
function expectSaid(config) {
  const free = FREE.split(' ');
  for (const [name, value] of Object.entries(config)) {
    const isAlone = config.kind === 'feed-forward' && name === 'head';
    const isSaid = isAlone || free.includes(name) || SAID[name]?.includes(value);
    if (!isSaid && value && value !== 'none') refuse(`config.${name}`, value, 'is not supported by train.py');
    if (!isSaid && SAID[name]) refuse(`config.${name}`, value, `must be one of ${SAID[name].join(', ')}`);
  }
}

/** Whether the data are of the model. @param {Record<string, any>} config @param {Task} task */
function expectTask(config, task) {
  for (const name of ['kind', 'vocabulary', 'targetVocabulary', 'outputVocabulary']) {
    const [own, wanted] = [config, task.config].map((each) => each[name] || 0);
    if (own !== wanted) refuse(`config.${name}`, own, `must be ${wanted}, as in the task ${task.name} of its recipe`);
  }
}

/**
 * Rows of a task's data one below the other.
 * @param {Task} task
 * @param {number} seed
 * @param {number} first
 * @param {number} count
 */
export function rowsOf({ batch, batchSize }, seed, first, count) {
  /** @type {Record<string, Part>} */
  const parts = {};
  for (let done = 0; done < count;) {
    const from = (first + done) % batchSize;
    const take = Math.min(batchSize - from, count - done);
    for (const [name, { data, shape }] of Object.entries(batch(Math.floor((first + done) / batchSize), seed))) {
      const width = data.length / shape[0];
      const bytes = count * width * data.BYTES_PER_ELEMENT;
      if (bytes > MOST_BYTES)
        throw new GlassformerError('range', 'steps', count, `rows have ${bytes} bytes of ${name}`);
      const Kind = /** @type {any} */ (data.constructor);
      parts[name] ??= { data: new Kind(count * width), shape: [count, ...shape.slice(1)] };
      parts[name].data.set(data.subarray(from * width, (from + take) * width), done * width);
    }
    done += take;
  }
  return parts;
}

/** All points of an FFN alone, one below the other. @param {Task} task @param {number} seed */
function pointsOf(task, seed) {
  const parts = Object.entries(task.batch(0, seed)).map(([name, { data, shape }]) => {
    const width = shape[shape.length - 1];
    return [name, { data, shape: [data.length / width, width] }];
  });
  return /** @type {Record<string, Part>} */ (Object.fromEntries(parts));
}

/** @param {string} name @param {unknown} value @param {string} why @returns {never} */
function refuse(name, value, why) {
  throw new GlassformerError('format', name, value, why);
}
