// The own model of a card in Explore: it opens at the place that decides, with the numbers of the same model in Node.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'glassformer';
import { claims } from '../../../src/claims/index.js';
import { ownModel } from '../../claims/own-model.js';
import { assertShown } from '../in-node.js';
import { givenModel } from '../../../web/claims/related.js';
import { formatShare } from '../../../web/draw/numbers.js';
import { open, openGiven } from '../explore/table.js';

const { answers } = await import('../../../web/explore/features/answers.js');
const { ffn } = await import('../../../web/explore/features/ffn.js');
const { heatmap } = await import('../../../web/explore/features/heatmap.js');
const { modelGraph } = await import('../../../web/explore/features/model-graph.js');
const { streamAtToken } = await import('../../../web/explore/features/residual-stream.js');
const { trying } = await import('../../../web/explore/features/try.js');
const simd = await load({ variant: 'simd' });

const ATTENTION = {
  encoder: 'encoder.layers.0.self_attn.weights',
  decoder: 'decoder.layers.0.self_attn.weights',
  cross: 'decoder.layers.0.multihead_attn.weights',
};

/** The length of a vector. @param {ArrayLike<number>} vector */
const lengthOf = (vector) => Math.sqrt(Array.from(vector).reduce((sum, x) => sum + x * x, 0));

for (const [number, params] of /** @type {const} */ ([
  [1, { d_k: 64 }],
  [5, { mask: 'causal' }],
  [6, { model: 'encoder' }],
  [8, {}],
  [11, {}],
  [12, {}],
  [12, { sublayer: 'attention' }],
  [13, {}],
  [14, { heads: 4, seed: 2 }],
  [15, {}],
  [16, { design: 'pre-LN', layers: 2 }],
  [18, { mask: 'none' }],
  [19, {}],
  [21, { seed: 2 }],
  [23, { gap: 9 }],
]))
  test(`claim ${number} ${JSON.stringify(params)}: its model opens at the cell, with Node’s numbers`, async () => {
    const module = /** @type {any} */ (claims.find(({ claim }) => claim.number === number));
    const given = await givenModel(/** @type {any} */ (simd), module, params, () => {}, new AbortController().signal);
    await openGiven(given);
    assert.equal(given.label.label, 'From Claims');
    const link = String(new URLSearchParams({ model: given.name }));
    const { model, task, rows, cell } = await ownModel(simd, number, params);
    const [ids] = rows;
    const { vocabulary, outputVocabulary = vocabulary } = task;
    const { kind, heads } = model.config;
    const isPair = kind === 'encoder-decoder';
    const begin = isPair ? [vocabulary.id('[BOS]')] : [];
    const said = isPair ? model.generateSync({ targetIds: begin, sourceIds: ids, maxTokens: ids.length }).newIds : [];
    const targetIds = [...begin, ...said].slice(0, ids.length);
    model.forward({ ...(isPair ? { sourceIds: ids, targetIds } : { ids }), capture: true });

    const page = await open(cell.neuron === null ? heatmap : ffn, link);
    assert.equal(page.state().text.replaceAll(' ', ''), ids.map((id) => vocabulary.words[id]).join(''));
    const graph = await open(modelGraph, link);
    if (!isPair) assert.equal(graph.all('.head').length, heads * model.config.layers);
    assert.equal((await open(trying, link)).all('.temperature').length, heads ? 1 : 0);
    if (number === 16) {
      const first = /** @type {any} */ (model.tensor('encoder.layers.0.out')).data.slice(0, 16);
      const shown = (await open(streamAtToken, link)).all('table td');
      assert(shown.includes(lengthOf(first).toFixed(4)), shown.join());
    } else {
      const [tensor, row, column] =
        cell.neuron === null
          ? [model.tensor(ATTENTION[cell.kind]), cell.row + cell.head * (isPair ? targetIds : ids).length, cell.key]
          : [model.tensor('encoder.layers.0.ffn.activation'), cell.row, cell.neuron];
      const { data, shape } = /** @type {any} */ (tensor);
      assertShown(Number(page.all('.map-readout strong')[0].replace('−', '-')), data[row * shape.at(-1) + column]);
      assert.match(page.all('.map-note')[0], new RegExp(`\\[${cell.row}, ${column}\\]`));
    }
    if (model.config.head !== 'none') {
      const { data } = simd.softmax(/** @type {any} */ (model.tensor('logits')));
      const width = outputVocabulary.size;
      const best = [...data.subarray(cell.row * width, (cell.row + 1) * width)]
        .map((share, id) => /** @type {const} */ ([outputVocabulary.words[id], share]))
        .sort((a, b) => b[1] - a[1])
        .map(([word, share]) => `${word} ${formatShare(share)}`.replaceAll('\u00a0', ' '));
      const listed = (await open(answers, link)).all('.answers-list li');
      assert.deepEqual(listed, best.slice(0, listed.length));
      assert(listed.length >= Math.min(3, width));
    }
    model.free();
  });
