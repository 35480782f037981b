// <glass-neurons>: the activations of one FFN at the chosen word, of which one is chosen.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from '../../../dist/js/index.js';
import { all, creek, open, problems, settled, TIRED, until, window } from './dom.js';

/** @param {any} part */
const readout = (part) => all(part, '.map-readout')[0]?.textContent ?? '';

test('the most active neuron first; a key chooses the next one, in every part', async () => {
  const { model, find } = await open('<glass-neurons layer="2"></glass-neurons>', { word: 'it', head: '3.2' });
  const part = find('glass-neurons');
  await until(() => readout(part));
  const { model: own } = await (await load()).loadModel(creek);
  own.forward(TIRED, { capture: true });
  const row = [...own.tensor({ name: 'encoder.layers.1.ffn.activation', row: 9 }).data];
  const best = row.indexOf(Math.max(...row));
  assert.ok(readout(part).startsWith(`row it, neuron ${best} ${row[best].toFixed(4)} `), readout(part));
  assert.equal(all(part, 'p')[0].textContent, '96 neurons of layer 2 at “it”');
  const next = best ? 'ArrowLeft' : 'ArrowRight';
  all(part, '.map-cells')[0].dispatchEvent(new window.KeyboardEvent('keydown', { key: next }));
  await settled();
  const chosen = best ? best - 1 : 1;
  assert.equal(model.getAttribute('neuron'), `2.${chosen}`);
  assert.ok(readout(part).startsWith(`row it, neuron ${chosen} ${row[chosen].toFixed(4)} `), readout(part));
  assert.deepEqual(problems.splice(0), []);
});

test('without a layer, that of the chosen neuron or head; one that there is not is reported and shown', async () => {
  const { model, find } = await open('<glass-neurons></glass-neurons>', { head: '3.2' });
  const part = find('glass-neurons');
  const title = () => all(part, 'p')[0]?.textContent;
  await until(title);
  assert.equal(title(), '96 neurons of layer 3 at “The”');
  model.neuron = '1.7';
  await settled();
  assert.equal(title(), '96 neurons of layer 1 at “The”');
  assert.match(readout(part), /^row The, neuron 7 /);
  part.layer = 4;
  await settled();
  assert.equal(all(part, 'b')[0].textContent, 'layer: must be 1 to 3, got 4');
  assert.deepEqual(problems.splice(0).map(String), ['GlassformerError: layer: must be 1 to 3, got 4']);
});
