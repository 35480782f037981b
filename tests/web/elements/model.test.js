// <glass-model> and <glass-heatmap> inside it: one choice for all parts, and mistakes that break nothing.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { all, creek, DEEP, open, problems, settled, TIRED, until, window } from './dom.js';

/** @param {any} map */
const readout = (map) => map.shadowRoot.querySelector('.map-readout').textContent;
const TWO = '<glass-heatmap head="3.2" word="it"></glass-heatmap><glass-heatmap></glass-heatmap>';

test('two maps of one model show the same cell; a key pressed in one moves both, and is told', async () => {
  const { model } = await open(TWO);
  const [one, two] = window.document.querySelectorAll('glass-heatmap');
  for (const map of [one, two]) assert.match(readout(map), /^query it, key dog 0\.9/);
  const heard = [];
  model.addEventListener('choose', ({ detail, target }) => heard.push({ ...detail, target }));
  const cells = one.shadowRoot.querySelector('.map-cells');
  cells.dispatchEvent(new window.KeyboardEvent('keydown', { key: 'ArrowUp' }));
  await settled();
  for (const map of [one, two]) assert.match(readout(map), /^query because, key dog /);
  const chosen = { head: '3.2', word: 8, text: 'because', key: 1, keyText: 'dog', neuron: null, target: one };
  assert.deepEqual(heard, [chosen]);
  assert.deepEqual([model.getAttribute('word'), model.getAttribute('key'), two.word], ['8', '1', 8]);
  assert.deepEqual(problems.splice(0), []);
});

test('a word is flipped: the weight moves to another key, and a key of the reader does not stay behind', async () => {
  const { model, find } = await open('<glass-heatmap></glass-heatmap>', { head: '3.2', word: 'it', text: DEEP });
  assert.match(readout(find('glass-heatmap')), /^query it, key creek 0\.9/);
  const cells = find('glass-heatmap').shadowRoot.querySelector('.map-cells');
  cells.dispatchEvent(new window.KeyboardEvent('keydown', { key: 'ArrowLeft' }));
  await settled();
  assert.match(readout(find('glass-heatmap')), /^query it, key the /);
  model.text = TIRED;
  await settled();
  assert.match(readout(find('glass-heatmap')), /^query it, key dog 0\.9/);
  assert.equal(model.getAttribute('key'), null);
  assert.deepEqual(problems.splice(0), []);
});

test('attributes of the model are its choice, and a matrix of its own takes a map out of it', async () => {
  const { model, find } = await open('<glass-heatmap></glass-heatmap>');
  assert.match(readout(find('glass-heatmap')), /^query The, key /);
  model.setAttribute('head', '1.2');
  model.setAttribute('word', '3');
  model.setAttribute('key', 'creek');
  await settled();
  assert.equal(find('glass-heatmap').shadowRoot.querySelector('b').textContent, 'Attention, layer 1, head 2');
  assert.match(readout(find('glass-heatmap')), /^query not, key creek /);
  find('glass-heatmap').matrix = [[0.5]];
  await settled();
  assert.equal(find('glass-heatmap').value, 0.5);
  find('glass-heatmap').matrix = null;
  await settled();
  assert.match(readout(find('glass-heatmap')), /^query not, key creek /);
});

test('a choice that cannot be read holds up no other model', async () => {
  const { find } = await open('<glass-sentence></glass-sentence>');
  const one = window.document.querySelector('glass-model');
  window.document.body.insertAdjacentHTML('beforeend', '<glass-model><glass-sentence></glass-sentence></glass-model>');
  const other = Object.assign(/** @type {any} */ (one?.nextElementSibling), { src: creek, text: TIRED });
  Object.assign(one, { head: Object.create(null) });
  await settled();
  assert.match(String(problems.splice(0)), /^TypeError/);
  other.text = DEEP;
  await settled();
  assert.match(
    all(other.firstElementChild, '.token')
      .map((each) => each.textContent)
      .join(' '),
    /deep/,
  );
  Object.assign(one, { head: '1.1' });
  await settled();
  assert.equal(all(find('glass-sentence'), '.token').length, 13);
  assert.deepEqual(problems.splice(0), []);
});

test('eight parts are drawn where there are no frames', async () => {
  await open('<glass-sentence></glass-sentence>'.repeat(8));
  const drawn = [...window.document.querySelectorAll('glass-sentence')].map((each) => all(each, '.token').length);
  assert.deepEqual(drawn, Array(8).fill(13));
});

test('a shipped name, and an address whose file breaks off once', async () => {
  const { find } = await open('<glass-sentence></glass-sentence>', { src: undefined, name: 'creek' });
  await until(() => all(find('glass-sentence'), '.token').length);
  let asked = 0;
  const server = createServer((_, response) => {
    response.setHeader('content-length', creek.length);
    if (asked++) return void response.end(creek);
    response.write(creek.subarray(0, 50_000), () => response.destroy());
  });
  await new Promise((resolve) => server.listen(0, () => resolve(undefined)));
  const src = `http://localhost:${/** @type {any} */ (server.address()).port}/creek.safetensors?a=b`;
  const other = await open('<glass-sentence></glass-sentence>', { src });
  await until(() => all(other.find('glass-sentence'), '.token').length);
  assert.equal(asked, 2);
  server.close();
  assert.deepEqual(problems.splice(0), []);
});

for (const [name, value, message] of [
  ['head', '9.1', 'head: must be a layer and a head, 1.1 to 3.2, got "9.1"'],
  ['head', {}, 'head: must be a layer and a head, 1.1 to 3.2, got {}'],
  ['word', 'river', 'word: must be a word of the text, or 0 to 12, got "river"'],
  ['word', 13, 'word: must be a word of the text, or 0 to 12, got 13'],
  ['neuron', '2.96', 'neuron: must be a layer and a neuron, 1.0 to 3.95, got "2.96"'],
])
  test(`${name} = ${JSON.stringify(value)} is reported and dropped`, async () => {
    const { model, find } = await open('<glass-heatmap></glass-heatmap>', { head: '3.2', word: 'it' });
    model[name] = value;
    await settled();
    assert.deepEqual(
      problems.splice(0).map(({ message }) => message),
      [message],
    );
    assert.match(readout(find('glass-heatmap')), /^query /);
    assert.equal(model[name], undefined);
  });

for (const [how, given, message] of [
  ['an unknown word', { text: 'The xyzzy.' }, 'text: has a word the model does not know, got "xyzzy"'],
  ['no word', { text: ' ' }, 'text: has no words, got " "'],
  ['no such model', { src: undefined, name: 'crek' }, 'name: must be creek, continue or translate, got "crek"'],
  ['no model in the file', { src: new Uint8Array(9) }, 'header: is no strict JSON: Unexpected end of JSON input'],
])
  test(`${how}: the part shows the error, and recovers`, async () => {
    const { model, find } = await open('<glass-heatmap></glass-heatmap>', given);
    const title = () => find('glass-heatmap').shadowRoot.querySelector('b').textContent;
    const [reported] = problems.splice(0);
    assert.equal(title(), reported.message);
    assert.equal(title(), message);
    Object.assign(model, { src: creek, text: TIRED });
    await settled();
    assert.equal(title(), 'Attention, layer 1, head 1');
    assert.deepEqual(problems.splice(0), []);
  });

test('tokens of a tokenizer.json stand as people read them, and are found by their text', async () => {
  const austen = new Uint8Array(readFileSync(new URL('../../../web/models/austen.safetensors', import.meta.url)));
  const { model, find } = await open('<glass-heatmap></glass-heatmap><glass-logits></glass-logits>', {
    ...{ src: austen, text: 'She was not surprised by his letter.', word: 'letter' },
  });
  await until(() => readout(find('glass-heatmap')));
  assert.match(readout(find('glass-heatmap')), /^query ␣letter, key /);
  await until(() => all(find('glass-logits'), '.lens tr.here').length);
  const words = all(find('glass-logits'), '.top-words th[scope=row]').map((each) => each.textContent.trim());
  assert.equal(words.length, 5);
  assert.ok(!words.join('').includes('Ġ') && words.some((word) => word.startsWith('␣')), words.join());
  model.word = 'Letter';
  await settled();
  assert.match(readout(find('glass-heatmap')), /^query ␣letter, key /);
  assert.deepEqual(problems.splice(0), []);
});

test('models of the same file share one copy, and read in turn, each its own text', async () => {
  window.document.body.innerHTML = Array(3).fill('<glass-model><glass-heatmap></glass-heatmap></glass-model>').join('');
  const models = [...window.document.querySelectorAll('glass-model')];
  const texts = [TIRED, DEEP, TIRED];
  models.forEach((model, i) => Object.assign(model, { src: creek, text: texts[i], head: '3.2', word: 'it' }));
  await settled();
  for (const head of ['3.1', '3.2']) {
    for (const model of models) Object.assign(model, { head });
    await settled();
  }
  const keys = models.map((model) => readout(model.firstChild).split(' ')[3]);
  assert.deepEqual(keys, ['dog', 'creek', 'dog']);
});

test('a part that is moved out of its model, and into another, follows that one', async () => {
  const { find } = await open('<glass-heatmap></glass-heatmap>', { head: '3.2', word: 'it' });
  const map = find('glass-heatmap');
  const other = Object.assign(window.document.createElement('glass-model'), { src: creek, text: DEEP, head: '1.1' });
  window.document.body.append(other);
  other.append(map);
  await settled();
  assert.equal(map.shadowRoot.querySelector('b').textContent, 'Attention, layer 1, head 1');
  window.document.body.append(map);
  await settled();
  assert.deepEqual(all(map, 'b')[0].textContent, '');
  assert.deepEqual(problems.splice(0), []);
});
