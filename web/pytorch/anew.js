// A model's file has weights, but not the optimiser's moments: they come from training it anew, to the same bits.

import { GlassformerError, readSafetensors } from 'glassformer';

/**
 * @param {import('./files.js').Engine} gf
 * @param {Uint8Array} file of a model
 * @param {Record<string, any>} said
 * @param {import('./files.js').Task} task
 * @param {{at?: number, onProgress?: (step: number, steps: number, loss: number) => unknown}} options
 * @returns {Promise<Uint8Array>} the run as a file
 * @throws {GlassformerError} format, range
 */
export async function trainAnew(gf, file, { config, recipe, ...vocabularies }, task, { at, onProgress }) {
  const { seed, dataSeed = seed, steps, trainer: settings, variant = 'simd', batchSize = task.batchSize } = recipe;
  const refuse = (/** @type {string} */ name, /** @type {unknown} */ value, /** @type {string} */ why) => {
    throw new GlassformerError('format', name, value, why);
  };
  if (!settings || !(Number.isSafeInteger(steps) && steps > 0))
    refuse('file', undefined, 'has no moments and does not say how it was trained: take a saved run (trainer.save)');
  if (variant !== gf.variant)
    refuse('recipe.variant', variant, `must be ${gf.variant}: it is trained anew to the same bits`);
  if (batchSize !== task.batchSize)
    refuse('recipe.batchSize', batchSize, `must be ${task.batchSize}, that of its task`);
  const until = at ?? steps;
  if (!(Number.isSafeInteger(until) && until >= 0 && until <= steps))
    throw new GlassformerError('range', 'at', until, `must be a step from 0 to ${steps}, the last of this model`);

  const model = gf.createModel({ ...config, seed });
  try {
    const trainer = model.trainer(settings);
    // A file must not choose a script to execute (worker) or start threads; both would start at the first step.
    const other = Object.keys(settings).find((name) => !Object.hasOwn(trainer.settings, name));
    if (other) refuse(`recipe.trainer.${other}`, settings[other], 'is no setting that decides the bits of a run');
    while (trainer.steps < until) {
      const { loss } = await trainer.step(/** @type {any} */ (task.batch(trainer.steps, dataSeed)));
      onProgress?.(trainer.steps, until, loss);
    }
    if (until === steps) expectSame(file, await model.save({ float16: true }));
    return await trainer.save({ ...vocabularies, recipe: { ...recipe, batch: batchSize } });
  } finally {
    model.free();
  }
}

/** Whether it has become the model of the file. @param {Uint8Array} file @param {Uint8Array} anew in half precision */
function expectSame(file, anew) {
  const { tensors } = readSafetensors(file);
  for (const [name, { data }] of readSafetensors(anew).tensors) {
    const given = tensors.get(name)?.data;
    if (given?.length !== data.length || data.some((value, i) => value !== given[i]))
      throw new GlassformerError(
        'format',
        name,
        undefined,
        'is not what its recipe gives: it was made by another version',
      );
  }
}
