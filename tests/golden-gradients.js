// Computes the gradients of each kind of reference case through the public API. The loss of
// a case is its own, or the sum of output times cotangent: the trainer's loss 'linear'.
import assert from 'node:assert/strict';
import { vjp } from 'glassformer/derivatives';
import { ACTIVATION, isPad, layerOptions, renames, stack } from './golden-cases.js';
import * as families from './golden-families.js';
import * as modern from './golden-modern.js';
import { only } from './golden-read.js';
import { gradients as ofT5 } from './golden-t5.js';
import { perform } from './operations.js';

/** @typedef {import('./golden-cases.js').Case & {cotangent: Record<string, any>}} Case */

/**
 * A case as a model: its configuration, our name for each of its weights, the batch, the loss, and
 * the input tensors of the model by the names of the case's inputs.
 * @type {Record<string, (c: Case) => {config: object, rename: (name: string) => string | null,
 *   batch: Record<string, any>, trainer: object, inputs?: Record<string, string>}>}
 */
const AS_MODEL = {
  embed_pe: ({ input: { ids }, params: p, cotangent }) => ({
    config: { kind: 'encoder', vocabulary: p.vocab, d_model: p.d, heads: 1, layers: 0, embeddingScale: p.scale_sqrt_d },
    rename: (name) => name.replace(/^tok\./, 'tok_emb.'),
    batch: { ids, labels: cotangent.y },
    trainer: { loss: 'linear' },
  }),

  mha: ({ input, params: p, weights, cotangent }) => ({
    config: {
      kind: 'attention',
      d_model: p.d,
      heads: p.heads,
      causal: p.causal,
      attentionBias: weights.has('in_proj_bias'),
    },
    rename: (name) => name,
    batch: {
      vectors: input.x,
      memory: input.memory,
      padding: input.key_padding_mask,
      mask: input.attn_mask,
      labels: cotangent.y,
    },
    trainer: { loss: 'linear' },
    inputs: { x: 'input', memory: 'memory' },
  }),

  ffn: ({ input: { x }, params: p, cotangent }) => ({
    config: {
      kind: 'feed-forward',
      d_model: p.d,
      heads: 1,
      d_ff: p.d_ff,
      activation: ACTIVATION[p.activation],
      active: p.active,
    },
    rename: (name) => name,
    batch: { vectors: flat(x), labels: flat(cotangent.y) },
    trainer: { loss: 'linear' },
    inputs: { x: 'input' },
  }),

  encoder_layer: ({ input, params: p, cotangent }) => ({
    config: { ...plainStack(p), kind: 'encoder', layers: 1, causal: p.causal },
    rename: (name) => `encoder.layers.0.${name}`,
    batch: { vectors: input.x, padding: input.key_padding_mask, mask: input.attn_mask, labels: cotangent.y },
    trainer: { loss: 'linear' },
    inputs: { x: 'encoder.vectors' },
  }),

  decoder_layer: ({ input, params: p, cotangent }) => ({
    config: {
      ...plainStack(p),
      kind: 'encoder-decoder',
      layers: 0,
      decoderLayers: 1,
      causal: p.causal,
      finalNorm: false,
    },
    rename: (name) => `decoder.layers.0.${name}`,
    batch: {
      sourceVectors: input.memory,
      targetVectors: input.x,
      targetPadding: input.key_padding_mask,
      memoryPadding: input.memory_key_padding_mask,
      mask: input.attn_mask,
      labels: cotangent.y,
    },
    trainer: { loss: 'linear' },
    inputs: { x: 'decoder.vectors', memory: 'encoder.vectors' },
  }),

  encoder: ({ input, params: p, cotangent }) => ({
    config: { ...plainStack(p), kind: 'encoder', layers: p.layers, finalNorm: p.final_norm, causal: p.causal },
    rename: renames.encoder,
    batch: { vectors: input.x, padding: input.key_padding_mask, labels: cotangent.y },
    trainer: { loss: 'linear' },
    inputs: { x: 'encoder.vectors' },
  }),

  transformer: ({ input, params: p, cotangent }) => ({
    config: {
      ...plainStack(p),
      kind: 'encoder-decoder',
      layers: p.enc_layers,
      decoderLayers: p.dec_layers,
      finalNorm: p.final_norm,
      causal: p.causal_target,
    },
    rename: (name) => name,
    batch: {
      sourceVectors: input.src,
      targetVectors: input.tgt,
      sourcePadding: input.src_key_padding_mask,
      targetPadding: input.tgt_key_padding_mask,
      labels: cotangent.y,
    },
    trainer: { loss: 'linear' },
    inputs: { src: 'encoder.vectors', tgt: 'decoder.vectors' },
  }),

  gpt2: ({ input, params: p }) => ({
    config: {
      ...stack(p),
      kind: 'decoder',
      vocabulary: p.vocab,
      layers: p.layers,
      positions: 'learned',
      maxLength: p.Tmax,
      embeddingScale: false,
      finalNorm: p.final_norm,
      causal: p.causal,
      head: p.tied_head ? 'tied' : 'linear',
      headBias: p.head_bias,
    },
    rename: renames.gpt2,
    batch: { ids: input.ids, labels: input.targets },
    trainer: { ignoreIndex: p.ignore_index },
  }),

  bert: ({ input, params: p, cotangent }) => ({
    config: {
      ...stack(p),
      kind: 'encoder',
      vocabulary: p.vocab,
      types: p.types,
      layers: p.layers,
      positions: 'learned',
      maxLength: p.Tmax,
      embeddingScale: false,
      embeddingNorm: true,
      finalNorm: p.final_norm,
      causal: p.causal,
    },
    rename: renames.bert,
    batch: { ids: input.ids, typeIds: input.type_ids, padding: input.key_padding_mask, labels: cotangent.y },
    trainer: { loss: 'linear' },
  }),

  seq2seq: ({ input, params: p, weights }) => ({
    config: {
      ...stack(p),
      kind: 'encoder-decoder',
      vocabulary: p.vocab,
      layers: p.enc_layers,
      decoderLayers: p.dec_layers,
      positions: 'sinusoidal',
      embeddingScale: p.scale_sqrt_d,
      finalNorm: p.final_norm,
      head: p.tied_head ? 'tied' : 'linear',
      headBias: weights.has('generator.bias'),
    },
    rename: (name) => (p.tied_head && name === 'generator.weight' ? null : renames.seq2seq(name)),
    batch: {
      sourceIds: input.src,
      targetIds: input.tgt,
      sourcePadding: isPad(input.src, p.pad_id),
      targetPadding: isPad(input.tgt, p.pad_id),
      labels: input.targets,
    },
    trainer: { ignoreIndex: p.pad_id },
  }),
};

/**
 * Gradients of a case by its own names: of inputs and of weights. A trainer's, and to the same bits those of vjp.
 * @param {any} gf @param {string} op @param {Case} c
 * @returns {Map<string, any> | undefined} undefined when no such op is known
 */
export function gradients(gf, op, c) {
  const slopes = (modern.OPERATION[op] ?? families.OPERATION[op])?.(gf, c);
  if (slopes) return new Map(Object.entries(slopes));
  if (ofT5[op]) return new Map(Object.entries(ofT5[op](gf, c)));
  if (OPERATION[op]) return new Map(Object.entries(OPERATION[op](gf, c)));
  const today = [modern, families].find((each) => each.AS_MODEL[op]);
  if (!AS_MODEL[op] && !today) return undefined;
  const {
    config,
    rename,
    batch,
    trainer,
    inputs = {},
  } = today ? { ...today.AS_MODEL[op](c), rename: (/** @type {string} */ name) => name } : AS_MODEL[op](c);
  const model = gf.createModel(config);
  try {
    model.loadWeights(today ? today.weightsOf(op, c.weights, c) : c.weights, { rename });
    model.trainer(trainer).gradients({ ...batch, capture: true });
    const of = (/** @type {string} */ ours) => model.tensor(`grad.${ours}`);
    const given = Object.entries(inputs).filter(([name]) => c.input[name]);
    const { labels, ...rest } = batch;
    if (/** @type {any} */ (trainer).loss === 'linear') {
      const names = [...given.map(([, ours]) => ours), ...model.weights().keys()];
      const found = vjp(model, { ...rest, cotangents: { output: labels }, of: names }).gradients;
      const again = model.trainer(trainer);
      again.gradients({ ...batch, capture: true });
      for (const name of names) assert.deepEqual(found.get(name), of(name), name);
    }
    return new Map([
      ...given.map(([name, ours]) => /** @type {[string, any]} */ ([name, reshaped(of(ours), c.input[name].shape)])),
      ...[...c.weights.keys()].flatMap((name) => {
        if (today) return [/** @type {[string, any]} */ ([name, today.read(c, op, name, of)])];
        const ours = rename(name);
        return ours ? [/** @type {[string, any]} */ ([name, of(ours)])] : [];
      }),
    ]);
  } finally {
    model.free();
  }
}

/**
 * Gradients of an operation, by the names of the case.
 * @type {Record<string, (gf: any, c: Case) => Record<string, any>>}
 */
const OPERATION = {
  // c = op(a) op(b): each gradient is a product again
  matmul: (gf, { input: { a, b }, params: p, cotangent: { y } }) => ({
    a: p.transA
      ? gf.matmul(b, y, { transposeA: p.transB, transposeB: true })
      : gf.matmul(y, b, { transposeB: !p.transB }),
    b: p.transB
      ? gf.matmul(y, a, { transposeA: true, transposeB: p.transA })
      : gf.matmul(a, y, { transposeA: !p.transA }),
  }),

  softmax: (gf, { input: { x }, cotangent: { y } }) => ({ x: gf.softmaxBackward(gf.softmax(x), y) }),

  layernorm: (gf, { input: { x }, params: p, weights, cotangent: { y } }) =>
    gf.layerNormBackward(x, y, { weight: weights.get('weight'), epsilon: p.eps }),

  ...Object.fromEntries(
    Object.entries(ACTIVATION).map(([op, activation]) => [
      op,
      (/** @type {any} */ gf, /** @type {Case} */ { input: { x }, params: { active }, cotangent: { y } }) => ({
        x: gf.activationBackward(x, y, activation, { active }),
      }),
    ]),
  ),

  cross_entropy: (gf, { input: { logits, targets }, params: p }) => {
    const { reduction, ignore_index: ignoreIndex, label_smoothing: labelSmoothing } = p;
    const given = { labels: targets, reduction, ignoreIndex, labelSmoothing };
    const { logProbabilities } = perform(gf, 'crossEntropy', { logits, ...given });
    return { logits: perform(gf, 'crossEntropyBackward', { logProbabilities, ...given }) };
  },

  sdpa: (gf, { input, params: p, cotangent: { out } }) => {
    only(p, { heads: input.q.shape[1] });
    const given = { query: input.q, key: input.k, value: input.v };
    const { weights } = perform(gf, 'attention', {
      ...given,
      causal: p.causal,
      keyPadding: input.key_padding_mask,
      mask: input.attn_mask,
    });
    const { query, key, value } = perform(gf, 'attentionBackward', { ...given, weights, gradient: out });
    return { q: query, k: key, v: value };
  },
};

/** @param {Record<string, any>} p */
const plainStack = (p) => ({
  ...stack(p),
  vocabulary: 0,
  positions: 'none',
  embeddingScale: false,
  ...layerOptions(p),
});

/** @param {any} t */
const flat = (t) => ({ data: t.data, shape: [1, t.data.length / t.shape.at(-1), t.shape.at(-1)] });

/** @param {any} t @param {number[]} shape */
const reshaped = (t, shape) => ({ data: t.data, shape });
