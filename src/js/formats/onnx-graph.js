// A model as an ONNX graph: the computation of src/model/model.c.
import { GlassformerError } from '../errors.js';
import { Part } from './onnx-parts.js';

/** @typedef {import('../../../dist/generated/settings.js').Config} Config */
/** @typedef {import('./onnx-parts.js').Source} Source */

/**
 * The versions that ONNX 1.15 writes: LayerNormalization needs opset 17, Gelu opset 20.
 * @type {{ir: number, opsets: Record<string, number>}}
 */
const VERSION = { ir: 9, opsets: { '': 20 } };

/** Optional inputs of `forward`, by kind. @type {Record<string, readonly string[]>} */
const OPTIONAL = {
  encoder: ['padding', 'mask'],
  decoder: ['padding', 'mask'],
  'encoder-decoder': ['sourcePadding', 'targetPadding', 'mask', 'memoryPadding'],
  attention: ['memory', 'padding', 'mask'],
  'feed-forward': [],
};

/**
 * @param {Config} config
 * @param {readonly string[]} wanted optional inputs
 */
function check(config, wanted) {
  const allowed = OPTIONAL[config.kind];
  for (const name of wanted) {
    if (allowed.includes(name)) continue;
    const choices = allowed.length ? `one of ${allowed.join(', ')}` : 'left out';
    throw new GlassformerError('range', 'inputs', name, `of kind ${config.kind} must be ${choices}`);
  }
}

/**
 * @param {Source} source
 * @param {readonly string[]} wanted the optional inputs that the graph shall have
 */
export function modelProto(source, wanted) {
  const { config } = source;
  check(config, wanted);
  const { kind, d_model: C } = config;
  const part = new Part(source, new Set(wanted));
  const { g } = part;
  let out;
  const both = kind === 'encoder-decoder';
  /** @type {string[]} */
  let rows;
  if (kind === 'feed-forward') {
    rows = ['batch', 'length'];
    out = part.feedForward('', g.input('vectors', [...rows, C]));
  } else if (kind === 'attention') {
    rows = ['batch', 'length'];
    const keys = wanted.includes('memory') ? 'keys' : 'length';
    const x = g.input('vectors', [...rows, C]);
    const memory = keys === 'keys' ? g.input('memory', ['batch', keys, C]) : undefined;
    const padding = part.optional('padding', ['batch', keys], 'bool');
    const mask = part.optional('mask', ['length', keys], 'float');
    const ranges = { causal: config.causal, window: memory ? 0 : part.windowOf(null) };
    const masks = part.masks(padding, mask, { ...ranges, queries: x, keys: memory ?? x });
    out = part.attention('', x, memory, masks, part.turnedBy(x, memory ? undefined : padding, memory));
  } else {
    const own = { prefix: both ? 'src_' : '', table: both ? 'src_emb.weight' : 'tok_emb.weight' };
    const first = { ...own, stack: kind === 'decoder' ? 'decoder' : 'encoder', length: both ? 'source' : 'length' };
    const causal = config.causal && !both;
    const source = part.stack({ ...first, inputs: both ? 'source' : '', causal, layers: config.layers });
    out = source.out;
    rows = ['batch', first.length];
    if (both) {
      const hidden = part.optional('memoryPadding', rows, 'bool') ?? source.padding;
      const memory = { out, masks: part.masks(hidden) };
      const table = config.tiedEmbeddings ? own.table : 'tgt_emb.weight';
      const second = { prefix: 'tgt_', table, stack: 'decoder', length: 'target', inputs: 'target', memory };
      out = part.stack({ ...second, causal: config.causal, layers: config.decoderLayers }).out;
      rows = ['batch', 'target'];
    }
    const { head, outputWidth } = config;
    if (head !== 'none' || outputWidth) {
      const table = both && !config.tiedEmbeddings ? 'tgt_emb.weight' : own.table;
      const [name, at] = outputWidth ? ['values', 'output_proj'] : ['logits', 'generator'];
      const weight = head === 'tied' ? table : `${at}.weight`;
      part.linear(
        config.headTransform ? part.transform(out) : out,
        part.weight(weight),
        config.headBias ? `${at}.bias` : '',
        name,
      );
      g.output(name, [...rows, part.shapeOf(weight)[0]]);
    }
  }
  g.node('Identity', [out], {}, 'output');
  g.output('output', [...rows, C]);
  return g.model({ name: kind, ...VERSION, metadata: { 'glassformer.config': JSON.stringify(config) } });
}
