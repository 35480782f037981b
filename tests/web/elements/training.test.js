// <glass-training>: a model learns a task, stops and begins again; the same seed has the same losses.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from '../../../dist/js/index.js';
import { reverse } from '../../../dist/tasks/index.js';
import { all, problems, settled, until, window } from './dom.js';

/** @param {any} part @param {string} selector */
const text = (part, selector) => all(part, selector)[0]?.textContent.trim() ?? '';
/** @param {any} part */
const step = (part) => Number(/step (\d+) of/.exec(text(part, '.flips'))?.[1] ?? -1);
/** @param {string} markup @returns {Promise<any>} */
async function place(markup) {
  window.document.body.innerHTML = markup;
  const part = window.document.querySelector('glass-training');
  await until(() => step(part) >= 0 || text(part, 'b'));
  return part;
}

test('it trains by the module’s steps, pauses, and begins again', async () => {
  const part = await place('<glass-training>A model learns.</glass-training>');
  assert.match(text(part, 'p'), /^Reverse\s+Say 8 digits in reverse\.$/);
  assert.equal(all(part, '.training-row span').length, 8);
  const [play, restart] = all(part, 'button');
  assert.deepEqual([play.textContent, restart.disabled], ['Train', true]);
  play.click();
  await until(() => step(part) >= 60);
  play.click();
  await settled();
  const steps = step(part);
  await settled();
  assert.equal(step(part), steps, 'paused');
  const gf = await load();
  const model = gf.createModel({ ...reverse.config, seed: 1 });
  const trainer = model.trainer(reverse.trainer);
  while (trainer.steps < steps) trainer.step(reverse.batch(trainer.steps));
  const batch = reverse.batch(0, 1);
  const { words, predicted } = reverse.show(batch, 0, model.forward({ ids: batch.ids }));
  const shown = all(part, '.training-row span').map((each) => each.textContent);
  assert.deepEqual([text(part, '.training-row bdi'), shown], [words.join(' '), predicted]);
  assert.match(text(part, '[role=status]'), /^\d+(\.\d+)?\s% of unseen rows right$/);
  restart.click();
  await until(() => step(part) === 0);
  assert.deepEqual(problems.splice(0), []);
});

test('another task; one that there is not is reported and shown; one that leaves stops', async () => {
  const part = await place('<glass-training task="order" seed="2"></glass-training>');
  assert.equal(all(part, '.head-map').length, 4);
  all(part, 'button')[0].click();
  await until(() => step(part) > 0);
  part.remove();
  await settled();
  assert.equal(part.shadowRoot.childElementCount, 0);
  const other = await place('<glass-training task="chess"></glass-training>');
  assert.match(text(other, 'b'), /^task: must be one of copy, reverse, .*, got "chess"$/);
  assert.deepEqual(
    problems.splice(0).map((each) => each.message),
    [text(other, 'b')],
  );
});
