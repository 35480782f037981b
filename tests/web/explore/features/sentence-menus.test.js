// The sentence of menus: each choice is written in French as the module does.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shipped } from '../../in-node.js';
import { gf, open } from '../table.js';

const { html } = await import('lit-html'); // once there is a document
const { menus } = await import('../../../../web/explore/features/sentence-menus.js');
const { target } = await import('../../../../web/explore/features/target.js');

/** Menus and output, as on the page. @type {any} */
const both = {
  ...target,
  render: (/** @type {any} */ context, /** @type {any} */ tools) =>
    html`${menus.render(context, tools)}${target.render(context, tools)}`,
};
const own = shipped(gf, 'translate');
const [begin, end] = ['[BOS]', '[EOS]'].map((word) => own.targetVocabulary.indexOf(word));
/** @param {string} source */
function translate(source) {
  const { newIds } = own.model.generateSync({
    targetIds: [begin],
    sourceIds: own.ids(source),
    maxTokens: 24,
    endId: end,
  });
  const words = [...newIds].filter((id) => id !== end).map((id) => own.targetVocabulary[id]);
  return words.join(' ').replaceAll(' .', '.');
}

test('the French of the sentence, of another word and of another pattern is Node’s', async () => {
  const page = await open(both, 'model=translate');
  const known = 'the creek was cold and the spunky dog wanted to jump over it .';
  const french = () => page.all('#target output')[0];
  assert.equal(french(), translate(known));
  assert.equal(french(), 'le ruisseau était froid et le chien fougueux voulait le franchir.');
  const thing = [...page.root.querySelectorAll('.menus select')].find(
    (each) => each.getAttribute('aria-label') === 'Thing',
  );
  await page.choose(`[data-name="${thing?.getAttribute('data-name')}"]`, 'river');
  assert.equal(french(), 'la rivière était froide et le chien fougueux voulait la franchir.');
  assert.equal(french(), translate(known.replace('creek', 'river')));
  await page.choose('.pattern', 'because');
  assert.equal(page.state().follow, true);
  const words = [...page.root.querySelectorAll('.menus > *')].map(
    (each) => Reflect.get(each, 'value') ?? each.textContent,
  );
  assert.equal(french(), translate(words.join(' ').replace('(past) jump over', 'jumped over')));
});
