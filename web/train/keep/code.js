// The lines of JavaScript that reproduce a run up to the present step, to the same bits.

import { cutsOf, settingsOf } from '../settings/cuts.js';
import { FLOOR, MODEL, PARTS, hasFinalNorm } from '../settings/settings.js';
import { repeated } from '../own-text.js';

/**
 * @typedef {Readonly<Record<string, import('../settings/settings.js').Value>>} Settings
 * @typedef {{
 *   task: string, settings: Settings, changes?: readonly import('../settings/changes.js').Change[], recipe: Settings,
 *   step: number, hash: string, source?: import('../run/recipes.js').Source | null,
 * }} CodeOf `settings`: with which the run begins; `source`: of the reader's own text
 */

/** The name by which `glassformer/tasks` exports a task. @param {string} task */
const exported = (task) => task.replace(/-(.)/g, (_, letter) => letter.toUpperCase());

/** @param {[string, unknown]} entry of settings */
const written = ([name, value]) =>
  name === 'frozen' && value !== 'none'
    ? `[...model.weights().keys()].filter((name) => ${/** @type {any} */ (PARTS)[String(value)]}.test(name))`
    : JSON.stringify(name === 'frozen' ? [] : value);

/** @param {[string, unknown][]} entries */
const listed = (entries) => entries.map((entry) => `, ${entry[0]}: ${written(entry)}`).join('');

/**
 * The trainer's part of some settings, with the end of their schedule.
 * @param {[string, unknown][]} entries
 * @param {Settings} recipe
 */
function trainerOf(entries, recipe) {
  const own = entries.filter(([name]) => ![...MODEL, 'seed', 'batch', 'heldOut'].includes(name));
  const [, schedule] = own.find(([name]) => name === 'schedule') ?? [];
  const floor =
    schedule === recipe.schedule ? 'task.trainer.floor ?? 0' : schedule === 'constant' ? '0' : String(FLOOR);
  return `${listed(own)}${schedule ? `, floor: ${floor}` : ''}`;
}

/** A text of more characters is read from a file, which the program names. */
export const MOST_INSIDE = 20_000;

/**
 * The reader's own text as a task.
 * @param {import('../run/recipes.js').Source} source @param {Settings} settings
 */
const textTask = ({ text, level }, { heldOut }) => {
  const { copies } = repeated(text, level);
  const whole = copies > 1 ? `(text.trim() + '\\n').repeat(${copies})` : 'text';
  return [
    text.length > MOST_INSIDE
      ? `const text = readFileSync('text.txt', 'utf8'); // the text as it was used on the page`
      : `const text = ${JSON.stringify(text)};`,
    `const task = makeText(${whole}, { level: '${level}', heldOut: '${heldOut}' });`,
  ];
};

/** The program's form of `cutHeads` in run/learner.js. Layers and heads count from 1. */
const CUT = [
  ``,
  `/** Cuts a head: its columns of the output projection, and the moments of these, become 0. */`,
  `function cut(layer, head) {`,
  `  const { tensors, metadata } = readSafetensors(saveTrainer(trainer));`,
  `  for (const moment of ['', 'moment1.', 'moment2.']) {`,
  `    const name = \`\${moment}\${model.config.kind}.layers.\${layer - 1}.self_attn.out_proj.weight\`;`,
  `    const { data, shape: [rows, width] } = tensors.get(name);`,
  `    const size = width / model.config.heads;`,
  `    for (let row = 0; row < rows; row++) data.fill(0, row * width + (head - 1) * size, row * width + head * size);`,
  `  }`,
  `  resumeTrainer(trainer, writeSafetensors(tensors, { metadata }));`,
  `}`,
];
const CHANGE = [
  ``,
  `/** Goes on with other settings, and with the same moments. */`,
  `function change(settings) {`,
  `  const state = trainer.state();`,
  `  trainer = model.trainer({ ...trainer.settings, ...settings });`,
  `  trainer.resume(state);`,
  `}`,
];

/** Batches of another size than the task's. @param {unknown} batch @param {unknown} seed */
const batchesOf = (batch, seed) => [
  ``,
  `let size = ${batch};`,
  `/** Batches of that size: the rows of the task's own, one after the other. */`,
  `function* batches() {`,
  `  const rows = [];`,
  `  for (const batch of task.batches(${seed})) {`,
  `    const [count, width] = batch.ids.shape;`,
  `    for (let row = 0; row < count; row++) {`,
  `      const part = ({ data }) => [...data.subarray(row * width, (row + 1) * width)];`,
  `      rows.push(Object.entries(batch).map(([name, tensor]) => [name, part(tensor)]));`,
  `    }`,
  `    while (rows.length >= size) {`,
  `      const taken = rows.splice(0, size);`,
  `      yield Object.fromEntries(taken[0].map(([name], i) => [name, taken.map((row) => row[i][1])]));`,
  `    }`,
  `  }`,
  `}`,
  `const source = batches();`,
];

/**
 * The lines that train, with what is done on the way.
 * @param {readonly import('../settings/changes.js').Change[]} past @param {number} step at the end
 * @param {string} take the next batch @param {boolean} isOwn whether it has the task's size @param {Settings} recipe
 */
function linesOf(past, step, take, isOwn, recipe) {
  const ends = [...past.slice(1).map(([at]) => at), step];
  /** @param {number} until */
  const train = (until) => `while (trainer.steps < ${until}) trainer.step(${take});`;
  return [
    ...(past.length ? [``] : []),
    train(past[0]?.[0] ?? step),
    ...past.flatMap(([, patch], i) => {
      const settings = Object.entries(settingsOf(patch));
      return [
        ...cutsOf(patch).map((each) => `cut(${each.replace('.', ', ')});`),
        ...('batch' in patch && !isOwn ? [`size = ${patch.batch};`] : []),
        ...(settings.length ? [`change({ ${trainerOf(settings, recipe).slice(2)} });`] : []),
        train(ends[i]),
      ];
    }),
  ];
}

/** @param {CodeOf} run */
export function codeOf({ task, settings, changes = [], recipe, step, hash, source = null }) {
  const name = exported(task);
  const imported = source ? 'makeText' : `${task === 'square' ? 'makeSquare, ' : ''}${name} as task`;
  const { batch } = settings;
  const changed = Object.entries(settings).filter(([each, value]) => value !== recipe[each]);
  const model = changed.filter(([each]) => MODEL.includes(each) && each !== 'finalNorm');
  if (changed.some(([each]) => each === 'norm' || each === 'finalNorm'))
    model.push(['finalNorm', hasFinalNorm(settings)]);
  const past = changes.filter(([at, patch]) => at < step || (at === step && patch.cut));
  const changesSettings = past.some(([, patch]) => Object.keys(settingsOf(patch)).length);
  const cuts = past.some(([, patch]) => patch.cut);
  const isOwn = [settings, ...past.map(([, patch]) => patch)].every((each) => (each.batch ?? batch) === recipe.batch);
  const { seed } = settings;
  const take = isOwn ? `task.batch(trainer.steps, ${seed})` : 'source.next().value';
  const body = [
    `const model = gf.createModel({ ...task.config${listed(model)}, seed: ${seed} });`,
    ...(task === 'square'
      ? [`model.loadWeights(makeSquare({ hidden: ${settings.d_ff} }).initial(${seed}), { strict: false });`]
      : []),
    `${changesSettings ? 'let' : 'const'} trainer = ` +
      `model.trainer({ ...task.trainer${trainerOf(changed, recipe)}, seed: ${seed} });`,
    ...(changesSettings ? CHANGE : []),
    ...(cuts ? CUT : []),
    ...(isOwn ? [] : batchesOf(batch, seed)),
    ...linesOf(past, step, take, isOwn, recipe),
  ];
  return [
    `import { createHash } from 'node:crypto';`,
    ...(source && source.text.length > MOST_INSIDE ? [`import { readFileSync } from 'node:fs';`] : []),
    `import { load${cuts ? ', readSafetensors, writeSafetensors' : ''} } from 'glassformer';`,
    ...(cuts ? [`import { resumeTrainer, saveTrainer } from 'glassformer/core';`] : []),
    `import { ${imported} } from 'glassformer/tasks';`,
    ``,
    ...(source ? textTask(source, settings) : []),
    `const gf = await load({ variant: 'simd' }); // the same bits on every machine`,
    ...body,
    ``,
    `const hash = createHash('sha256');`,
    `for (const { data } of model.weights().values()) hash.update(data);`,
    `console.log(hash.digest('hex'));${hash ? ` // ${hash}` : ''}`,
    ``,
  ].join('\n');
}
