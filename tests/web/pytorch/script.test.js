// The PyTorch script of a run: Python compiles it, its rows are the page's, its weights have the page's names.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { load } from 'glassformer';
import { TASKS, recipeOf, rowReader, setText, trainerConfig } from '../../../web/train/run/recipes.js';
import { runFacts } from '../../../web/train/run/run-file.js';
import { createRun } from '../../../web/train/run/run.js';
import { torchOf } from '../../../web/pytorch/script.js';

const folder = mkdtempSync(join(tmpdir(), 'glassformer-torch-'));
after(() => rmSync(folder, { recursive: true }));
const STUB = fileURLToPath(new URL('torch-stub', import.meta.url));
const hasPython = spawnSync('python3', ['--version']).status === 0;
const TEXT =
  'The creek was cold, and the dog was tired. "The boy" was kind [so to say]; the creek\n was  deep! '.repeat(30);

/** @type {import('../../../web/train/run/run.js').Engine} */
let gf;
before(async () => {
  gf = await load({ variant: 'simd' });
});

/**
 * @param {string} task @param {object} [patch] of its recipe
 * @param {{step?: number, changes?: import('../../../web/train/settings/changes.js').Change[], level?: string}} [more]
 */
async function scriptOf(task, patch = {}, { step = 3, changes = [], level = 'words' } = {}) {
  const settings = { ...recipeOf(task), ...patch };
  const run = await createRun(gf, task, settings, { changes });
  const script = torchOf({ task, settings, changes, step, level, ...runFacts(run) });
  return { script, run, settings };
}

const CASES = /** @type {[string, object, any?][]} */ ([
  ['copy', {}],
  ['reverse', { norm: 'none', residual: false, scoreScale: false, optimizer: 'sgd', clip: 0 }],
  ['reverse-variable', { norm: 'pre', activation: 'gelu', optimizer: 'adam', weightDecay: 0.01 }],
  ['sort', { d_ff: 0, positions: 'none', seed: 4294967295 }],
  ['order', { layers: 2, activation: 'silu', labelSmoothing: 0.1 }],
  ['addition', { activation: 'none', batch: 7 }, { changes: [[2, { learningRate: 0.001, batch: 5 }]] }],
  ['induction', { norm: 'pre' }],
  ['text', { layers: 1 }, { level: 'words' }],
  ['text', { layers: 1 }, { level: 'characters' }],
  ['story', { layers: 1 }, { step: 7 }],
  ['copy', { attentionBias: false, head: 'linear' }],
  ['reverse', { head: 'linear', headBias: false, normAffine: false, activation: 'gelu-tanh' }],
  ['order', { embeddingNorm: true, finalNorm: true, headBias: false }],
]);

test('its code is such as one would write: what a switch leaves out is not there', async () => {
  const { script } = await scriptOf('reverse', { norm: 'none', residual: false, scoreScale: false, optimizer: 'sgd' });
  for (const absent of ['LayerNorm', 'masked_fill', 'dropout(', 'math.sqrt(D // HEADS)', 'AdamW', 'x + self'])
    assert(!script.includes(absent), absent);
  assert(script.includes('torch.optim.SGD(model.parameters(), lr=0.005, momentum=0)'));
  const { script: other } = await scriptOf('addition', { norm: 'pre', dropout: 0.1 });
  for (const present of ['x + drop(self.self_attn(self.norm1(x), hidden))', 'self.decoder.norm', '.triu(1)', 'AdamW'])
    assert(other.includes(present), present);
});

const skip = !hasPython && 'there is no python3';

test('an FFN alone: weights and the first loss', { skip }, async () => {
  for (const [task, patch] of /** @type {[string, object][]} */ ([
    ['square', {}],
    ['xor', { activation: 'gelu', d_ff: 5 }],
    ['and', { activation: 'none' }],
  ])) {
    const { script, run } = await scriptOf(task, patch);
    writeFileSync(join(folder, `${task}_ffn.py`), script);
    writeFileSync(join(folder, `${task}-0.safetensors`), run.save({}));
    const check = [
      `import json, ${task}_ffn as script`,
      `model = script.Model()`,
      `drawn = script.loss_of(model).item()`,
      `model.load_state_dict(script.read_weights("${task}-0.safetensors"))`,
      `print(json.dumps([drawn, script.loss_of(model).item()]))`,
    ].join('\n');
    const env = { ...process.env, PYTHONPATH: STUB, PYTHONDONTWRITEBYTECODE: '1' };
    const printed = execFileSync('python3', ['-c', check], { cwd: folder, env, encoding: 'utf8' });
    const [drawn, first] = JSON.parse(printed);
    const { loss } = run.trainer.loss(/** @type {any} */ (TASKS[task].batch(0, 0)));
    assert(Math.abs(first - loss) < 1e-5 * loss, `${task}: ${first}, not ${loss}`);
    assert(drawn > 0 && drawn !== first);
  }
});

test('the learning rate of each step is the engine’s, whichever schedules follow one another', { skip }, async () => {
  for (const [task, first, second] of [
    ['square', 'linear', 'cosine'],
    ['square', 'cosine', 'linear'],
    ['and', 'constant', 'linear'],
    ['order', 'constant', 'cosine'],
  ]) {
    const changes = /** @type {any} */ ([[4, { schedule: second }]]);
    const patch = { schedule: first, steps: 9, warmup: 2 };
    const { script, run, settings } = await scriptOf(task, patch, { step: 12, changes });
    const batch = rowReader(TASKS[task], 1)(0, Number(settings.batch ?? 1));
    const wanted = Array.from({ length: 12 }, (_, step) => {
      const trainer = gf
        .createModel(run.model.config)
        .trainer({ ...trainerConfig(task, { ...settings, schedule: step < 4 ? first : second }) });
      trainer.resume({ ...trainer.state(), steps: step });
      return trainer.step(/** @type {any} */ (batch)).learningRate;
    });
    const name = `rate_${task}_${first}`;
    writeFileSync(join(folder, `${name}.py`), script);
    const check = [
      `import json, ${name} as script`,
      `rates = []`,
      `for step in range(12):`,
      `    script.settings.update(script.changes.get(step, {}))`,
      `    rates.append(script.rate(step + 1))`,
      `print(json.dumps(rates))`,
    ].join('\n');
    const env = { ...process.env, PYTHONPATH: STUB, PYTHONDONTWRITEBYTECODE: '1' };
    const rates = JSON.parse(execFileSync('python3', ['-c', check], { cwd: folder, env, encoding: 'utf8' }));
    wanted.forEach((rate, step) => assert(Math.abs(rates[step] - rate) <= 1e-12, `${name} ${step}: ${rates[step]}`));
    run.free();
  }
});

test('rows, weights and the first loss are those of the page', { skip }, async () => {
  writeFileSync(join(folder, 'text.txt'), TEXT);
  for (const [task, patch, more = {}] of CASES) {
    if (more.level) setText(TEXT, more.level);
    const { script, run, settings } = await scriptOf(task, patch, more);
    const name = `${task.replace('-', '_')}_${more.level ?? 'run'}`;
    writeFileSync(join(folder, `${name}.py`), script);
    writeFileSync(join(folder, `${task}-0.safetensors`), run.save({}));
    const take = rowReader(TASKS[task], Number(settings.seed));
    const batch = take(0, 2);
    if (task === 'story') {
      const lines =
        script
          .split('"""')[1]
          .match(/^ {4}.*$/gm)
          ?.join('\n') ?? '';
      const code = lines.replace(`'rows.json'`, JSON.stringify(join(folder, 'rows.json')));
      execFileSync(process.execPath, ['--input-type=module', '-e', code]);
    }
    const loss = run.trainer.loss(batch).loss; // of a step it has dropout, which none of the cases has
    const check = [
      `import itertools, json, ${name} as script`,
      `rows = script.all_rows()`,
      `first = list(itertools.islice(rows, 200))`,
      `model = script.Model()`,
      `model.load_state_dict(script.read_weights("${task}-0.safetensors"))`,
      `print(json.dumps({"rows": first, "loss": script.loss_of(model, first[:2]).item()}))`,
    ].join('\n');
    const printed = execFileSync('python3', ['-c', check], {
      cwd: folder,
      env: { ...process.env, PYTHONPATH: STUB, PYTHONDONTWRITEBYTECODE: '1' },
      maxBuffer: 1e8,
      encoding: 'utf8',
    });
    const own = JSON.parse(printed);
    assert.equal(own.rows.length, 200);
    const { ids, targets, padding } = take(0, 200);
    const width = ids.shape[1];
    own.rows.forEach((/** @type {number[][]} */ row, /** @type {number} */ at) => {
      const hidden = padding ? padding.data.subarray(at * width, (at + 1) * width).filter(Boolean).length : 0;
      const part = (/** @type {{data: Int32Array}} */ { data }) => [
        ...data.subarray(at * width, (at + 1) * width - hidden),
      ];
      assert.deepEqual(row.slice(0, 2), [part(ids), part(targets)], `${name} row ${at}`);
    });
    assert(Math.abs(own.loss - loss) < 1e-5 * loss, `${name}: ${own.loss}, not ${loss}`);
  }
});
