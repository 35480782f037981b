// Random sparse autoencoders as folders of SAELens's, and what they compute: straightforward, in double precision.
import fc from 'fast-check';
import { random } from './reference.js';

const DTYPES = ['F32', 'F16', 'BF16', 'F64'];

/** A number as a dtype holds it, and its bytes. @type {Record<string, (value: number) => [number, ArrayBufferView]>} */
const ROUNDED = {
  F64: (value) => [Math.fround(value), Float64Array.of(Math.fround(value))],
  F32: (value) => [Math.fround(value), Float32Array.of(value)],
  // Multiples of 2^-8 below 8 are halves.
  F16: (value) => halfOf(Math.round(value * 256) / 256),
  BF16: (value) => {
    const bits = new Uint32Array(Float32Array.of(value).buffer)[0] >>> 16;
    return [new Float32Array(Uint32Array.of(bits << 16).buffer)[0], Uint16Array.of(bits)];
  },
};

/** @param {number} value a multiple of 2^-8 @returns {[number, ArrayBufferView]} */
function halfOf(value) {
  const size = Math.abs(value);
  const exponent = size ? Math.floor(Math.log2(size)) : -15;
  const bits = size ? ((exponent + 15) << 10) | Math.round((size / 2 ** exponent - 1) * 1024) : 0;
  const rounded = size ? (1 + (bits & 1023) / 1024) * 2 ** exponent : 0;
  return [value < 0 ? -rounded : rounded, Uint16Array.of(bits | (value < 0 ? 0x8000 : 0))];
}

/**
 * A safetensors file, written without the package, which writes no BF16 and no F64.
 * @param {Record<string, {dtype: string, shape: number[], parts: ArrayBufferView[]}>} tensors
 * @param {Record<string, string>} [metadata]
 */
export function fileOf(tensors, metadata) {
  /** @type {Record<string, unknown>} */
  const header = metadata ? { __metadata__: metadata } : {};
  let end = 0;
  const blocks = Object.entries(tensors).flatMap(([name, { dtype, shape, parts }]) => {
    const begin = end;
    end += parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
    header[name] = { dtype, shape, data_offsets: [begin, end] };
    return parts.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength));
  });
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  return Buffer.concat([length, text, ...blocks]);
}

/** Settings of a dictionary. */
export const DRAWN = fc.record({
  seed: fc.nat(),
  width: fc.integer({ min: 2, max: 11 }),
  size: fc.integer({ min: 1, max: 17 }),
  k: fc.integer({ min: 1, max: 17 }),
  tokens: fc.integer({ min: 1, max: 5 }),
  architecture: fc.constantFrom('standard', 'topk', 'jumprelu', 'gated'),
  normalize: fc.constantFrom('none', 'constant_norm_rescale', 'layer_norm', 'expected_average_only_in'),
  subtracts: fc.boolean(),
  rescales: fc.boolean(),
  scales: fc.constantFrom('none', 'ones', 'factors'),
  form: fc.constantFrom('new', 'candidate', 'old', 'oldest'),
  factor: fc.double({ min: 0.25, max: 4, noNaN: true }),
  dtypes: fc.array(fc.constantFrom(...DTYPES), { minLength: 9, maxLength: 9 }),
});

/** Tensors of each architecture. @type {Record<string, string[]>} */
const BESIDE = {
  standard: ['b_enc'],
  topk: ['b_enc'],
  jumprelu: ['b_enc', 'threshold'],
  gated: ['r_mag', 'b_gate', 'b_mag'],
};

/**
 * A dictionary: its two files, its vectors, and its numbers as the files have them.
 * @param {any} drawn
 */
export function dictionaryOf(drawn) {
  const { width, size, architecture, tokens } = drawn;
  const r = random(drawn.seed);
  const shapes = {
    W_enc: [width, size],
    W_dec: [size, width],
    b_dec: [width],
    ...Object.fromEntries(BESIDE[architecture].map((name) => [name, [size]])),
    ...(drawn.scales !== 'none' && { scaling_factor: [size] }),
  };
  /** @type {Record<string, any>} */
  const [numbers, tensors] = [{}, {}];
  for (const [at, [name, shape]] of Object.entries(shapes).entries()) {
    const dtype = drawn.dtypes[at];
    const count = shape.reduce((a, b) => a * b);
    const values = Array.from({ length: count }, () => {
      if (name === 'scaling_factor') return drawn.scales === 'ones' ? 1 : 0.5 + r.next();
      return name === 'threshold' ? r.next() - 0.2 : 2 * r.next() - 1;
    });
    const rounded = values.map((value) => ROUNDED[dtype](value));
    numbers[name] = rounded.map(([value]) => value);
    tensors[name] = { dtype, shape, parts: rounded.map(([, part]) => part) };
  }
  const x = r.tensor([tokens, width], 3);
  return { ...drawn, k: Math.min(drawn.k, size), config: configOf(drawn), weights: fileOf(tensors), numbers, x };
}

/** Its cfg.json, in one of the forms that there have been. @param {any} drawn */
function configOf({ width, size, k, architecture, normalize, subtracts, rescales, scales, form, seed }) {
  const hook = 'blocks.0.hook_resid_post';
  const said = {
    d_in: width,
    d_sae: size,
    dtype: 'bfloat16',
    device: 'cuda',
    ...(!(subtracts && seed % 2) && { apply_b_dec_to_input: subtracts }),
    ...(scales !== 'none' && { finetuning_scaling_factor: scales === 'factors' || seed % 3 === 0 }),
    ...(architecture === 'topk' && { rescale_acts_by_decoder_norm: rescales }),
  };
  if (form === 'new' || form === 'candidate') {
    const metadata = { hook_name: hook, hook_head_index: null, sae_lens_training_version: '6.1.0', prepend_bos: true };
    return {
      ...said,
      architecture,
      normalize_activations: normalize,
      reshape_activations: 'none',
      ...(architecture === 'topk' && { k: Math.min(k, size) }),
      [form === 'new' ? 'metadata' : 'meta']: metadata,
    };
  }
  const isOldest = form === 'oldest';
  const short = /** @type {Record<string, unknown>} */ ({
    none: seed % 2 ? false : null,
    expected_average_only_in: true,
  });
  return {
    ...said,
    [isOldest ? 'hook_point' : 'hook_name']: hook,
    [isOldest ? 'hook_point_head_index' : 'hook_head_index']: null,
    model_from_pretrained_kwargs: { center_writing_weights: false },
    normalize_activations: isOldest && normalize in short ? short[normalize] : normalize,
    ...(architecture === 'topk'
      ? {
          ...(!isOldest && { architecture: 'standard' }),
          [isOldest ? 'activation_fn' : 'activation_fn_str']: 'topk',
          activation_fn_kwargs: { k: Math.min(k, size) },
        }
      : { ...(!(isOldest && architecture === 'standard') && { architecture }), activation_fn_str: 'relu' }),
  };
}

/** @param {number[]} row */
const lengthOf = (row) => Math.sqrt(row.reduce((sum, value) => sum + value * value, 0));

/**
 * Features of a vector, with what the decoder needs to know of it.
 * @param {any} dictionary
 * @param {number[]} vector
 * @param {number} [factor] of expected_average_only_in
 */
export function encoded(
  { width, size, k, architecture, normalize, subtracts, rescales, numbers: w },
  vector,
  factor = 1,
) {
  let row = [...vector];
  let undo = (/** @type {number[]} */ back) => back;
  if (normalize === 'constant_norm_rescale') {
    const scale = Math.sqrt(width) / lengthOf(row);
    row = row.map((value) => value * scale);
    undo = (back) => back.map((value) => value / scale);
  } else if (normalize === 'layer_norm') {
    const mean = row.reduce((a, b) => a + b) / width;
    const centered = row.map((value) => value - mean);
    const deviation = lengthOf(centered) / Math.sqrt(width - 1);
    row = centered.map((value) => value / (deviation + 1e-5));
    undo = (back) => back.map((value) => value * deviation + mean);
  } else if (normalize === 'expected_average_only_in') {
    row = row.map((value) => value * factor);
    undo = (back) => back.map((value) => value / factor);
  }
  if (subtracts) row = row.map((value, i) => value - w.b_dec[i]);
  const norms = Array.from({ length: size }, (_, n) => lengthOf(w.W_dec.slice(n * width, (n + 1) * width)));
  const isRescaled = rescales && architecture === 'topk';
  const values = norms.map((norm, n) => {
    const product = row.reduce((sum, value, i) => sum + value * w.W_enc[i * size + n], 0);
    if (architecture === 'gated') {
      return product + w.b_gate[n] > 0 ? Math.max(0, Math.exp(w.r_mag[n]) * product + w.b_mag[n]) : 0;
    }
    // Folding divides the decoder by the factor, and so the norms.
    const sum = (product + w.b_enc[n]) * (isRescaled ? norm / (normalize.startsWith('expected') ? factor : 1) : 1);
    return architecture === 'jumprelu' ? (sum > w.threshold[n] ? Math.max(0, sum) : 0) : sum;
  });
  const order = [...values.keys()].sort((a, b) => values[b] - values[a] || a - b);
  const kept = new Set(architecture === 'topk' ? order.slice(0, k) : order);
  const features = values.map((value, n) => (kept.has(n) ? Math.max(0, value) : 0));
  const decode = (/** @type {ArrayLike<number>} */ z) =>
    undo(
      Array.from({ length: width }, (_, i) =>
        norms.reduce((sum, norm, n) => {
          const by = isRescaled ? norm / (normalize.startsWith('expected') ? factor : 1) : 1;
          return sum + (by ? (z[n] / by) * (w.scaling_factor?.[n] ?? 1) * w.W_dec[n * width + i] : 0);
        }, w.b_dec[i]),
      ),
    );
  return { features, decode };
}
