// Encoder–decoders of the reader's, opened from their folders: texts cut by both tokenizers, the target that the files
// of Hugging Face's library give, words put in its place, a target typed by hand.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { filesIn } from '../../hub.js';
import { gf } from '../explore/table.js';
import { endsThreads, openFiles } from './opening.js';

endsThreads();
Reflect.set(globalThis, 'location', { hash: '' });
Reflect.set(globalThis, 'addEventListener', () => {});
Reflect.set(globalThis, 'CSS', { escape: String });

const { loadDerived } = await import('../../../web/engine/derived.js');
const { createLiveModels } = await import('../../../web/engine/live-models.js');
const { makePlan, withTarget } = await import('../../../web/engine/plan.js');
const { openingState } = await import('../../../web/app/schema.js');
const { entryOf } = await import('../../../web/models/catalogue.js');

/**
 * Opens a folder of tests/checkpoints as the page does.
 * @param {string} folder
 * @param {(name: string) => boolean} [has] whether a file is among them
 */
async function open(folder, has = () => true) {
  const place = new URL(`../../checkpoints/${folder}/`, import.meta.url);
  const given = Object.entries(filesIn(place))
    .filter(([name]) => has(name))
    .map(([name, bytes]) =>
      Object.assign(new File([/** @type {any} */ (bytes)], name), { webkitRelativePath: `${folder}/${name}` }),
    );
  const {
    data,
    added: [info],
    cache,
  } = await openFiles(given);
  assert.equal(data.refused, '');
  const live = createLiveModels(/** @type {any} */ (gf), cache);
  const state = openingState(info.name, info);
  const entry = /** @type {import('../../../web/models/catalogue.js').Entry} */ (entryOf(info.name));
  /**
   * Asks until the tokenizer's worker has answered.
   * @template T
   * @param {() => T} ask
   * @param {(now: T) => boolean} is
   */
  async function once(ask, is) {
    for (let now = ask(); ; now = ask()) {
      if (is(now)) return now;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
  return {
    info,
    state,
    entry,
    note: data.note,
    cases: JSON.parse(readFileSync(new URL('case.json', place), 'utf8')),
    once,
    /**
     * The plan of a state, and what the worker writes and derives for it.
     * @param {object} [patch] @param {string[]} [names]
     */
    async write(patch = {}, names = ['logits']) {
      const plan = await once(
        () => makePlan({ ...state, ...patch }, info),
        ({ isWaiting }) => !isWaiting,
      );
      const focus = { layer: 0, row: 0 };
      const request = { ...plan, type: 'run', id: 0, names, maskNames: {}, plans: 1, focus };
      await loadDerived(names);
      const { written, derived } = await live.run(/** @type {any} */ (request));
      return { plan: withTarget(plan, /** @type {number[]} */ (written), info), written, derived };
    },
  };
}

for (const folder of ['marian-2l', 'bart-2l-f16', 't5-2l'])
  test(`${folder}: texts of both sides, and the greedy target of each source with its rules and ends`, async () => {
    const { info, state, entry, cases, write, once, note } = await open(folder);
    assert.equal(note, '', 'its tokenizers are here');
    assert.deepEqual([state.settings.kind, state.selection.kind, state.targetText], ['encoder-decoder', 'cross', '']);
    assert.deepEqual([entry.mask, entry.hide], [undefined, undefined], 'it is asked for its target, not for a mask');
    const { rules } = info;
    for (const { source, settings, sequences, texts } of cases.generation) {
      if (settings.num_beams !== 1) continue;
      const { text, ids } = cases.sources[source];
      const { plan, written } = await write({ text });
      assert.deepEqual(plan.ids, ids, text);
      assert.deepEqual([rules.start, ...written], sequences[0], text);
      const { decoder } = plan.tokens;
      assert.equal(decoder?.ids[0], rules.start);
      assert.match(String(decoder?.words[0]), /^<.+>$/, 'the start token has its name');
      assert.deepEqual(decoder?.predicted?.ids, written);
      await once(
        () => entry.decodeTarget?.(written),
        (now) => now === texts[0],
      );
    }
  });

test('another word in its place: the target goes on from there; one typed by hand is read as it is', async () => {
  const { info, cases, write } = await open('marian-2l');
  const { text } = cases.sources[0];
  const first = await write({ text });
  const kept = first.written.slice(0, 2);
  const { model, targetTokenizer } = /** @type {any} */ (
    await gf.loadModel(new URL('../../checkpoints/marian-2l/', import.meta.url))
  );
  /** @type {Set<number>} */
  const lengths = new Set();
  for (const other of [53, 20, 30, 40, 60, 100].filter((id) => id !== first.written[2])) {
    const changed = await write({ text, written: [...kept, other] });
    const start = { sourceIds: first.plan.ids, targetIds: [149, ...kept, other] };
    assert.deepEqual(changed.written, [...kept, other, ...model.generateSync({ ...start, maxTokens: 8 }).newIds]);
    assert.equal(changed.written.at(-1), info.endIds[0], 'the likeliest one, or forced at the last place');
    assert.equal(changed.plan.tokens.decoder?.fresh, changed.written.length - 3);
    assert.notEqual(changed.plan.key, first.plan.key);
    lengths.add(changed.written.length);
  }
  assert(lengths.has(11) && lengths.size > 1, `as long as max_length lets it be, and shorter: ${[...lengths]}`);
  const ended = await write({ text, written: [...kept, info.endIds[0]] });
  assert.deepEqual(ended.written, [...kept, info.endIds[0]], 'an end that the reader chose is the end');
  const typed = await write({ text, targetText: cases.target });
  assert.deepEqual(typed.written, targetTokenizer.encode(cases.target).ids);
  assert.deepEqual(typed.plan.tokens.decoder?.ids, [149, ...typed.written.slice(0, -1)]);
  assert.deepEqual(typed.plan.tokens.decoder?.ids.slice(0, 7), cases.decoderIds);
});

test('without its tokenizers it opens with rows of ids, and says what is missing', async () => {
  const { entry, write, note, info } = await open('marian-2l', (name) => name !== 'target.spm');
  assert.match(note, /marian-2l is open without tokenizer\.json, so a text is a row of ids/);
  assert.equal(entry.units, 'ids');
  const { written } = await write({ text: '43 47 25 2 12 19 3 51 34 114 0' });
  assert.deepEqual([info.rules.start, ...written], [149, 44, 110, 60, 147, 3, 115, 44, 110, 60, 147, 0]);
});

for (const folder of ['marian-2l', 'bart-2l-f16', 't5-2l'])
  test(`${folder}: the best beams and their scores, greedy beside them, a tree that holds both`, async () => {
    const { info, cases, write } = await open(folder);
    const { beams: usual = 1, lengthPenalty = 1, earlyStopping = false } = info.rules;
    let searches = 0;
    for (const { source, settings, sequences, scores } of cases.generation) {
      const { num_beams: width = usual, length_penalty: penalty = lengthPenalty, ...others } = settings;
      const { early_stopping: early = earlyStopping, ...more } = others;
      if (early !== earlyStopping || Object.keys(more).length) continue;
      const { text } = cases.sources[source];
      const name = `@beams/${width}/${penalty}`;
      const { derived, written } = await write({ text }, [name]);
      const { beams, greedy, tree } = derived[name];
      assert.deepEqual(greedy.ids, written);
      assert.deepEqual([info.rules.start, ...beams[0].ids], sequences[0], `${text} ${JSON.stringify(settings)}`);
      if (scores) assert(Math.abs(beams[0].score - scores[0]) < cases.scoreTolerance, `${beams[0].score}, ${scores}`);
      const ends = tree.flatMap((/** @type {any} */ { score }) => score ?? []);
      for (const { score, ids } of beams) {
        const isNear = (/** @type {number} */ each) => Math.abs(each - score) < cases.scoreTolerance;
        assert(ends.some(isNear), `${ids}: ${score} is the score of an end in the tree`);
      }
      searches++;
    }
    assert(searches > 3, `${searches} searches of transformers`);
  });
