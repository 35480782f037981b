// The menus of the bar: models, examples, and the layout.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LABELS, entryOf } from '../../../../web/models/catalogue.js';
import { open } from '../table.js';

const { render } = await import('lit-html');
const { examples, layout, models, origin } = await import('../../../../web/explore/features/bar.js');

test('the menu of models: each by its label, the shown one chosen; a choice and one’s own', async () => {
  const names = /** @type {(keyof typeof LABELS)[]} */ (Object.keys(LABELS));
  for (const name of /** @type {const} */ (['creek', 'untrained'])) {
    const page = await open(models, `model=${name}`);
    assert.deepEqual(page.needs(), []);
    assert.deepEqual(page.all('summary'), [LABELS[name].label]);
    assert.equal(page.root.querySelector('summary')?.title, 'Which model');
    assert.deepEqual(
      page.all('.model'),
      names.map((each) => `${LABELS[each].label}: ${LABELS[each].does}`),
    );
    const chosen = /** @type {NodeListOf<HTMLInputElement>} */ (page.root.querySelectorAll('input:checked'));
    assert.deepEqual(
      [...chosen].map(({ value }) => value),
      [name],
    );
    await page.click('[value=translate]');
    await page.click('button');
    assert.deepEqual(page.set, [{ choose: 'translate' }, { openOwn: true }]);
  }
});

test('the examples of a model, the shown text pressed; none for menus and untrained models', async () => {
  for (const [name, link] of /** @type {const} */ ([
    ['creek', 'model=creek'],
    ['continue', 'model=continue'],
  ])) {
    const page = await open(examples, link);
    const texts = entryOf(name)?.examples ?? {};
    const all = [...page.root.querySelectorAll('.examples button')];
    assert.deepEqual(page.all('.examples button'), Object.keys(texts));
    assert.deepEqual(
      all.map((each) => each.getAttribute('title')),
      Object.values(texts),
    );
    const pressed = () => page.all('.examples [aria-pressed=true]');
    await page.click('.examples button:last-child');
    assert.deepEqual(page.set, [{ text: Object.values(texts).at(-1), written: [], follow: true, brush: [] }]);
    assert.deepEqual(pressed(), Object.keys(texts).slice(-1));
  }
  for (const link of ['model=translate', 'model=untrained'])
    assert.equal((await open(examples, link)).text(), '', link);
});

test('the box for the whole page', async () => {
  const page = await open(layout, 'model=untrained');
  assert.equal(page.text(), 'Whole page');
  for (const wanted of ['page', 'workspace']) {
    await page.click('input');
    assert.equal(page.state().layout, wanted);
    assert.equal(page.root.querySelectorAll('input:checked').length, Number(wanted === 'page'));
  }
});

test('a model from Train or Claims leads back to its run or card; others do not', () => {
  const root = document.createElement('div');
  const shown = (/** @type {any} */ chosenModel) => {
    render(origin.render(/** @type {any} */ ({ chosenModel }), /** @type {any} */ ({})), root);
    const link = root.querySelector('a');
    return link && [link.getAttribute('href'), link.textContent];
  };
  assert.equal(shown('creek'), null);
  assert.deepEqual(shown('train?task=sort&step=5'), ['#/train?task=sort&step=5', '← Its run']);
  assert.deepEqual(shown('train?task=text&weights=abc'), ['#/train?task=text', '← Its run']);
  assert.deepEqual(shown('claims?card=3'), ['#/claims?card=3', '← Its card']);
  assert.equal(shown('file.a.b'), null);
});
