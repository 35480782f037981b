// Indices stand below and above their letters: in figures, tables, notes and names, no underscore is left.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openClaims } from './dom.js';

test('indices stand below and above their letters in figures, tables and notes', async () => {
  for (const [number, text] of /** @type {[number, string][]} */ ([
    [1, 'dk'],
    [15, 'headᵢ·WOᵢ'],
    [20, 'X·We'],
    [22, 'Hidden layer, dff'],
  ])) {
    const shown = await openClaims(`#/claims?card=${number}${number === 22 ? '' : '&seeds=1'}`);
    await shown.click('.claims-question button', 'Run without a bet');
    await shown.tested();
    await shown.there('.claims-fresh .picture');
    for (const fold of shown.all('details')) fold.setAttribute('open', '');
    await shown.there('.claims-found table');
    const all = [
      ...shown.texts('.claims-found'),
      ...shown.all('.claims-found [aria-label]').map((each) => each.getAttribute('aria-label') ?? ''),
    ];
    for (const each of all) assert.doesNotMatch(each, /\p{L}[_^]/u);
    assert(all[0].includes(text), `${text} in ${all[0]}`);
    if (number === 22) await shown.there('.claims-matching sub', /^ff$/);
  }
});
