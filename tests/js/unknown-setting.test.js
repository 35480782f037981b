// A setting of the block that code beside the C core does not know: it refuses the model by name, or takes the plain
// way. Such code has lists of settings, and would pass over one that stands in none.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readSafetensors, writeSafetensors, load as loadHere } from 'glassformer';

import { MODEL } from '../../dist/generated/settings.js';
import { load } from '../../src/js/entries/core.js';
import { attribution } from '../../src/js/engine/attribution.js';
import { coreOf } from '../../src/js/engine/engine.js';
import { EDITION_5 as NEWEST, unknownTo } from '../../src/js/engine/known.js';
import { lens } from '../../src/js/engine/lens.js';
import { calls } from '../../src/js/engine/named.js';
import { handleOf } from '../../src/js/engine/model.js';
import { exportOnnx } from '../../src/js/entries/onnx.js';
import { ofRemote } from '../../src/js/files/onnx-file.js';
import { measure } from '../../src/js/files/weights-error.js';
import { saveCheckpoint } from '../../src/js/files/save-checkpoint.js';
import { openRun, packRun } from '../../web/train/run/run-file.js';
import { recipeOf } from '../../web/train/run/recipes.js';
import { createRun } from '../../web/train/run/run.js';

const TODAY = /** @type {const} */ ({
  ...{ kind: 'decoder', vocabulary: 40, d_model: 16, heads: 4, keyValueHeads: 2, d_ff: 24, layers: 2, seed: 4 },
  ...{ positions: 'rotary', normKind: 'rms', norm: 'pre', finalNorm: true, ffn: 'gated', activation: 'silu' },
  ...{ attentionBias: false, ffnBias: false, embeddingScale: false, head: 'linear', headBias: false, epsilon: 1e-6 },
});
const IDS = [3, 1, 4, 1, 5];
const wasm = readFileSync(new URL('../../dist/simd.wasm', import.meta.url));

test('the newest edition is the table of src/model/config.h', () => {
  const grown = 'config.h has grown: add an edition to src/js/engine/known.js, and bring its users to it one by one';
  assert.deepEqual([...NEWEST.names], MODEL.map(({ name }) => name), grown); // prettier-ignore
  const choices = MODEL.filter((each) => each.choices.length).map((each) => [each.name, each.choices.length]);
  assert.deepEqual(NEWEST.choices, Object.fromEntries(choices), grown);
});

/**
 * A model of a table with one more setting, as if config.h had it.
 * @param {Pick<import('../../src/js/engine/config.js').Setting, 'type' | 'choices' | 'fallback'>} facts
 * @param {unknown} value that the model has
 */
async function withSetting({ type, choices, fallback }, value) {
  const gf = await load({ wasm });
  const core = coreOf(gf);
  const model = gf.createModel(TODAY);
  core.settings.push({ name: 'mystery', type, choices, fallback, low: 0, high: 9 });
  const handle = handleOf(model);
  handle.config = /** @type {any} */ ({ ...handle.config, mystery: value });
  return { gf, core, model };
}
const FLAG = /** @type {const} */ ({ type: 'b', choices: [], fallback: 0 });

test('each refuses it by name, and the measure of int8 takes the plain way', async () => {
  const { gf, model } = await withSetting(FLAG, true);
  const refusal = (/** @type {string} */ what) => ({
    code: 'unsupported',
    parameter: 'mystery',
    message: `mystery: is not known to ${what}, got true`,
  });
  await assert.rejects(saveCheckpoint(model), refusal("save({ format: 'huggingface' })"));
  await assert.rejects(saveCheckpoint(model, { family: 'llama' }), { parameter: 'mystery' });
  assert.throws(() => exportOnnx(model), refusal('the export to ONNX'));
  const trace = model.trace(IDS);
  assert.throws(() => lens(trace, 0), refusal('lens'));
  await assert.rejects(attribution(trace, 4), refusal('attribution'));
  const far = /** @type {any} */ ({ config: handleOf(model).config, weights: async () => model.weights() });
  calls.set(far, async (method, edition) => method === 'unknownTo' && unknownTo(handleOf(model), edition));
  await assert.rejects(saveCheckpoint(far), refusal("save({ format: 'huggingface' })"));
  await assert.rejects(ofRemote(far, {}), refusal('the export to ONNX'));
  // A layer alone would lack it: the whole model is made, which the core here refuses by name.
  await assert.rejects(
    measure(gf, model, async () => {}),
    { code: 'unknown', parameter: 'mystery' },
  );
});

test('at its default it changes nothing', async () => {
  const { gf, model } = await withSetting(FLAG, false);
  const files = await saveCheckpoint(model);
  assert.deepEqual(Object.keys(files), ['config.json', 'model.safetensors']);
  assert.equal(exportOnnx(model) instanceof Uint8Array, true);
  assert(Number.isFinite((await measure(gf, gf.createModel(TODAY), async () => {})).rms));
});

test('a default that is not 0, a choice that came later, and a choice of an older setting', async () => {
  const on = await withSetting({ ...FLAG, fallback: 1 }, false);
  assert.equal(unknownTo(handleOf(on.model), NEWEST), 'mystery');
  const chosen = await withSetting({ type: 'c', choices: ['none', 'new'], fallback: 0 }, 'new');
  assert.equal(unknownTo(handleOf(chosen.model), NEWEST), 'mystery');
  const handle = handleOf(on.gf.createModel({ kind: 'encoder', vocabulary: 5 }));
  const { settings } = handle.core;
  const table = settings
    .slice(0, -1)
    .map((each) => (each.name === 'norm' ? { ...each, choices: [...each.choices, 'both'] } : each));
  const config = /** @type {any} */ ({ ...handle.config, norm: 'both' });
  assert.equal(unknownTo({ config, core: { settings: table } }, NEWEST), 'norm');
  assert.equal(unknownTo({ config: handle.config, core: { settings: table } }, NEWEST), undefined);
});

/** The same file with one more setting. @param {Uint8Array} file @param {'config' | 'trainer'} part */
function withMystery(file, part) {
  const { tensors, metadata } = readSafetensors(file);
  const said = JSON.parse(String(metadata.get(`glassformer.${part}`)));
  Object.assign(part === 'trainer' ? said.settings : said, { mystery: true });
  return writeSafetensors(tensors, { metadata: metadata.set(`glassformer.${part}`, JSON.stringify(said)) });
}

test('a file with a setting of a later version is refused by name: here, in a worker, in Train', async () => {
  const [here, there] = [await loadHere({ variant: 'simd' }), await loadHere({ variant: 'simd', worker: true })];
  const run = await createRun(here, 'copy', recipeOf('copy'));
  for (const part of /** @type {const} */ (['config', 'trainer'])) {
    const file = withMystery(packRun(run), part);
    for (const gf of [here, there]) await assert.rejects(gf.loadModel(file), { code: 'unknown', parameter: 'mystery' });
    const what = part === 'config' ? 'model' : 'trainer';
    await assert.rejects(openRun(here, file), { message: `its ${what} has “mystery”, which Train does not know` });
  }
  for (const gf of [here, there])
    await assert.rejects(async () => gf.createModel({ ...TODAY, mystery: true }), { parameter: 'mystery' });
  there.terminate();
});

const script = fileURLToPath(new URL('../../src/docs/continue.py', import.meta.url));
/** Runs it without PyTorch, which it needs only behind its check of settings. */
const PYTHON = `
import runpy, sys
from unittest.mock import MagicMock
torch = MagicMock()
torch.nn.Module = object
sys.modules.update({"torch": torch, "torch.nn": torch.nn})
del sys.argv[0]
runpy.run_path(sys.argv[0], run_name="__main__")
`;
const hasPython = spawnSync('python3', ['--version']).status === 0;

test('continue.py refuses it by name', { skip: !hasPython && 'there is no python3' }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'glassformer-'));
  const file = join(folder, 'run.safetensors');
  const gf = await loadHere({ variant: 'simd' });
  const run = await createRun(gf, 'copy', recipeOf('copy'));
  for (const part of /** @type {const} */ (['config', 'trainer'])) {
    writeFileSync(file, withMystery(packRun(run), part));
    const { stderr } = spawnSync('python3', ['-c', PYTHON, script, file, file, '1', '1', 'none'], { encoding: 'utf8' });
    assert.match(stderr, /settings that continue\.py does not know: \['mystery = True'\]/);
  }
  rmSync(folder, { recursive: true });
});
