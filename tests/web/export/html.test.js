// "Copy the HTML" of a head's map: in an article it shows the same head, word and cell.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onFigures } from '../../../web/draw/figure.js';
import { open } from '../explore/table.js';

const { saveFigure } = await import('../../../web/export/save.js');
const { heatmap } = await import('../../../web/explore/features/heatmap.js');

/** The map that was drawn last. @type {any} */
let map = null;
onFigures((_, { type, detail }) => {
  if (type === 'mapchange' && detail) map = detail;
});
let copied = '';
let isAllowed = true;
const clipboard = {
  async writeText(/** @type {string} */ text) {
    if (!isAllowed) throw new Error('denied');
    copied = text;
  },
};

/** @param {string} link */
async function fold(link) {
  const page = await open(heatmap, link);
  const explore = document.body.appendChild(Object.assign(document.createElement('div'), { id: 'explore' }));
  const box = explore.appendChild(document.createElement('div'));
  saveFigure(box, { result: page.result, pinned: () => null }).update(map);
  const button = [...box.querySelectorAll('button')].find((each) => each.textContent === 'Copy the HTML');
  return { box, button, page };
}

const LINK = 'model=creek&text=the+dog+did+not+jump+over+the+creek+because+it+was+tired+.&head=3.2&row=9&key=1';

test('the map of a head becomes elements with the text, the head and the cell', async () => {
  const { box, button } = await fold(`${LINK}&mean=0`);
  assert.ok(button);
  // Another file of this folder has its own.
  const before = Object.getOwnPropertyDescriptor(globalThis, 'navigator') ?? {};
  Object.defineProperty(globalThis, 'navigator', { value: { clipboard }, configurable: true });
  button?.click();
  for (let i = 0; i < 100 && !box.querySelector('pre'); i++) await new Promise(setImmediate);
  assert.equal(
    copied,
    '<script type="module" src="elements.js"></script>\n' +
      '<glass-model name="creek" text="the dog did not jump over the creek because it was tired ." head="3.2" ' +
      'word="9" key="1">\n  <glass-sentence></glass-sentence>\n  <glass-heatmap></glass-heatmap>\n</glass-model>\n',
  );
  isAllowed = false;
  button?.click();
  for (let i = 0; i < 100 && !/below/.test(box.textContent ?? ''); i++) await new Promise(setImmediate);
  assert.equal(box.querySelector('pre')?.textContent, copied);
  assert.match(box.textContent ?? '', /No access to the clipboard: copy the lines below/);
  Object.defineProperty(globalThis, 'navigator', before);
});

test('a model that is not beside the elements, a mean of heads and a changed model have none', async () => {
  for (const link of ['model=translate&head=2.3&mean=0', `${LINK}&mean=1`]) {
    const { button } = await fold(link);
    assert.equal(button, undefined, link);
  }
  const off = [{ what: 'cell', kind: 'encoder', layer: 2, head: 1, row: 4, key: 3, to: 0.5 }];
  const { button } = await fold(`${LINK}&mean=0&changes=${JSON.stringify(off)}`);
  assert.equal(button, undefined);
});
