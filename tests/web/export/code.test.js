// "Copy as code" of a map: run in Node with the package it prints the number of the cell.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { onFigures } from '../../../web/draw/figure.js';
import { assertShown } from '../in-node.js';
import { open } from '../explore/table.js';

const { saveFigure } = await import('../../../web/export/save.js');
const { heatmap } = await import('../../../web/explore/features/heatmap.js');
const { positions } = await import('../../../web/explore/features/positions.js');

/** The map that was drawn last. @type {any} */
let map = null;
onFigures((_, { type, detail }) => {
  if (type === 'mapchange' && detail) map = detail;
});
let copied = '';
const clipboard = { writeText: async (/** @type {string} */ text) => void (copied = text) };
Object.defineProperty(globalThis, 'navigator', { value: { clipboard }, configurable: true });

/** @param {any} feature @param {string} link */
async function copy(feature, link) {
  const page = await open(feature, link);
  const explore = document.body.appendChild(Object.assign(document.createElement('div'), { id: 'explore' }));
  const box = explore.appendChild(document.createElement('div'));
  saveFigure(box, { result: page.result, pinned: () => null }).update(map);
  const button = [...box.querySelectorAll('button')].find((each) => each.textContent?.trim() === 'Copy as code');
  button?.click();
  for (let i = 0; i < 100 && !box.querySelector('pre, .hint'); i++) await new Promise(setImmediate);
  return { page, box };
}

test('the copied code computes the number of the cell, in Node, with the package', async () => {
  for (const [feature, link] of /** @type {[any, string][]} */ ([
    [heatmap, 'untrained&kind=encoder-decoder&attention=cross&row=3&key=7&scoreScale=0'],
    [heatmap, 'creek'],
    [positions, 'continue'],
    [heatmap, 'translate&mean=0&head=2.3'],
  ])) {
    const { page, box } = await copy(feature, `model=${link}`);
    const code = box.querySelector('pre')?.textContent ?? assert.fail(link);
    assert.equal(copied, code);
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', code], {
      cwd: fileURLToPath(new URL('../../../web/models', import.meta.url)),
      encoding: 'utf8',
    });
    assertShown(Number(page.all('.map-readout strong')[0].replace('−', '-')), Number(printed), `${link}: ${code}`);
  }
});

test('the mean of heads has no code, and says where its tensors are', async () => {
  const { box } = await copy(heatmap, 'model=translate');
  assert.equal(box.querySelector('pre'), null);
  assert.match(box.querySelector('.hint')?.textContent ?? '', /several tensors/);
});
