// Models, engines and trainers as objects: how they end, print, and that they cannot be copied.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { inspect } from 'node:util';

import { load } from 'glassformer';
import { refused } from './reference.js';

const gf = await load({ variant: 'simd' });
const make = () =>
  gf.createModel({ kind: 'decoder', vocabulary: 9, d_model: 4, heads: 2, layers: 1, d_ff: 4, head: 'tied' });

test('to free a model twice is nothing, and what is called afterwards names it', () => {
  const model = make();
  const { parameterCount } = model;
  model.free();
  model.free();
  const other = gf.createModel({ kind: 'feed-forward', d_model: 2, d_ff: 2, heads: 1 }); // may get its number
  model.free();
  other.forward({ vectors: [[1, 2]] });
  other.free();
  for (const call of [() => model.forward({ ids: [1] }), () => model.weights(), () => model.trainer()]) {
    const { message } = refused(call, 'freed', 'model');
    assert.equal(message, `model: the decoder of ${parameterCount} parameters was freed`);
  }
});

test('a model is disposed of by its symbol, where there is one', () => {
  const model = make();
  const symbol = Symbol.dispose ?? Symbol.for('Symbol.dispose');
  assert.equal(typeof model[symbol], 'function');
  assert.ok(!('undefined' in model));
  model[symbol]();
  model[symbol]();
  refused(() => model.tensors(), 'freed');
});

test('they print by their names, with what matters', () => {
  const model = make();
  const trainer = model.trainer({ learningRate: 0.5 });
  const facts = `kind: 'decoder', d_model: 4, heads: 2, layers: 1, vocabulary: 9, parameters: ${model.parameterCount}`;
  const print = (value) => inspect(value, { breakLength: Infinity });
  assert.equal(print(model), `GlassformerModel { ${facts} }`);
  assert.match(print(gf), /^GlassformerEngine { variant: 'simd', version: '\d+\.\d+\.\d+', memoryBytes: \d+ }$/);
  assert.equal(
    print(trainer),
    "GlassformerTrainer { optimizer: 'adamw', learningRate: 0.5, loss: 'crossEntropy', steps: 0 }",
  );
  assert.equal(print({ at: { the: { very: { end: model } } } }), '{ at: { the: { very: [Object] } } }');
  assert.equal(print([[[model]]]), '[ [ [ [GlassformerModel] ] ] ]');
  for (const one of [model, gf, trainer]) {
    const name = one.constructor.name;
    assert.equal(String(one), `[object ${name}]`);
    assert.match(print(Object.getPrototypeOf(one)), new RegExp(`\\[${name}\\]`));
    assert.deepEqual(Object.keys(one), one === trainer ? ['settings'] : []);
  }
  model.free();
  assert.equal(print(model), `GlassformerModel { ${facts}, freed: true }`);
  assert.match(print(trainer), /steps: 'model: the decoder of \d+ parameters was freed'/);
});

/** Runs a program that can collect garbage. @param {string} program */
function collected(program) {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ['--expose-gc', '--input-type=module', '--eval', program],
    { encoding: 'utf8', cwd: new URL('.', import.meta.url) },
  );
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}

test('models that nobody holds are given back', () => {
  const { sizes, kept } = collected(`
    import { load } from 'glassformer';
    const gf = await load();
    const make = () => gf.createModel({ vocabulary: 1000, d_model: 128, heads: 4, layers: 2, seed: 3 });
    const held = make();
    const { output } = held.forward({ ids: [1, 2, 3] });
    const view = make().view('encoder.layers.0.linear1.weight'); // whose model stays
    const seen = view.slice();
    const trainer = make().trainer({ loss: 'mse' }); // likewise
    const sizes = [];
    for (let round = 0; round < 40; round++) {
      for (let i = 0; i < 5; i++) {
        const model = make();
        model.forward({ ids: [4, 5] });
        if (i === 0) model.trainer({ loss: 'mse' });
        if (i === 1) model.free();
      }
      for (let i = 0; i < 3; i++) {
        gc();
        await new Promise((resolve) => setTimeout(resolve));
      }
      sizes.push(gf.memoryBytes);
    }
    const again = held.forward({ ids: [1, 2, 3] }).output;
    const now = held.view('encoder.layers.0.linear1.weight');
    console.log(JSON.stringify({
      sizes,
      kept: again.data.every((x, i) => x === output.data[i]) && trainer.steps === 0 &&
        (view.length === 0 || view.every((x, i) => x === seen[i])) && now.every((x, i) => x === seen[i]),
    }));
  `);
  // 200 models of 2.1 MB each would be 420 MB.
  assert.ok(sizes.at(-1) < 40e6, `${sizes}`);
  assert.ok(kept);
});

test('a model that has handed out a view stays, whatever is made of the view', () => {
  const { length, kept } = collected(`
    import { load } from 'glassformer';
    const gf = await load();
    const make = (seed) => gf.createModel({ vocabulary: 100, d_model: 32, heads: 4, layers: 2, seed });
    // Room, so that the memory does not grow, which would end the view.
    for (const each of Array.from({ length: 100 }, (_, seed) => make(seed))) each.free();
    const part = make(1000).view('encoder.layers.0.linear1.weight').subarray(0, 8);
    const seen = part.slice();
    for (let round = 0; round < 5; round++) {
      for (let i = 0; i < 10; i++) make(i);
      gc();
      await new Promise((resolve) => setTimeout(resolve));
    }
    console.log(JSON.stringify({ length: part.length, kept: part.every((x, i) => x === seen[i]) }));
  `);
  assert.equal(length, 8);
  assert.ok(kept);
});
