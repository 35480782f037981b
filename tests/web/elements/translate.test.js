// An encoder–decoder in the elements: the source above what the model says, each attention by its name.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { load } from '../../../dist/js/index.js';
import { all, open, problems, settled, until } from './dom.js';

const file = new Uint8Array(readFileSync(new URL('../../../dist/models/translate.safetensors', import.meta.url)));
const TEXT = 'the black dog was tired .';
const SOURCE = TEXT.split(' ');
const SAID = 'le chien noir était fatigué . [EOS]'.split(' ');

/** @param {any} part @param {string} selector @returns {string[]} */
const texts = (part, selector) => all(part, selector).map((each) => each.textContent.replace(/\s+/g, ' ').trim());
/** @param {any} map */
const readout = (map) => texts(map, '.map-readout')[0] ?? '';

/** The module’s trace of the text and what it says. */
async function traced() {
  const { model, tokenizer } = await (await load()).loadModel(file);
  const { ids } = model.generateSync(TEXT);
  return model.trace({ sourceIds: [...tokenizer.encode(TEXT)], targetIds: [...ids].slice(0, -1) });
}

test('cross-attention by default: rows are what it says, columns the source, in map and sentence', async () => {
  const { model, find } = await open('<glass-sentence></glass-sentence><glass-heatmap></glass-heatmap>', {
    ...{ src: file, text: TEXT, word: 'noir' },
  });
  const [sentence, map] = ['glass-sentence', 'glass-heatmap'].map(find);
  await until(() => readout(map) && texts(sentence, '.token').length);
  const lines = all(sentence, '.tokens').map((line) =>
    [...line.querySelectorAll('.token')].map((each) => each.textContent.trim()),
  );
  assert.deepEqual(lines, [SOURCE, SAID]);
  assert.equal(texts(map, 'b')[0], 'Cross-attention, layer 1, head 1');
  const trace = await traced();
  const rows = trace.tensor('decoder.layers.1.multihead_attn.weights').data;
  model.head = 'cross 2.1';
  await settled();
  const own = [...rows.subarray(2 * 6, 3 * 6)];
  const key = own.indexOf(Math.max(...own));
  assert.ok(readout(map).startsWith(`query noir, key ${SOURCE[key]} ${own[key].toFixed(4)}`), readout(map));
  assert.deepEqual(texts(sentence, '.token.key'), [SOURCE[key]]);
  assert.deepEqual(texts(sentence, '.token.query'), ['noir']);
  /** @type {any[]} */
  const heard = [];
  model.addEventListener('choose', (/** @type {any} */ { detail }) => heard.push(detail));
  all(sentence, '.tokens')[0].querySelectorAll('.token')[4].click();
  await settled();
  assert.deepEqual(heard.at(-1), {
    ...{ head: 'cross 2.1', word: 2, text: 'noir', key: 4, keyText: 'tired', neuron: null },
  });
  assert.match(readout(map), /^query noir, key tired /);
  assert.deepEqual(problems.splice(0), []);
});

test('the other attentions by name, and what is none of them', async () => {
  const { model, find } = await open('<glass-heatmap></glass-heatmap>', { src: file, text: TEXT, head: 'encoder 2.3' });
  const map = find('glass-heatmap');
  await until(() => readout(map));
  assert.equal(texts(map, 'b')[0], 'Encoder self-attention, layer 2, head 3');
  assert.match(readout(map), /^query the, key /);
  const trace = await traced();
  model.head = 'decoder 1.2';
  model.word = 'chien';
  await settled();
  const data = trace.tensor({ name: 'decoder.layers.0.self_attn.weights', head: 1 }).data;
  assert.match(
    readout(map),
    new RegExp(`^query chien, key (\\[BOS\\]|le) ${Math.max(...data.subarray(7, 14)).toFixed(4)}`),
  );
  model.head = 'both 1.1';
  await settled();
  assert.deepEqual(
    problems.splice(0).map((each) => /** @type {Error} */ (each).message),
    ['head: must be a layer and a head, 1.1 to 2.4, after cross, decoder or encoder, got "both 1.1"'],
  );
});

test('heads, answer, neurons and steps at a word that it says, with the module’s numbers', async () => {
  const { model, find } = await open(
    '<glass-heads></glass-heads><glass-logits></glass-logits><glass-neurons></glass-neurons><glass-why></glass-why>',
    { src: file, text: TEXT, head: 'cross 2.1', word: 'était' },
  );
  const [heads, logits, neurons, why] = ['heads', 'logits', 'neurons', 'why'].map((name) => find(`glass-${name}`));
  await until(() => all(heads, '.added').length && all(logits, '.lens').length && texts(why, '.why-number').length);
  const trace = await traced();
  const row = [...trace.tensor({ name: 'logits', row: 3 }).data];
  assert.equal(texts(logits, '.top-words tbody td')[0], Math.max(...row).toFixed(4));
  assert.equal(texts(logits, '.top-words th[scope=row]')[0], 'était');
  assert.deepEqual(texts(logits, '.lens tbody th'), SAID);
  const order = row.toSorted((a, b) => b - a).map((each) => row.indexOf(each));
  const { parts } = await trace.attribution(3, { id: order[0], against: order[1] });
  const cross = parts.find((each) => each.attention === 'cross' && each.layer === 1 && each.head === 0);
  const name = all(heads, '[data-at="1 0"]')[0].getAttribute('aria-label');
  assert.equal(name.replace('−', '-').replace('+', ''), `Cross-attention, layer 2, head 1: ${cross?.value.toFixed(2)}`);
  assert.equal(texts(neurons, 'p')[0], '96 neurons of layer 2 at “était”');
  assert.match(texts(why, '.why-line')[0], /^In cross-attention of layer 2, head 1, était /);
  const at = (/** @type {string} */ each) => {
    const { data } = trace.tensor({ name: `decoder.layers.1.multihead_attn.${each}`, head: 0, row: 3 });
    return data[SOURCE.indexOf(texts(why, '.key.word')[0])];
  };
  assert.equal(texts(why, '.why-number')[2], `${Math.round(100 * at('weights'))} %`);
  const score = Number(texts(why, '.why-number')[0].replace('−', '-'));
  assert.ok(Math.abs(score - at('scores')) < 0.05, `${score} ${at('scores')}`);
  all(heads, '[data-at="0 2"]')[0].click();
  await settled();
  assert.equal(model.getAttribute('head'), 'cross 1.3');
  model.head = 'encoder 1.1';
  model.word = 1;
  await settled();
  assert.match(texts(logits, '.hint')[0], /^The encoder predicts no words/);
  assert.deepEqual(problems.splice(0), []);
});

test('features of it are refused by name', async () => {
  const { find } = await open('<glass-features></glass-features>', { src: file, text: TEXT });
  find('glass-features').src = 'features.safetensors';
  await until(() => problems.length);
  const message = 'src: is for a model of one stack, not an encoder–decoder, got "features.safetensors"';
  assert.deepEqual(
    problems.splice(0).map((each) => /** @type {Error} */ (each).message),
    [message],
  );
  assert.equal(texts(find('glass-features'), 'b')[0], message);
});
