// <glass-features>: the features of a dictionary at the chosen word, and what one does, by the module's numbers.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { load } from '../../../dist/js/index.js';
import { dictionaryOf } from './dictionary.js';
import { all, creek, open, problems, settled, TIRED, until } from './dom.js';

const IT = 9;
/** @type {import('glassformer/features').Features} */
let features;
/** @type {Uint8Array} */
let file;
before(async () => {
  features = await dictionaryOf(creek);
  file = features.save();
});

/** @param {any} part @param {string} selector @returns {string[]} */
const texts = (part, selector) => all(part, selector).map((each) => each.textContent.replace(/\s+/g, ' ').trim());
const list = (/** @type {any} */ part) => texts(part, '.feature-list button span');

test('the features at a word, and the chosen one: where it fires, what it writes', async () => {
  const { model, find } = await open('<glass-features>Features of “it”.</glass-features>', { word: 'it' });
  const part = find('glass-features');
  assert.equal(all(part, 'slot').length, 1, 'the text stays until there is a dictionary');
  part.src = file;
  await until(() => list(part).length);
  assert.equal(all(part, 'slot').length, 0);
  const gf = await load();
  const { model: own, tokenizer } = await gf.loadModel(creek);
  const values = features.encode(own.trace(TIRED)).data;
  const at = (/** @type {number} */ row) => [...values.subarray(row * 64, (row + 1) * 64)];
  const here = [...at(IT).keys()].filter((n) => at(IT)[n] > 0).sort((a, b) => at(IT)[b] - at(IT)[a]);
  assert.ok(here.length > 1 && here.length <= 4);
  assert.deepEqual(
    list(part),
    here.map((n) => `feature ${n}`),
  );
  assert.equal(texts(part, 'p')[0], `${here.length} of 64 features at it, after layer 2`);
  const [first] = here;
  const fires = [...Array(13).keys()].filter((row) => at(row)[first] > 0);
  assert.equal(all(part, '.feature-examples li').length, Math.min(5, fires.length));
  const rows = fires.toSorted((a, b) => at(b)[first] - at(a)[first]);
  const { tokens } = tokenizer.encode(TIRED);
  assert.deepEqual(
    texts(part, 'mark').map((word) => word.toLowerCase()),
    rows.slice(0, 5).map((at) => tokens[at]),
  );
  const row = (/** @type {any} */ { logits }) => gf.softmax(logits.data.slice(IT * 147, (IT + 1) * 147)).data;
  const patches = [{ of: features, feature: first, row: IT, set: 0 }];
  const [on, off] = [own.forward(TIRED), own.forward(TIRED, { patches })].map(row);
  const nats = [...on].map((share, id) => Math.log(share + 1e-9) - Math.log(off[id] + 1e-9));
  const order = [...nats.keys()].filter((id) => !/^\[/.test(tokenizer.token(id))).sort((a, b) => nats[b] - nats[a]);
  assert.deepEqual(
    texts(part, '.why-words > div:first-child bdi'),
    order
      .slice(0, 3)
      .filter((id) => nats[id] > 0)
      .map((id) => tokenizer.token(id)),
  );
  assert.deepEqual([model.feature, part.feature], [undefined, undefined]);
  assert.deepEqual(problems.splice(0), []);
});

test('a click chooses a feature, and another word has its own; what other parts read of the pass stays', async () => {
  const { model, find } = await open('<glass-features></glass-features><glass-why></glass-why>', {
    ...{ word: 'it', head: '3.2' },
  });
  const part = find('glass-features');
  part.src = features;
  await until(() => list(part).length > 1 && texts(find('glass-why'), '.why-result').length);
  const before = texts(find('glass-why'), '.why-result');
  /** @type {any[]} */
  const heard = [];
  model.addEventListener('choose', (/** @type {any} */ { detail, target }) => heard.push([detail.feature, target]));
  const [, second] = list(part);
  const number = Number(second.slice('feature '.length));
  all(part, '.feature-list button')[1].click();
  await settled();
  assert.deepEqual(heard, [[number, part]]);
  assert.deepEqual([part.getAttribute('feature'), part.feature], [String(number), number]);
  assert.equal(texts(part, '.feature-card strong')[0], `Feature ${number}`);
  assert.deepEqual(texts(part, '.feature-list [aria-pressed=true] span'), [second]);
  const names = list(part);
  model.word = 'dog';
  await settled();
  assert.notDeepEqual(list(part), names);
  assert.match(texts(part, 'p')[0], / features at dog, /);
  model.word = 'it';
  await settled();
  assert.deepEqual(texts(find('glass-why'), '.why-result'), before);
  part.removeAttribute('feature');
  await settled();
  assert.equal(texts(part, '.feature-card strong')[0], `Feature ${names[0].slice('feature '.length)}`);
  assert.deepEqual(problems.splice(0), []);
});

for (const [how, given, message] of /** @type {[string, () => object, string | RegExp][]} */ ([
  ['a number that is none', () => ({ src: file, feature: 64 }), 'feature: must be 0 to 63, got 64'],
  ['a text in its place', () => ({ src: file, feature: 'x' }), 'feature: must be 0 to 63, got "x"'],
  ['no dictionary', () => ({ src: 7 }), 'src: must be the address of a dictionary, its bytes, or Features, got 7'],
  ['a file of something else', () => ({ src: creek }), /cfg\.json/],
]))
  test(`${how} is shown and reported once, and the element recovers`, async () => {
    const { model, find } = await open('<glass-features></glass-features>', { word: 'it' });
    const part = find('glass-features');
    Object.assign(part, given());
    await until(() => problems.length);
    model.word = 'dog';
    await settled();
    const [reported, ...more] = problems.splice(0).map((each) => /** @type {Error} */ (each).message);
    assert.deepEqual(more, []);
    if (typeof message === 'string') assert.equal(reported, message);
    else assert.match(reported, message);
    Object.assign(part, { src: file, feature: 3 });
    await until(() => texts(part, '.feature-card strong')[0] === 'Feature 3');
    assert.equal(all(part, 'b')[0].textContent, '');
    assert.deepEqual(problems.splice(0), []);
  });
