import { GlassformerError } from '../js/errors.js';
import { integer, options } from './check.js';
import { DIGITS, drawDigits } from './digits.js';
import { configOf, freshTask, trainerOf } from './task.js';
import { Vocabulary } from './vocabulary.js';

/**
 * Digits that an encoder–decoder says in reverse, one after the other: the decoder reads [BOS] and what it has said so
 * far. Head score: mass of the cross-attention on the digit that is said.
 * @param {{length?: number, copy?: boolean}} [given] default 8; copy: say them as they are
 * @example
 * import { makeReverseDecoder } from 'glassformer/tasks';
 * const { sourceIds, targetIds, labels } = makeReverseDecoder({ length: 4 }).batch();
 * labels.data[0] === sourceIds.data[3] && targetIds.data[1] === labels.data[0]; // → true
 */
export function makeReverseDecoder(given = {}) {
  const { length, copy } = options(given, { length: 8, copy: false });
  integer(length, 1, 64, 'length');
  if (typeof copy !== 'boolean') throw new GlassformerError('type', 'copy', copy, 'must be true or false');
  const vocabulary = new Vocabulary([...DIGITS, '[BOS]'], { level: 'characters' });
  const begin = vocabulary.id('[BOS]');
  const placeOf = (/** @type {number} */ at) => (copy ? at : length - 1 - at);
  const exampleOf = (/** @type {number[]} */ ids) => {
    const labels = ids.map((_, at) => ids[placeOf(at)]);
    return { ids, targetIds: [begin, ...labels.slice(0, -1)], labels };
  };
  return freshTask({
    name: copy ? 'copy-decoder' : 'reverse-decoder',
    about: {
      title: copy ? 'Copy by a decoder' : 'Reverse by a decoder',
      goal: `Say ${length} digits ${copy ? 'again' : 'in reverse'}, one after the other.`,
      input: `${length} digits`,
      solved: `Cross-attention along the ${copy ? '' : 'anti-'}diagonal: each place attends to the digit that it says.`,
      steps: 300,
    },
    vocabulary,
    // finalNorm, as nn.Transformer has it.
    config: configOf({
      kind: 'encoder-decoder',
      vocabulary,
      tiedEmbeddings: true,
      d_model: 32,
      heads: 2,
      d_ff: 64,
      layers: 1,
      decoderLayers: 1,
      causal: true,
      finalNorm: true,
    }),
    trainer: trainerOf({ learningRate: 5e-3, schedule: 'linear', warmup: 50, steps: 300 }),
    width: length,
    streams: { training: 'reversal', heldOut: 'held-out' },
    draw: (random) => exampleOf(drawDigits(random, length)),
    read: (digits) => (digits.length === length ? exampleOf(vocabulary.ids(digits)) : undefined),
    links: (_, at) => [placeOf(at)],
  });
}

export const reverseDecoder = /* @__PURE__ */ makeReverseDecoder();
