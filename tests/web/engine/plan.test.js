// A plan: what of a state is computed, made once, whoever asks for it; and the names of its tensors.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'glassformer';
import { defaultState } from '../../../web/app/schema.js';
import * as plans from '../../../web/engine/plan.js';
import { NOTHING, setModel } from '../../../web/models/catalogue.js';

const { makePlan, memoizedPlan } = plans;

test('all who ask while a state is shown get one and the same plan', () => {
  let state = defaultState();
  const plan = memoizedPlan(
    () => state,
    () => undefined,
  );
  const first = plan();
  assert.equal(plan(), first);
  state = { ...state, text: `${state.text} x` };
  const second = plan();
  assert.notEqual(second, first);
  assert.equal(second.ids.length, first.ids.length + 1);
  assert.equal(plan(), second);
  state = { ...state, cursor: { ...state.cursor, row: 3 } };
  assert.equal(plan(), second, 'where the reader points plans nothing');
  const third = { ...state, text: 'y' };
  assert.equal(plan({ ...state, text: state.text.slice(0, -2) }), first, 'the one before an edit is kept');
  assert.deepEqual([plan(), plan(third) === plan(third)], [second, true]);
  assert.notEqual(plan({ ...state, text: state.text.slice(0, -2) }), first, 'two are kept');
});

test('a text that its tokenizer has yet to cut is planned again once it has', () => {
  /** @type {any} */
  let read = { words: ['a'], ids: [1], truncated: false, shown: { words: ['a'], ids: [1] }, waiting: true };
  setModel('own', { label: { label: '', does: '' }, entry: { ...NOTHING, read: () => read } });
  const info = /** @type {any} */ ({ name: 'own', config: { kind: 'decoder' }, vocabulary: ['x', 'a', 'b'] });
  const state = /** @type {any} */ ({ ...defaultState(), model: 'own' });
  const plan = memoizedPlan(
    () => state,
    () => info,
  );
  const waiting = plan();
  assert.deepEqual([waiting.isWaiting, waiting.ids, plan() === waiting], [true, [1], true]);
  assert.notEqual(makePlan({ ...state, text: 'z' }, info).key, waiting.key, 'the text is all that is known of it');
  read = { ...read, waiting: undefined };
  assert.deepEqual([plan().isWaiting, plan().ids], [undefined, [1]]);
  assert.equal(makePlan({ ...state, text: 'z' }, info).key, plan().key, 'the same tokens, the same numbers');
  setModel('own', null);
});

const words = (/** @type {any} */ tokens) => tokens && tokens.words;

test('the plan of an untrained model: its stacks, its sizes, and what stands otherwise than it was built', () => {
  const state = { ...defaultState(), text: 'the dog', targetText: 'le chien noir' };
  const of = (/** @type {object} */ patch, more = {}) =>
    makePlan({ ...state, ...more, settings: { ...state.settings, ...patch } });
  for (const [kind, ids, targetIds, encoder, decoder] of /** @type {const} */ ([
    ['encoder', 2, undefined, ['the', 'dog'], null],
    ['decoder', 2, undefined, null, ['the', 'dog']],
    ['encoder-decoder', 2, 3, ['the', 'dog'], ['le', 'chien', 'noir']],
  ])) {
    const plan = of({ kind, causal: kind !== 'encoder' });
    assert.deepEqual([plan.ids.length, plan.targetIds?.length], [ids, targetIds]);
    assert.deepEqual([words(plan.tokens.encoder), words(plan.tokens.decoder)], [encoder, decoder]);
    const { vocabulary, maxLength, decoderLayers, finalNorm } = plan.config;
    assert.deepEqual([vocabulary, maxLength, decoderLayers, finalNorm], [2048, 512, targetIds && 2, undefined]);
    assert.deepEqual([plan.model, plan.hasLogits, plan.generate, plan.base], [null, false, null, null], kind);
  }
  const plain = of({ norm: 'none' });
  assert.deepEqual([plain.config.finalNorm, plain.base?.norm, plain.base?.vocabulary], [false, 'post', 2048]);
  assert.deepEqual(of({}, { interventions: [{ what: 'temperature', value: 2 }] }).base?.heads, state.settings.heads);
  assert.notEqual(of({ d_model: NaN }).key, of({ d_model: null }).key);
  assert.equal(of({}).key, of({}).key);
});

test('the plan of a trained model: its words, what it wrote, what is changed, what it generates', () => {
  const unseeded = { kind: 'decoder', heads: 2, norm: 'pre', head: 'tied' };
  const config = { ...unseeded, seed: 0 };
  const info = /** @type {any} */ ({ name: 'x', config, vocabulary: ['[PAD]', 'the', 'dog', 'ran'] });
  const state = { ...defaultState(), text: 'The cat dog', written: [3] };
  state.settings = { ...state.settings, kind: 'decoder', heads: 2, norm: 'pre' };
  const of = (/** @type {object} */ patch = {}, /** @type {object} */ more = {}, settings = {}) =>
    makePlan({ ...state, ...patch, settings: { ...state.settings, ...settings } }, { ...info, ...more });
  const plan = of();
  assert.deepEqual([plan.config, plan.base, plan.model, plan.hasLogits], [config, null, 'x', true]);
  assert.deepEqual([plan.ids, plan.targetIds, plan.generate, plan.tokens.encoder], [[1, 2, 3], null, null, null]);
  const { words: read, ids, fresh, shown, truncated } = /** @type {any} */ (plan.tokens.decoder);
  assert.deepEqual([read, ids, fresh, truncated], [['The', 'dog', 'ran'], [1, 2, 3], 1, false]);
  assert.deepEqual(shown, { words: ['The', 'cat', 'dog', 'ran'], ids: [1, null, 2, 3] });
  assert.deepEqual(of({}, {}, { heads: 1, norm: 'none' }).config, {
    ...config,
    heads: 1,
    norm: 'none',
    finalNorm: false,
  });
  assert.deepEqual(of({}, {}, { heads: 1 }).base, config);
  const changed = of({ interventions: [{ what: 'temperature', value: 2 }] }, { config: unseeded });
  assert.deepEqual(
    [changed.base, changed.config],
    [
      { ...unseeded, seed: 0 },
      { ...unseeded, seed: 0 },
    ],
  );
  assert.equal(of({}, { config: { ...config, head: 'none' } }).hasLogits, false);
  const toWrite = (/** @type {string[]} */ targetVocabulary, /** @type {number[]} */ written) =>
    of({ written }, { targetVocabulary }).generate;
  assert.deepEqual(toWrite(['a', 'b'], []), { begin: 0, maxTokens: 2 });
  assert.deepEqual(toWrite(['a', 'b'], [1]), { begin: 0, maxTokens: 1, prefix: [1] });
  assert.equal(toWrite(['a', 'b'], [1, 1, 1])?.maxTokens, 0);
  assert.deepEqual(toWrite(['a', '[BOS]', '[EOS]'], []), { begin: 1, end: 2, maxTokens: 24 });
  assert.deepEqual(toWrite(['[EOS]', 'a'], [1]), { begin: 0, end: 0, maxTokens: 23, prefix: [1] });
  const encoder = of({}, { config: { ...config, kind: 'encoder' } }, { kind: 'encoder' }).tokens;
  assert.deepEqual([words(encoder.encoder), encoder.decoder], [['The', 'dog', 'ran'], null]);

  const target = { targetVocabulary: ['[BOS]', 'le', 'chien', '[EOS]'] };
  const own = of({ written: [] }, target);
  const written = plans.withTarget(own, [1, 2, 3], { ...info, ...target });
  assert.deepEqual(written.tokens.decoder, {
    ...{ words: ['[BOS]', 'le', 'chien'], ids: [0, 1, 2], truncated: false },
    predicted: { words: ['le', 'chien', '[EOS]'], ids: [1, 2, 3] },
  });
  const begun = of({ written: [1, 2] }, target);
  assert.deepEqual([begun.ids, begun.key === own.key], [[1, 2], false]);
  assert.equal(plans.withTarget(begun, [1, 2, 3], { ...info, ...target }).tokens.decoder?.fresh, 1);
  assert.deepEqual([written.ids, plans.withTarget(own, [1], info).tokens.decoder?.words], [[1, 2], [undefined]]);
});

test('a selection is limited to the model; an empty text or target is nothing to compute', () => {
  const selection = { kind: /** @type {const} */ ('cross'), layer: 5, head: 7, mean: true };
  for (const [settings, kind, layer, head] of /** @type {const} */ ([
    [{ kind: 'encoder-decoder', layers: 6, heads: 8 }, 'cross', 5, 7],
    [{ kind: 'encoder-decoder', layers: 2, heads: 4 }, 'cross', 1, 3],
    [{ kind: 'decoder', layers: 9, heads: 0 }, 'decoder', 5, 0],
    [{ kind: 'encoder', layers: 9, heads: 9 }, 'encoder', 5, 7],
  ]))
    assert.deepEqual(plans.clampSelection(selection, /** @type {any} */ (settings)), { kind, layer, head, mean: true });
  const of = (/** @type {number[]} */ ids, /** @type {number[] | null} */ targetIds) =>
    plans.isEmpty(/** @type {any} */ ({ ids, targetIds }));
  assert.deepEqual(
    [of([1], null), of([1], [1]), of([1], []), of([], null), of([], [1])],
    [false, false, true, true, true],
  );
});

test('the tensors that a state names are those of the engine', async () => {
  const gf = await load();
  const { attentionKinds, attentionName, ffnName, hasTensor, positionsName, stagesOfQuery } = plans;
  const sizes = { vocabulary: 9, d_model: 8, layers: 1, d_ff: 8 };
  for (const more of /** @type {any[]} */ ([
    ...['encoder', 'decoder', 'encoder-decoder'].map((kind) => ({ kind })),
    ...['sinusoidal', 'learned', 'rotary', 'none'].map((positions) => ({ positions })),
    ...[{ norm: 'none' }, { normKind: 'rms' }, { qkNorm: true }, { ffn: 'gated' }, { heads: 0 }],
    { qkNorm: true, positions: 'rotary', kind: 'encoder-decoder' },
  ])) {
    const config = {
      ...sizes,
      kind: 'encoder',
      heads: 2,
      ...(more.kind === 'encoder-decoder' && { decoderLayers: 1 }),
      ...more,
    };
    const model = gf.createModel(config);
    const settings = /** @type {any} */ (model.config);
    const ids = [1, 2];
    model.forward(
      more.kind === 'encoder-decoder' ? { sourceIds: ids, targetIds: ids, capture: true } : { ids, capture: true },
    );
    const all = new Set(model.tensors().map(({ name }) => name));
    for (const { kind, stack, columns } of attentionKinds(settings)) {
      const queries = stagesOfQuery(kind, settings).map((stage) =>
        attentionName(kind, 0, /** @type {any} */ (`query${stage}`)),
      );
      for (const name of [attentionName(kind, 0, 'masked'), attentionName(kind, 0, 'head_outputs'), ...queries])
        assert.equal(all.has(name), config.heads > 0, `${JSON.stringify(more)} ${name}`);
      assert.equal(all.has(`${stack}.layers.0.self_attn.query_normed`), settings.qkNorm && config.heads > 0);
      assert(all.has(ffnName(kind, 0, plans.neuronRole(settings))) && all.has(`${columns}.input`));
      assert.equal(all.has(ffnName(kind, 0, 'product')), plans.neuronRole(settings) === 'product');
      assert.equal(all.has(positionsName(kind)), plans.addsPositions(settings), positionsName(kind));
      for (const name of ['self_attn.weights', 'norm2.out', 'norm2.mean', 'norm2.variance', 'ffn.out']) {
        const full = `${stack}.layers.0.${name}`;
        assert.equal(hasTensor(full, settings), all.has(full), `${JSON.stringify(more)} ${full}`);
      }
      assert.equal(hasTensor(positionsName(kind), settings), all.has(positionsName(kind)));
    }
    model.free();
  }
  assert.equal(attentionName('cross', 2, 'weights'), 'decoder.layers.2.multihead_attn.weights');
  const kinds = attentionKinds(/** @type {any} */ ({ kind: 'encoder-decoder' }));
  assert.deepEqual(
    kinds.map(({ title, columns }) => `${title}, ${columns}`),
    ['Encoder self-attention, encoder', 'Decoder self-attention, decoder', 'Cross-attention, encoder'],
  );
  assert.deepEqual(stagesOfQuery('decoder', { positions: 'rotary', qkNorm: true }), ['', '_normed', '_rotated']);
  assert.deepEqual(stagesOfQuery('cross', { positions: 'rotary', qkNorm: false }), ['']);
  assert.equal(hasTensor('decoder.layers.0.multihead_attn.weights', /** @type {any} */ ({ heads: 0 })), false);
});

test('sizes and quantities of heads and FFNs; the node that is open', () => {
  const { headSize, openNode, sharing, shownOfFfn } = plans;
  assert.deepEqual(
    [headSize({ headWidth: 0, d_model: 64, heads: 4 }), headSize({ headWidth: 5, d_model: 64, heads: 4 })],
    [16, 5],
  );
  assert.deepEqual([sharing({ heads: 8, keyValueHeads: 2 }), sharing({ heads: 8, keyValueHeads: 0 })], [4, 1]);
  const quantities = /** @type {const} */ (['pre_activation', 'activation', 'up', 'product']);
  for (const each of quantities) assert.equal(shownOfFfn(each, { ffn: 'gated' }), each);
  const plain = quantities.map((each) => shownOfFfn(each, { ffn: 'plain' }));
  assert.deepEqual(plain, ['pre_activation', 'activation', 'activation', 'activation']);
  for (const [node, heads, decision, shown] of /** @type {[any, number, any, string][]} */ ([
    ['attention', 4, null, 'attention'],
    ['attention', 0, null, 'ffn'],
    ['heads', 0, null, 'ffn'],
    ['heads', 1, null, 'heads'],
    ['norm', 0, null, 'norm'],
    ['norm', 4, {}, 'decision'],
  ]))
    assert.equal(openNode(/** @type {any} */ ({ graph: { node }, settings: { heads }, decision })), shown);
});
