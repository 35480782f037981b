// A trainer's steps in shards: the same bits with any number of workers, and the whole batch's gradients.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';

import { readSafetensors } from 'glassformer';
import { compare } from '../golden-compare.js';
import { stepsOf } from '../golden-training.js';
import { readCase } from '../golden/check_format.mjs';
import { engines } from './engines.js';
import { ids, KINDS, random, train } from './shards-cases.js';

for (const engine of engines) {
  for (const [kind, how] of Object.entries(KINDS)) {
    test(`${kind}: no number of workers changes a bit in 50 steps (${engine.variant})`, async () => {
      const wanted = await train(engine, how, { shards: 5 });
      for (const workers of [0, 1, 2, 3]) assert.equal(await train(engine, how, { shards: 5, workers }), wanted);
      assert.equal(
        await train(engine, how, { shards: 1, workers: 1 }),
        await train(engine, how, {}),
        'one shard is the batch',
      );
      const four = await train(engine, how, { shards: 4 }, 5);
      for (const workers of [0, 2]) assert.equal(await train(engine, how, { workers }, 5), four, '4 is the default');
    });

    test(`${kind}: the shards' gradients add up to the batch's (${engine.variant})`, async () => {
      for (const B of [2, 7]) {
        const { config, settings, batch } = how;
        const model = engine.createModel(config);
        const given = batch(random(B), B);
        const trainer = model.trainer({ ...settings, shards: 3 });
        const whole = trainer.gradients(given);
        const names = model
          .tensors()
          .filter(({ region }) => region === 'gradient')
          .map(({ name }) => name);
        const slopes = names.map((name) => model.tensor(name).data);
        const report = await trainer.step(given);
        assert.equal(report.count, whole.count);
        assert(Math.abs(report.loss - whole.loss) <= 1e-6 * Math.abs(whole.loss), `${report.loss} ${whole.loss}`);
        assert(Math.abs(report.gradientNorm - whole.gradientNorm) <= 1e-5 * whole.gradientNorm);
        const weights = new Set(model.weights().keys());
        names.forEach((name, i) => {
          if (!weights.has(name.replace('grad.', ''))) return;
          const { data } = model.tensor(name);
          const most = slopes[i].reduce((largest, x) => Math.max(largest, Math.abs(x)), 0);
          slopes[i].forEach((x, at) =>
            assert(Math.abs(data[at] - x) <= 2e-6 * most + 1e-8, `${name} ${data[at]} ${x}`),
          );
        });
        model.free();
      }
    });
  }

  for (const name of ['train_gpt2_20', 'train_seq2seq_20']) {
    test(`${name}: two shards end within PyTorch's tolerance (${engine.variant})`, async () => {
      const path = fileURLToPath(new URL(`../golden/${name}.safetensors`, import.meta.url));
      const { meta, tensors } = readCase(path);
      const given = [...readSafetensors(readFileSync(path)).tensors];
      const named = (kind) =>
        given.filter(([key]) => key.startsWith(`${kind}.`)).map(([key, t]) => [key.slice(kind.length + 1), t]);
      const steps = stepsOf(
        engine,
        { ...meta, input: Object.fromEntries(named('input')), weights: new Map(/** @type {any} */ (named('weight'))) },
        { shards: 2, workers: 2 },
      );
      let next = steps.next();
      while (!next.done) next = steps.next(await next.value);
      const { results, gradients } = next.value;
      let held = 0;
      for (const [key, truth] of Object.entries(tensors)) {
        const [, kind, of] = /^(output|grad)\.(.*)$/.exec(key) ?? [];
        if (!kind || of.endsWith('.kbias')) continue;
        const rule = { atol: meta.tol[key]?.atol, rtol: meta.rtol };
        assert.equal(compare(truth, kind === 'grad' ? gradients.get(of) : results[of], rule).problem, '', key);
        held++;
      }
      assert(held > 20);
    });
  }
}

test('small models of any settings: workers change no bit', async () => {
  const model = fc.record({
    kind: fc.constantFrom('decoder', 'encoder'),
    d_model: fc.constantFrom(4, 8),
    layers: fc.integer({ min: 0, max: 2 }),
    norm: fc.constantFrom('post', 'pre', 'none'),
    residual: fc.boolean(),
    positions: fc.constantFrom('sinusoidal', 'learned', 'none'),
  });
  const settings = fc.record({
    optimizer: fc.constantFrom('adamw', 'adam', 'sgd'),
    dropout: fc.constantFrom(0, 0.3),
    clip: fc.constantFrom(0, 0.1),
    labelSmoothing: fc.constantFrom(0, 0.2),
    ignoreIndex: fc.constantFrom(-100, 3),
  });
  const shards = fc.integer({ min: 1, max: 6 });
  await fc.assert(
    fc.asyncProperty(
      model,
      settings,
      shards,
      fc.integer({ min: 1, max: 3 }),
      async (config, given, shards, workers) => {
        const how = {
          config: { ...config, heads: 2, vocabulary: 9, head: 'linear', maxLength: 4 },
          settings: given,
          batch: (r, B) => ({ ids: ids(r, B, 4, 9), labels: ids(r, B, 4, 9) }),
        };
        assert.equal(
          await train(engines[0], how, { shards, workers }, 4),
          await train(engines[0], how, { shards, workers: 0 }, 4),
        );
      },
    ),
    { numRuns: 15, seed: 15 },
  );
});
