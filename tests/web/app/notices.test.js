// The notices above the page: switches otherwise than in training, changes that do not fit, numbers beyond floats.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertShown, shipped } from '../in-node.js';
import { gf, open } from '../explore/table.js';

const { render } = await import('lit-html');
const { createNotices } = await import('../../../web/app/notices.js');
const { heatmap } = await import('../../../web/explore/features/heatmap.js');
const { settingsFacts } = await import('../../../web/explore/features/settings.js');
const KNOWN = 'the creek was cold and the spunky dog wanted to jump over it .';
const TIRED = 'The dog did not jump over the creek because it was tired.';

/** @param {Awaited<ReturnType<typeof open>>} page */
function noticeOf({ session, state, modelInfo }) {
  document.body.insertAdjacentHTML('beforeend', '<p id="again"></p><p id="busy"></p>');
  const element = document.createElement('p');
  const others = { loader: { begun: () => true, failure: () => '', status: () => '' }, router: { status: () => '' } };
  createNotices(
    /** @type {any} */ ({ element, session, store: { get: state }, modelInfo: () => modelInfo, ...others }),
  ).update();
  return element.textContent ?? '';
}
/** @param {object} change */
const changes = (change) => `&changes=${encodeURIComponent(JSON.stringify([change]))}`;

test('a switch runs the same weights otherwise, and the page says so', async () => {
  assert.equal(noticeOf(await open(heatmap, 'model=creek')), '');
  for (const [name, value] of /** @type {[string, string | boolean][]} */ ([
    ['scoreScale', false],
    ['positions', 'none'],
    ['residual', false],
    ['norm', 'none'],
    ['activation', 'gelu'],
    ['causal', true],
  ])) {
    const link = `model=creek&head=2.1&row=12&key=1&${name}=${typeof value === 'string' ? value : Number(value)}`;
    const page = await open(heatmap, link);
    assert.match(noticeOf(page), /^Not as trained \([^)]+\): the trained weights run with changed settings\.$/, name);
    const own = shipped(gf, 'creek', { [name]: value });
    own.model.forward({ ids: own.ids(KNOWN), capture: true });
    const shown = Number(page.all('.map-readout strong')[0]);
    assertShown(shown, own.at('encoder.layers.1.self_attn.weights', 0, 0, 12, 1), name);
    own.model.free();
  }
  const learned = await open(heatmap, 'model=creek&positions=learned');
  assert.match(noticeOf(learned), /file has no .*initial values are used/);
});

test('numbers that left the range of floats are said in words', async () => {
  const weight = { what: 'weight', name: 'encoder.layers.0.linear2.weight', row: 0, column: 0 };
  for (const value of [1, 3e38]) {
    const page = await open(heatmap, `model=creek${changes({ ...weight, value })}`);
    assert.equal(noticeOf(page).includes('not finite (NaN or infinity)'), value > 1, `${value}`);
  }
});

test('a change that does not fit is refused by its name', async () => {
  const patch = { what: 'patch', kind: 'encoder', after: 1, row: 2, from: [1, 2, 3], share: 1 };
  for (const [change, says] of /** @type {[object, RegExp][]} */ ([
    [
      patch,
      /“Encoder layer 1, token 2: from the other sentence”: the other sentence has 3 tokens, this one 13\. Remove/,
    ],
    [
      { ...patch, from: Array(13).fill(9999) },
      /“Encoder layer 1, token 2: from the other sentence”: the model cannot read the other sentence\./,
    ],
    [{ ...patch, from: 'mean', row: 40 }, /does not exist in this text/],
    [{ ...patch, from: 'mean', after: 40 }, /does not exist in this model/],
  ])) {
    const page = await open(heatmap, `model=creek&text=${encodeURIComponent(TIRED)}`);
    page.put({ interventions: [change] });
    await assert.rejects(page.show(), { message: says });
    assert.match(noticeOf(page), says);
  }
  await assert.rejects(open(heatmap, `model=creek${changes({ ...patch, share: 2 })}`), /changes/);
});

test('a refused setting is said at its field alone; the results are those of before', async () => {
  const page = await open(heatmap, 'model=untrained');
  page.session.keepShown();
  const shown = page.all('.map-readout strong');
  const { settings } = page.state();
  page.put({ settings: { ...settings, heads: 5 } });
  await assert.rejects(page.show(), { parameter: 'heads', message: 'heads: must divide d_model = 64, got 5' });
  assert.equal(noticeOf(page), 'The results are those of the last valid settings.');
  assert.deepEqual(page.all('.map-readout strong'), shown);
  const line = document.createElement('p');
  const state = { ...page.state(), settings: { ...settings, heads: NaN, d_model: NaN } };
  render(/** @type {any} */ (settingsFacts).render({ state }, {}), line);
  assert.match(line.textContent ?? '', /, empty heads, d_model empty, /);
});
