// Parts outside of a <glass-model>, which take their model by property.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from '../../../dist/js/index.js';
import { all, creek, DEEP, open, problems, settled, TIRED, until, window } from './dom.js';

/** @param {any} map */
const readout = (map) => all(map, '.map-readout')[0]?.textContent ?? '';
/** @param {any} part @param {string} selector @returns {string[]} */
const texts = (part, selector) => all(part, selector).map((each) => each.textContent.trim());

/** Parts without a model around them. @param {string} markup @returns {any[]} */
function alone(markup) {
  window.document.body.innerHTML = markup;
  return [...window.document.body.children];
}

test('parts with one open model share a choice, which no element has; another text is another model', async () => {
  const opened = await (await load()).loadModel(creek);
  const read = { ...opened, text: TIRED };
  const [sentence, map, why] = alone(
    '<glass-sentence head="3.2" word="it"></glass-sentence><glass-heatmap></glass-heatmap><glass-why></glass-why>',
  );
  for (const part of [sentence, map, why]) part.model = read;
  await until(() => texts(sentence, '.token').length && readout(map) && texts(why, '.why-number').length);
  assert.match(readout(map), /^query it, key dog 0\.9/);
  assert.deepEqual([map.model, map.word, map.head], [read, 'it', '3.2']);
  /** @type {any[]} */
  const heard = [];
  sentence.addEventListener('choose', (/** @type {any} */ { detail }) => heard.push(detail.text));
  all(sentence, '.token')[4].click();
  await settled();
  assert.deepEqual(heard, ['jump']);
  assert.match(readout(map), /^query jump, key /);
  assert.match(texts(why, '.why-line')[0], /^In layer 3, head 2, jump /);
  map.model = { ...opened, text: DEEP };
  map.word = 'it';
  map.head = '3.2';
  await until(() => readout(map).startsWith('query it, key creek'));
  assert.deepEqual(texts(sentence, '.token.query'), ['jump'], 'the others stay');
  assert.deepEqual(problems.splice(0), []);
});

test('the page runs other passes with its model in between: the numbers stay those of the text', async () => {
  const { find } = await open('<glass-why></glass-why>', { head: '3.2', word: 'jump' });
  await until(() => texts(find('glass-why'), '.why-number').length);
  const expected = texts(find('glass-why'), '.why-number');
  const opened = await (await load()).loadModel(creek);
  const [why] = alone('<glass-why></glass-why>');
  why.model = { ...opened, text: TIRED };
  Object.assign(why, { head: '3.2', word: 'it' });
  await until(() => texts(why, '.why-number').length);
  assert.notDeepEqual(texts(why, '.why-number'), expected);
  opened.model.forward('the cat sat .', { capture: true });
  why.word = 'jump';
  await until(() => texts(why, '.why-line')[0].includes(' jump '));
  assert.deepEqual(texts(why, '.why-number'), expected);
  assert.deepEqual(problems.splice(0), []);
});

test('a part elsewhere shows the <glass-model> that it is given, until it gets none', async () => {
  const { model } = await open('<glass-heatmap></glass-heatmap>', { head: '3.2', word: 'it' });
  const part = window.document.createElement('glass-neurons');
  part.model = model;
  window.document.body.append(part);
  await until(() => texts(part, 'p').length && readout(part));
  assert.equal(texts(part, 'p')[0], '96 neurons of layer 3 at “it”');
  const cells = all(part, '.map-cells')[0];
  cells.dispatchEvent(new window.KeyboardEvent('keydown', { key: 'Home' }));
  await settled();
  assert.equal(model.getAttribute('neuron'), '3.0');
  part.model = null;
  await settled();
  const box = part.shadowRoot.querySelector('[part=neurons]').parentElement.parentElement;
  assert.equal(box.hidden, true);
  part.model = model;
  await settled();
  assert.equal(box.hidden, false);
  assert.deepEqual(problems.splice(0), []);
});

test('what loadModel gives is a source of <glass-model>, too', async () => {
  const { find } = await open('<glass-heatmap></glass-heatmap>', {
    src: await (await load()).loadModel(creek),
    ...{ head: '3.2', word: 'it' },
  });
  await until(() => readout(find('glass-heatmap')));
  assert.match(readout(find('glass-heatmap')), /^query it, key dog 0\.9/);
  assert.deepEqual(problems.splice(0), []);
});

test('a flipped word takes the key away that the reader chose, inside a model and outside', async () => {
  const flip = '<glass-sentence flip="tired|deep"></glass-sentence><glass-heatmap></glass-heatmap>';
  const { model, find } = await open(flip, { head: '3.2', word: 'it' });
  const opened = await (await load()).loadModel(creek);
  /** @param {any} sentence @param {any} map */
  async function check(sentence, map) {
    await until(() => readout(map) && texts(sentence, '.flips button').length);
    all(map, '.map-cells')[0].dispatchEvent(new window.KeyboardEvent('keydown', { key: 'ArrowLeft' }));
    await settled();
    assert.match(readout(map), /^query it, key The /);
    all(sentence, '.flips button')[1].click();
    await settled();
    assert.match(readout(map), /^query it, key creek 0\.9/);
  }
  await check(find('glass-sentence'), find('glass-heatmap'));
  assert.equal(model.getAttribute('key'), null);
  const parts = alone(flip);
  const read = { ...opened, text: TIRED };
  for (const part of parts) Object.assign(part, { model: read, head: '3.2', word: 'it' });
  await check(parts[0], parts[1]);
  assert.deepEqual(problems.splice(0), []);
});

test('a place that the reader chose and the next text lacks is dropped without a word', async () => {
  const { model, find } = await open('<glass-heatmap></glass-heatmap>', { word: 'it' });
  await until(() => readout(find('glass-heatmap')));
  all(find('glass-heatmap'), '.map-cells')[0].dispatchEvent(new window.KeyboardEvent('keydown', { key: 'ArrowDown' }));
  await settled();
  assert.equal(model.word, 10);
  model.text = 'The cat sat.';
  await settled();
  assert.match(readout(find('glass-heatmap')), /^query The, key /);
  assert.deepEqual([model.word, problems.splice(0)], [undefined, []]);
});

const NEEDED = 'must be a <glass-model>, or { model, tokenizer, text } with a model of this thread';
for (const [how, value] of /** @type {[string, any][]} */ ([
  ['a number', 7],
  ['a text', 'creek'],
  ['no text', { model: { config: {} }, tokenizer: {} }],
  ['another element', window.document.body],
]))
  test(`model = ${how} is shown and reported, and the part recovers`, async () => {
    const [part] = alone('<glass-heatmap></glass-heatmap>');
    part.model = value;
    await settled();
    const [reported, ...more] = problems.splice(0).map((each) => /** @type {Error} */ (each).message);
    assert.ok(reported.startsWith(`model: ${NEEDED}, got `), reported);
    assert.deepEqual([all(part, 'b')[0].textContent, more], [reported, []]);
    part.model = { ...(await (await load()).loadModel(creek)), text: TIRED };
    await until(() => readout(part));
    assert.equal(all(part, 'b')[0].textContent, 'Attention, layer 1, head 1');
    assert.deepEqual(problems.splice(0), []);
  });
