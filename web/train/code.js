// The lines of JavaScript that reproduce a run up to the present step, to the same bits.

import { FLOOR, MODEL } from './settings.js';

/**
 * @typedef {Readonly<Record<string, import('./settings.js').Value>>} Settings
 * @typedef {{task: string, settings: Settings, recipe: Settings, step: number, hash: string}} CodeOf
 */

/** The name by which `glassformer/tasks` exports a task. @param {string} task */
const exported = (task) => task.replace(/-(.)/g, (_, letter) => letter.toUpperCase());

/** @param {[string, unknown][]} entries */
const listed = (entries) => entries.map(([name, value]) => `, ${name}: ${JSON.stringify(value)}`).join('');

/** @param {CodeOf} run */
export function codeOf({ task, settings, recipe, step, hash }) {
  const name = exported(task);
  const { seed, batch } = settings;
  const changed = Object.entries(settings).filter(
    ([each, value]) => value !== recipe[each] && each !== 'seed' && each !== 'batch',
  );
  const model = changed.filter(([each]) => MODEL.includes(each));
  if ('norm' in Object.fromEntries(changed)) model.push(['finalNorm', settings.norm === 'pre']);
  const trainer = changed.filter(([each]) => !MODEL.includes(each));
  if (settings.schedule !== recipe.schedule) trainer.push(['floor', settings.schedule === 'constant' ? 0 : FLOOR]);
  const isOwn = batch === recipe.batch;
  return [
    `import { createHash } from 'node:crypto';`,
    `import { load } from 'glassformer';`,
    `import { ${name} as task } from 'glassformer/tasks';`,
    ``,
    `const gf = await load({ variant: 'simd' }); // the same bits on every machine`,
    `const model = gf.createModel({ ...task.config${listed(model)}, seed: ${seed} });`,
    `const trainer = model.trainer({ ...task.trainer${listed(trainer)}, seed: ${seed} });`,
    ...(isOwn
      ? [`while (trainer.steps < ${step}) trainer.step(task.batch(trainer.steps, ${seed}));`]
      : [
          ``,
          `/** Batches of ${batch} rows: the rows of the task's own, one after the other. */`,
          `function* batches() {`,
          `  const rows = [];`,
          `  for (const batch of task.batches(${seed})) {`,
          `    const [count, width] = batch.ids.shape;`,
          `    for (let row = 0; row < count; row++) {`,
          `      const part = ({ data }) => [...data.subarray(row * width, (row + 1) * width)];`,
          `      rows.push(Object.entries(batch).map(([name, tensor]) => [name, part(tensor)]));`,
          `    }`,
          `    while (rows.length >= ${batch}) {`,
          `      const taken = rows.splice(0, ${batch});`,
          `      yield Object.fromEntries(taken[0].map(([name], i) => [name, taken.map((row) => row[i][1])]));`,
          `    }`,
          `  }`,
          `}`,
          `const source = batches();`,
          `while (trainer.steps < ${step}) trainer.step(source.next().value);`,
        ]),
    ``,
    `const hash = createHash('sha256');`,
    `for (const { data } of model.weights().values()) hash.update(data);`,
    `console.log(hash.digest('hex'));${hash ? ` // ${hash}` : ''}`,
    ``,
  ].join('\n');
}
