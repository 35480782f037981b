// Going on with a text: its settings, and what cannot be one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from '../table.js';

const { generation } = await import('../../../../web/explore/features/generation.js');

test('a setting out of range is refused in words, and the one before stays', async () => {
  const page = await open(generation, 'model=continue');
  for (const [name, typed, text] of [
    ['temperature', '9', '9 is not possible. Enter a number from 0 to 5.'],
    ['length', '1.5', '1.5 is not possible. Enter a whole number from 1 to 100.'],
  ]) {
    const before = page.state().writing;
    await page.choose(`#write-${name}`, typed);
    assert.deepEqual(page.all('[role=alert]'), [text]);
    assert.equal(page.root.querySelector(`#write-${name}`)?.getAttribute('aria-invalid'), 'true');
    assert.deepEqual(page.state().writing, before);
    await page.choose(`#write-${name}`, '4');
    assert.deepEqual(page.all('[role=alert]'), []);
  }
  const { temperature, length } = page.state().writing;
  assert.deepEqual([temperature, length], [4, 4]);
});

test('a story that has ended is not continued', async () => {
  for (const [text, isOver] of /** @type {[string, boolean][]} */ ([
    ['one day a dog', false],
    ['the end .', true],
    ['one day a dog saw the end', true],
    ['one day a hungry fox saw a red ball . the fox was happy . The end .', true],
  ])) {
    const page = await open(generation, `model=continue&text=${text.replaceAll(' ', '+')}`);
    const button = /** @type {HTMLButtonElement} */ (page.root.querySelector('button.main'));
    assert.equal(button.disabled, isOver, text);
    assert.equal(page.text().includes('This story has ended: remove its last words.'), isOver, text);
  }
});
