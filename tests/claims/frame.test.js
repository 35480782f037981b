// The form that all claims share: their order, what each says of itself, settings, comparison, progress, abort.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as published from 'glassformer/claims';
import { claims, compareNumbers, settingsToCheck } from '../../src/claims/index.js';
import { settingsOf } from '../../src/claims/shared/claim.js';
import { overSeeds, stepper } from '../../src/claims/shared/steps.js';
import { guessOf } from '../../web/claims/guess.js';
import { VERDICTS } from '../../web/claims/wording.js';
import { gf } from './check.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
test('each claim is listed once, and their numbers leave none out', () => {
  const numbers = claims.map(({ claim }) => claim.number).sort((a, b) => a - b);
  assert.deepEqual(
    numbers,
    Array.from(claims, (_, i) => i + 1),
  );
  assert.equal(new Set(claims.map(({ claim }) => claim.name)).size, claims.length);
});

test('each file of a claim is listed', () => {
  const names = readdirSync(join(root, 'src/claims')).filter((name) => /\.js$/.test(name));
  assert.equal(names.length, claims.length + 1, 'and index.js');
});

test('the published entry has the same claims', () => {
  assert.deepEqual(
    published.claims.map(({ claim }) => claim),
    claims.map(({ claim }) => claim),
  );
  for (const module of published.claims)
    for (const name of ['picture', 'matching', 'ownModel']) assert.ok(!(name in module), `${name} is the page’s`);
  assert.deepEqual(Object.keys(published).sort(), ['claims', 'compareNumbers', 'course', 'kindOf', 'settingsToCheck']);
});

for (const { claim } of claims) {
  test(`${claim.number}. ${claim.name}: its data are sound`, () => {
    const { sentence, experiment, literature, why, limits, quotes = [] } = claim;
    const { choices, inputs, expected, contrast, sketch } = claim;
    assert.match(sentence, /^[A-Z“].*[.”]$/);
    const works = [...literature.for, ...literature.against];
    assert.ok(works.length > 0);
    for (const work of works) assert.match(work, /^[A-ZŁ\p{Lu}].* (19|20)\d\d, (“|section)/u);
    assert.ok(why.length < 300 && /\.$/.test(why), why);
    assert.ok(limits.length < 300 && /\.$/.test(limits), limits);
    assert.match(claim.overturn, /^[A-Z].{20,200}\.$/);
    for (const { text, from } of quotes) {
      assert.match(text, /\w/);
      assert.match(from, /^\p{Lu}/u);
    }
    assert.match(experiment, /^[A-Z0-9][^]*\. [A-Z0-9][^]*\.$/, 'two sentences');
    assert.ok(experiment.length < 300, `${experiment.length}`);
    const parts = sketch.stacks.flatMap((stack) => stack.parts);
    assert.ok(sketch.input.length > 0 && sketch.input.length <= 6 && parts.length > 0 && parts.length <= 6);
    for (const text of [...sketch.input, ...parts, sketch.output]) assert.ok(text && text.length <= 40, text);
    assert.ok(choices.length === 2 || choices.length === 3);
    assert.equal(new Set(choices.map(({ verdict }) => verdict)).size, choices.length);
    for (const { verdict } of choices) assert.ok(VERDICTS.includes(verdict));
    assert.ok(inputs.length > 0 && inputs.length <= 3);
    for (const { values, default: value } of inputs) assert.ok(values.length > 1 && values.includes(value));
    assert.ok(expected.length > 0);
    for (const { range } of expected) assert.ok(range[0] <= range[1]);
    // A number's first label stands beside it also at switches at which nothing is known of it.
    for (const name of new Set(expected.map((one) => one.name))) {
      const { label, at = {} } = expected.find((one) => one.name === name) ?? assert.fail();
      for (const value of Object.values(at))
        if (!Number.isInteger(value)) assert.ok(!label.includes(String(value)), `“${label}” is not always of ${value}`);
    }
    const guess = guessOf(claim);
    assert.equal(guess === null, claim.guess === undefined, 'a guess is of a number that is known at the defaults');
    if (guess) {
      assert.ok(guess.from < guess.to && (!guess.log || guess.from > 0));
      assert.ok(guess.known.range.every((end) => end >= guess.from && end <= guess.to));
    }
    for (const at of settingsToCheck(claim)) settingsOf(claim, at);
    const defaults = settingsOf(claim);
    assert.ok(
      settingsToCheck(claim).some((at) => Object.entries(at).every(([name, value]) => defaults[name] === value)),
    );
    settingsOf(claim, contrast);
  });

  test(`${claim.number}. ${claim.name}: an aborted run ends with the reason`, async () => {
    const { run } = claims.find((one) => one.claim === claim) ?? assert.fail();
    await assert.rejects(run(gf, { seeds: 1 }, undefined, AbortSignal.abort('enough')), (error) => error === 'enough');
  });
}

const PLACE = '(section |sections |abstract|chapter |tutorial )';

test('a reader can open who says a sentence, and each quote names its text: nobody heard it in a lecture', () => {
  for (const { claim } of claims) {
    const { number, saidBy, source, quotes = [] } = claim;
    assert.doesNotMatch([saidBy, ...quotes.map(({ from }) => from)].join(), /lecture/i, `${number}`);
    if (/^Often said/.test(saidBy)) assert.deepEqual([source, quotes], [undefined, []], `${number}`);
    else if (source === undefined) assert.match(saidBy, new RegExp(`\\b(19|20)\\d\\d, “.+”, ${PLACE}`), `${number}`);
    else assert.deepEqual([new URL(source).protocol, new URL(source).href], ['https:', source], `${number}`);
    // Every quote is of a dated place of a text, or of the address that the card opens.
    for (const { from } of quotes)
      assert(new RegExp(`\\b(19|20)\\d\\d, ${PLACE}`).test(from) || (source && saidBy.startsWith(from)), from);
  }
});

test('no sentence is laid to Vaswani et al. that they do not say', () => {
  const said = claims.filter(({ claim }) => claim.saidBy.startsWith('Vaswani')).map(({ claim }) => claim.number);
  assert.deepEqual(said, [3, 5, 1, 31, 21, 12, 15, 14, 18]);
});

test('the short claims give the same numbers for the same params, and report progress to the end', async () => {
  const { run } = claims[0];
  const shares = /** @type {number[]} */ ([]);
  const numbers = await run(gf, { seeds: 3, seed: 7 }, (share) => shares.push(share));
  assert.deepEqual(await run(gf, { seeds: 3, seed: 7 }), numbers);
  assert.deepEqual(shares, [0, 1 / 3, 2 / 3, 1]);
});

for (const { claim, run } of claims.filter((one) => one.claim.seeded && !one.claim.long))
  test(`${claim.number}. ${claim.name}: after each seed the numbers so far are those of a run over them`, async () => {
    /** @type {Map<number, any>} */
    const reported = new Map();
    const numbers = await run(gf, { seeds: 2, seed: 7 }, (share, soFar) => {
      if (soFar) reported.set(soFar.seeds, [share, soFar.numbers]);
    });
    assert.deepEqual(reported.get(1)?.[1], await run(gf, { seeds: 1, seed: 7 }));
    assert.deepEqual(reported.get(Math.max(...reported.keys())), [1, numbers]);
  });

test('settings: defaults, seeds, and what is refused', () => {
  const claim = { name: 'c', inputs: [{ name: 'a', label: 'A', values: [1, 2], default: 2 }] };
  assert.deepEqual(settingsOf(claim), { a: 2, seeds: [0, 1, 2, 3, 4] });
  assert.deepEqual(settingsOf(claim, { a: 1, seed: 5, seeds: 2 }), { a: 1, seeds: [5, 6] });
  assert.throws(() => settingsOf(claim, { b: 1 }), { code: 'unknown', parameter: 'b' });
  assert.throws(() => settingsOf(claim, { a: 3 }), { code: 'range', parameter: 'a' });
  assert.throws(() => settingsOf(claim, { seeds: 0 }), { code: 'range', parameter: 'seeds' });
  assert.throws(() => settingsOf(claim, { seed: 0.5 }), { code: 'range', parameter: 'seed' });
});

test('numbers are compared with those of the same switches, each of a list, with their tolerance', () => {
  const inputs = [{ name: 'a', label: 'A', values: [1, 2], default: 1 }];
  const range = /** @type {const} */ ([2, 4]);
  const claim = (/** @type {object} */ more) => ({
    name: 'c',
    inputs,
    expected: [{ name: 'x', label: 'X', range, ...more }],
  });
  const of = (/** @type {object} */ more, /** @type {any} */ x, params = {}) =>
    compareNumbers(claim(more), { x }, params)[0];
  assert.equal(of({}, [2, 3, 4]).within, true);
  assert.equal(of({}, [2, 4.001]).within, false);
  assert.equal(of({}, [[2], [1.999]]).within, false);
  assert.equal(of({}, NaN).within, false);
  assert.deepEqual(of({ tolerance: { absolute: 0.5 } }, 3).allowed, [1.5, 4.5]);
  assert.deepEqual(of({ tolerance: { relative: 0.5 } }, 3).allowed, [1, 6]);
  assert.deepEqual(of({ tolerance: { factor: 2 } }, 3).allowed, [1, 8]);
  assert.equal(of({ at: { a: 2 } }, 3), undefined);
  assert.equal(of({ at: { a: 2 } }, 3, { a: 2 }).within, true);
  assert.throws(() => compareNumbers(claim({}), { y: 1 }), /no number x/);
  const { expected } = claim({});
  assert.deepEqual(
    settingsToCheck({ inputs, contrast: { a: 2 }, expected: [...expected, { ...expected[0], at: { a: 2 } }] }),
    [{}, { a: 2 }],
  );
});

test('a run is ended between its steps, and lets others have their turn', async () => {
  const control = new AbortController();
  setTimeout(() => control.abort('enough'), 1);
  const step = stepper(1e9, undefined, control.signal);
  let steps = 0;
  await assert.rejects(
    (async () => {
      for (;;) {
        await step();
        steps++;
      }
    })(),
    (error) => error === 'enough',
  );
  assert.ok(steps > 0);
  assert.deepEqual(await overSeeds([4, 5], (seed) => ({ a: seed, b: [seed] })), { a: [4, 5], b: [[4], [5]] });
});

test('npm run claims prints verdicts, numbers with their tolerance, controls and boundaries', () => {
  const run = (/** @type {string[]} */ ...args) =>
    spawnSync(process.execPath, ['src/claims/run.mjs', ...args], { cwd: root, encoding: 'utf8' });
  const { status, stdout } = run('20', '23', '--seeds', '2');
  assert.equal(status, 0, stdout);
  const isQuote = (/** @type {string} */ line) => /: “.+”$/.test(line);
  const all = stdout.split('\n').map((line) => line.trim());
  const lines = all.filter((line) => !isQuote(line));
  assert.match(lines[0], /^20\. E = X·W_e.* \(Said by: .+, https:\/\/\S+\)$/);
  assert(isQuote(all[1]));
  assert.match(lines[1], /^TRUE\. /);
  assert.match(lines[2], /: 0, stated 0, allowed 0, ok$/);
  assert.match(lines[4], /^control \(rows probabilities\): /);
  assert.match(lines[5], / s$/);
  assert.match(lines[7], /^IT DEPENDS on the number of keys and the lead in score\. /);
  assert.ok(lines.some((line) => line.startsWith('boundary (gap 9): ')));
  assert.match(stdout, /, 0 numbers outside their tolerance\n$/);
  assert.equal(run('99').status, 2);
});
