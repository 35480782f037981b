// Reads a trace: logit lens, direct logit attribution, causes of an answer. Fetched when one is first used.
import { settingOf } from './config.js';
import { expectAffordable, productCost } from './cost.js';
import { GlassformerError, checked } from '../errors.js';
import { EDITION_4, expectKnown } from './known.js';
import { typeOf } from './packed.js';
import { readSelector } from './selector.js';
import { runOf } from './trace.js';

export { attribution, attributionAt } from './attribution.js';
export { decide } from './decided.js';

/**
 * See Trace.lens. The weights are read where they stand.
 * @param {import('./trace.js').Trace} trace
 * @param {import('./selector.js').Selector | number} layer
 * @returns {import('../arrays/tensor.js').Tensor}
 */
export function lens(trace, layer) {
  const { handle } = runOf(trace);
  const { config, memory, functions, core } = handle;
  expectKnown(handle, EDITION_4, 'lens');
  const graph = handle.graph();
  const logits = graph.find(({ kind }) => kind === 'logits' || kind === 'values');
  if (!logits?.weight) throw new GlassformerError('config', 'head', config.head, 'lens needs a model with a head');
  const selector =
    typeof layer === 'number' ? { stack: logits.stack ?? undefined, layer } : readSelector(layer, 'layer', '');
  const { data, shape } = trace.tensor(selector);
  const C = config.d_model;
  if (shape.at(-1) !== C || shape.length !== 3) {
    throw new GlassformerError('shape', 'layer', shape, `must be a state of the residual stream, [B, T, ${C}]`);
  }
  const at = (/** @type {string} */ name) => handle.get(name);
  const rows = data.length / C;
  const V = at(logits.weight).shape[0];
  expectAffordable('layer', productCost(rows, C, V), core.limit);
  const transform = config.headTransform ? graph[graph[logits.inputs[0]].inputs[0]] : undefined;
  const before = graph[(transform ?? logits).inputs[0]];
  return memory.withScratch((scratch) => {
    let from = scratch.put(/** @type {Float32Array} */ (data));
    const biasOf = (/** @type {string} */ name) => {
      const bias = name.replace(/weight$/, 'bias');
      return handle.list().some((info) => info.name === bias) ? at(bias).pointer : 0;
    };
    const norm = (/** @type {string | null} */ weight) => {
      const epsilon = Number(config.epsilon);
      const gain = weight ? at(weight).pointer : 0;
      const done =
        config.normKind === 'rms'
          ? functions.gf_rms_norm(from, 0, from, gain, epsilon, rows, C)
          : functions.gf_layer_norm(from, 0, 0, from, gain, weight ? biasOf(weight) : 0, epsilon, rows, C);
      checked(done, 'lens');
    };
    const linear = (/** @type {string} */ weight, /** @type {number} */ bias, /** @type {number} */ width) => {
      const info = at(weight);
      const to = scratch.reserve('float32', rows * width);
      checked(functions.gf_linear(to, width, from, info.pointer, typeOf(info), bias, 0, 0, rows, C, width), 'lens');
      from = to;
    };
    if (config.finalNorm) norm(before.weight);
    if (transform) {
      linear('transform.dense.weight', biasOf('transform.dense.weight'), C);
      const kinds = settingOf(core.settings, 'activation').choices;
      checked(functions.gf_activation(from, from, rows * C, kinds.indexOf(String(config.activation))), 'lens');
      norm(graph[logits.inputs[0]].weight);
    }
    const bias = handle.list().find(({ facts, role }) => facts.node === logits.kind && role === 'bias');
    linear(/** @type {string} */ (logits.weight), (!config.headScale && bias?.pointer) || 0, V);
    const found = memory.copy('float32', from, rows * V);
    if (config.headScale) {
      const scale = Math.fround(1 / Math.fround(Math.sqrt(C)));
      const offset = bias && memory.view('float32', bias.pointer, V);
      found.forEach((each, i) => (found[i] = Math.fround(each * scale) + (offset?.[i % V] ?? 0)));
    }
    return { data: found, shape: [shape[0], shape[1], V] };
  });
}
