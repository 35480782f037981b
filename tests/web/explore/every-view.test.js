// Every view over many models: today's blocks, each symbol of a formula, each node.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkNodes } from './nodes.js';
import { open, openFolder } from './table.js';
import { OWN, STATES } from './today.js';

const { features } = await import('../../../web/explore/index.js');
const { glossary } = await import('../../../web/explore/features/glossary.js');
const { placeFeature } = await import('../../../web/kit/feature.js');

const BERT = 'bert-2l'; // token types, a norm of the embeddings, a transform before the logits
await openFolder(OWN);
await openFolder(BERT);

const OFF = encodeURIComponent(JSON.stringify([{ what: 'head', kind: 'decoder', layer: 0, head: 1, to: 0 }]));
/** With what is changed, compared and searched for. */
const CHANGED = [
  `model=${OWN}&changes=${OFF}&head=1.2&row=5&key=1&decision=${encodeURIComponent('[]')}`,
  `model=${OWN}&head=1.2&row=5&key=1&pinned.positions=none&pinned.normKind=layer`,
  `${STATES[0]}&normKind=layer&layout=page`,
];

test('every view of today’s blocks gets what it needs, shows it, and says no word of another block', async () => {
  let shows = 0;
  for (const link of [...STATES, ...CHANGED])
    // one model after the other
    for (const { name, input, ...row } of /** @type {any[]} */ (features)) {
      if (input || name === 'glossary' || name === 'lessons') continue;
      document.body.innerHTML = '<details id="settings-box" open></details>';
      const found = 'load' in row ? await row.load() : { name, ...row };
      const page = await open(found, link);
      await page.see();
      const { tensors, derived } = page.result();
      const missing = page.needs().filter((need) => !tensors.has(need) && !derived.has(need));
      assert.deepEqual(missing, [], `${name} of ${link}`);
      assert.doesNotMatch(page.text(), /NaN|undefined|\[object/, `${name} of ${link}`);
      if (name !== 'layer-norm' && !link.includes('=layer'))
        assert.doesNotMatch(page.text(), /LayerNorm/, `${name} of ${link}`);
      shows++;
    }
  assert(shows > 100, `${shows}`);
});

test('each symbol of every model has its explanation', async (context) => {
  const { Event } = /** @type {any} */ (document.defaultView);
  let letters = 0;
  for (const model of ['creek', 'translate', 'continue', 'untrained', 'untrained&kind=decoder&norm=pre'])
    for (const row of /** @type {any[]} */ (features).filter(({ input, name }) => !input && name !== 'glossary')) {
      document.body.innerHTML = '<details id="settings-box" open></details>';
      const { root } = await open('load' in row ? await row.load() : row, `model=${model}`);
      root.id = 'explore';
      const all = [...root.querySelectorAll('.formula mi')];
      if (!all.length) continue;
      context.mock.timers.enable({ apis: ['setTimeout'] });
      const first = new Event('pointerover', { bubbles: true });
      all[0].dispatchEvent(first);
      placeFeature(glossary(first), root, {}, async () => {});
      const tip = document.getElementById('tip');
      for (const letter of all) {
        letter.dispatchEvent(new Event('pointerover', { bubbles: true }));
        context.mock.timers.tick(400);
        const [term, index] = ['strong', 'sub'].map((part) => tip?.querySelector(part)?.textContent ?? '');
        const text = letter.textContent?.trim() ?? '';
        assert(
          !tip?.hidden && (term === text || term.startsWith(text) || index.includes(text)),
          `${row.name}: ${text}`,
        );
      }
      letters += all.length;
      context.mock.timers.reset();
    }
  assert(letters > 200, String(letters));
});

test('views that are opened at once compute in turn, and none frees the model of another', async () => {
  const rows = /** @type {any[]} */ (features).filter(({ name }) =>
    /^(arcs|heatmap|lines|examples|effect)$/.test(name),
  );
  const found = await Promise.all(rows.map((row) => ('load' in row ? row.load() : row)));
  const links = ['', '&normKind=rms', '&pinned.positions=none', `&changes=${OFF}`];
  const pages = await Promise.all(
    found.flatMap((view) => links.map((change) => open(view, `model=untrained&kind=decoder&row=5${change}`))),
  );
  for (const page of pages) assert.equal(page.session.error(), null);
  assert.equal(pages.length, 20);
});

test('searches of two pages that come in turn both end', { timeout: 60_000 }, async () => {
  const [row] = /** @type {any[]} */ (features).filter(({ name }) => name === 'decision');
  const view = 'load' in row ? await row.load() : row;
  const pages = await Promise.all([4, 5].map((at) => open(view, `model=continue&row=${at}`)));
  for (const page of pages) {
    const found = page.needs().filter((name) => name.startsWith('@decision/'));
    assert.deepEqual([found.length, page.result().derived.get(found[0]).unfinished], [1, false]);
  }
});

for (const link of [
  'model=creek&row=12',
  'model=translate&attention=cross&head=2.1&row=1',
  'model=continue&row=3',
  'model=untrained&row=3',
  'model=untrained&norm=pre&normKind=rms&network=gated&activation=silu&positions=learned&row=2',
  `model=${OWN}&row=3`,
  `model=${BERT}&row=3`,
])
  test(`${link}: each node has a picture, a Try and, where numbers are computed, a Why with true ones`, () =>
    checkNodes(link));
