// The code that a card copies, run in Node: the numbers and the verdict of the card itself.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { transform } from 'esbuild';
import { load } from 'glassformer';
import { claims } from '../../../src/claims/index.js';
import { codeOf } from '../../../web/claims/code.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));

for (const [number, params] of /** @type {[number, import('../../../src/claims/index.js').Params][]} */ ([
  [20, {}],
  [3, { table: 'random', seed: 3, seeds: 2 }],
  [7, { activation: 'gelu', neurons: 4, seeds: 1 }],
  [10, { target: 'a×b on [0, 1]²' }],
]))
  test(`${number} with ${JSON.stringify(params)}: the copied code gives the card’s numbers`, async () => {
    const { claim, run, outcome } = claims.find((one) => one.claim.number === number) ?? assert.fail();
    const code = `${codeOf(claim, params)}process.stdout.write('\\0' + JSON.stringify(numbers));\n`;
    const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
      cwd: root,
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
    const [shown, numbers] = stdout.split('\0');
    const own = await run(await load({ variant: 'simd' }), params);
    assert.deepEqual(JSON.parse(numbers), JSON.parse(JSON.stringify(own)));
    assert(shown.includes(inspect(own)), shown);
    assert(shown.includes(inspect(outcome(own, params))), shown);
  });

test('the code of every card parses, names its sentence and all its switches', async () => {
  for (const { claim } of claims) {
    const code = codeOf(claim, {});
    await transform(code, { format: 'esm' });
    assert(code.startsWith(`// ${claim.number}. ${claim.sentence}\n`));
    for (const { name } of claim.inputs) assert(code.includes(`${name}: `), name);
    assert.equal(code.includes('seeds: 5'), claim.seeded);
  }
});

test('a sentence of several lines stays in its comment', async () => {
  const { code } = await transform(codeOf({ number: 1, sentence: 'a\nthrow\u2028b', inputs: [], seeded: false }, {}));
  assert.doesNotMatch(code, /throw/);
});
