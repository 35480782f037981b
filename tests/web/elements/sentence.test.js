// <glass-sentence>: the words of the model's text, one of which is chosen, and words that a click swaps.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { all, DEEP, open, problems, settled, TIRED, window } from './dom.js';

/** @param {any} part @param {string} selector */
const texts = (part, selector) => all(part, selector).map((each) => each.textContent.trim());
/** @param {any} part */
const said = (part) => texts(part, '[role=status]')[0];

test('the words as they are written, the chosen one and its key; a click and a key choose another', async () => {
  const { model, find } = await open('<glass-sentence head="3.2" word="it">It is the dog.</glass-sentence>');
  const part = find('glass-sentence');
  assert.equal(texts(part, '.token').join(' '), TIRED.replace('.', ' .'));
  assert.deepEqual([texts(part, '.token.query'), texts(part, '.token.key')], [['it'], ['dog']]);
  assert.match(said(part), /^it gives 9\d\s% of its attention to dog\.$/);
  assert.match(
    all(part, '.token')[9].ariaLabel ?? all(part, '.token')[9].getAttribute('aria-label'),
    /^it, index 9, id 10/,
  );
  all(part, '.token')[2].click();
  await settled();
  assert.deepEqual([texts(part, '.token.query'), model.word], [['did'], 2]);
  const { KeyboardEvent } = window;
  all(part, '.tokens')[0].dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', cancelable: true }));
  await settled();
  assert.deepEqual([texts(part, '.token.query'), part.shadowRoot.activeElement?.textContent.trim()], [['not'], 'not']);
  assert.deepEqual(problems.splice(0), []);
});

test('a flipped word is another text of the model, and the arc leads elsewhere', async () => {
  const { model, find } = await open('<glass-sentence flip="tired|deep"></glass-sentence>', {
    head: '3.2',
    word: 'it',
  });
  const part = find('glass-sentence');
  const pressed = () => all(part, '.flips button').map((each) => each.getAttribute('aria-pressed'));
  assert.deepEqual(
    [texts(part, '.flips button'), pressed()],
    [
      ['tired', 'deep'],
      ['true', 'false'],
    ],
  );
  all(part, '.flips button')[1].click();
  await settled();
  assert.deepEqual(problems.splice(0), []);
  assert.deepEqual([model.text, pressed(), texts(part, '.token.key')], [DEEP, ['false', 'true'], ['creek']]);
});

test('without a model its own text stands there, and a mistake is shown above it', async () => {
  window.document.body.innerHTML = '<glass-sentence>It is the dog.</glass-sentence>';
  await settled();
  const part = window.document.querySelector('glass-sentence');
  assert.deepEqual([all(part, 'slot').length, all(part, '.token').length], [1, 0]);
  const { find } = await open('<glass-sentence>It is the dog.</glass-sentence>', { text: 'The xyzzy.' });
  assert.deepEqual(
    [all(find('glass-sentence'), 'slot').length, texts(find('glass-sentence'), 'b')],
    [1, ['text: has a word the model does not know, got "xyzzy"']],
  );
  problems.length = 0;
});

test('one that leaves and comes back is as it was', async () => {
  const { model, find } = await open('<glass-sentence></glass-sentence>', { head: '3.2', word: 'it' });
  const part = find('glass-sentence');
  part.remove();
  assert.equal(part.shadowRoot.childElementCount, 0);
  model.append(part);
  await settled();
  assert.deepEqual(texts(part, '.token.key'), ['dog']);
  assert.deepEqual(problems.splice(0), []);
});
