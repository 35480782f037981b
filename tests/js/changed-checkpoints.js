// Encoder–decoders of tests/checkpoints with other settings or tensors: their logits, or why they are refused.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readSafetensors, writeSafetensors } from 'glassformer';

/** @typedef {{data: Float32Array, shape: number[]}} Tensor */

const folder = new URL('../checkpoints/', import.meta.url);

/** @param {string} name @returns {{config: any, tensors: Map<string, Tensor>}} */
export const readCase = (name) => ({
  config: JSON.parse(String(readFileSync(new URL(`${name}/config.json`, folder)))),
  tensors: /** @type {Map<string, Tensor>} */ (
    readSafetensors(readFileSync(new URL(`${name}/model.safetensors`, folder))).tensors
  ),
});

/** Without some tensors, with others. @param {Map<string, Tensor>} tensors @param {Record<string, any>} changes */
export const changed = (tensors, changes) =>
  new Map([...tensors, ...Object.entries(changes)].filter(([name]) => changes[name] !== null));

/** @param {import('glassformer').Engine} gf @param {{sourceIds: number[], targetIds: number[]}} ids */
export function runsOf(gf, ids) {
  /** @param {any} config @param {Map<string, Tensor>} tensors */
  async function run(config, tensors) {
    const { model, notes, family } = await gf.loadModel({ config, weights: writeSafetensors(tensors) });
    const { logits } = model.forward(ids);
    const said = { numbers: [...logits.data], settings: model.config, notes, family };
    model.free();
    return said;
  }
  /** @param {any} config @param {Map<string, Tensor>} tensors @param {string} code @param {string} at */
  const refused = (config, tensors, code, at) =>
    assert.rejects(run(config, tensors), (/** @type {any} */ error) => {
      assert.deepEqual([error.name, error.code, error.parameter], ['GlassformerError', code, at], error.message);
      return true;
    });
  return { run, refused };
}
