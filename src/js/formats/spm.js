// SentencePiece models (source.spm, spiece.model) in protobuf's wire format: the fields of sentencepiece_model.proto
// (github.com/google/sentencepiece) that decide how a text is cut.
import { GlassformerError, beginning } from '../errors.js';

/** Kinds of pieces, by their number in the file from 1 on. */
const TYPES = /** @type {const} */ (['normal', 'unknown', 'control', 'user-defined', 'unused', 'byte']);
const KINDS = /** @type {const} */ (['unigram', 'bpe', 'word', 'char']);
/** Fields of ModelProto, SentencePiece, TrainerSpec and NormalizerSpec. */
const [PIECES, TRAINER, NORMALIZER, DENORMALIZER] = [1, 2, 3, 5];
const [KIND, SUFFIX, BYTES] = [3, 24, 35];
const [CHARSMAP, PREFIX, EXTRA, ESCAPE] = [2, 3, 4, 5];

/**
 * @typedef {object} SentencePieceModel
 * @property {'unigram' | 'bpe'} kind
 * @property {{piece: string, score: number, type: typeof TYPES[number]}[]} pieces by id
 * @property {Uint8Array} [charsmap] how texts are normalized
 * @property {boolean} addsPrefix a space before each text
 * @property {boolean} removesExtra spaces at the ends, and of several side by side all but one
 */

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * @param {Uint8Array} bytes
 * @param {string} name of the file
 * @returns {SentencePieceModel}
 * @throws {GlassformerError} format for what is no such file; unsupported for what is not read here
 */
export function readSpm(bytes, name) {
  const wrong = (/** @type {string} */ why, /** @type {unknown} */ value) =>
    new GlassformerError('format', name, value, `is no SentencePiece model that can be used: ${why}`);
  const unread = (/** @type {string} */ why, /** @type {unknown} */ value) =>
    new GlassformerError('unsupported', name, value, `is not read here: ${why}`);

  /** The fields of a message, several of one number in a list. @param {Uint8Array} message */
  function fieldsOf(message) {
    /** @type {Map<number, any[]>} */
    const fields = new Map();
    let at = 0;
    const varint = () => {
      let value = 0;
      for (let shift = 0; shift < 64; shift += 7) {
        const byte = message[at++];
        if (byte === undefined) throw wrong('it is cut short', message.length);
        if (shift < 53) value += (byte & 127) * 2 ** shift;
        if (byte < 128) return value;
      }
      throw wrong('a number of it has no end', at);
    };
    const take = (/** @type {number} */ length) => {
      if (length > message.length - at) throw wrong('it is cut short', message.length);
      return message.subarray(at, (at += length));
    };
    while (at < message.length) {
      const tag = varint();
      const wire = tag % 8;
      const value = wire === 0 ? varint() : take(wire === 2 ? varint() : wire === 1 ? 8 : wire === 5 ? 4 : Infinity);
      const id = Math.floor(tag / 8);
      if (id === 0) throw wrong('a field of it has no number', tag);
      const others = fields.get(id);
      if (others) others.push(value);
      else fields.set(id, [value]);
    }
    return fields;
  }

  /** @param {Map<number, any[]>} fields @param {number} id @param {any} [missing] @param {'number' | 'bytes'} [kind] */
  function one(fields, id, missing, kind = 'number') {
    const value = fields.get(id)?.at(-1) ?? missing;
    if (value !== missing && (typeof value === 'number') !== (kind === 'number'))
      throw wrong('a field has no such type', id);
    return value;
  }
  const inner = (/** @type {Map<number, any[]>} */ fields, /** @type {number} */ id) =>
    fieldsOf(one(fields, id, new Uint8Array(0), 'bytes'));

  const model = fieldsOf(bytes);
  const [trainer, normalizer, denormalizer] = [TRAINER, NORMALIZER, DENORMALIZER].map((id) => inner(model, id));
  const kind = KINDS[one(trainer, KIND, 1) - 1];
  if (kind !== 'unigram' && kind !== 'bpe') throw unread('it cuts neither by Unigram nor by BPE', kind);
  const refused = /** @type {[Map<number, any[]>, number, boolean, string][]} */ ([
    [trainer, SUFFIX, false, 'spaces as suffixes'],
    [trainer, BYTES, false, 'unknown letters as bytes'],
    [normalizer, ESCAPE, true, 'spaces as they are'],
  ]);
  for (const [fields, id, usual, why] of refused)
    if (Boolean(one(fields, id, Number(usual))) !== usual) throw unread(why, !usual);
  if (one(denormalizer, CHARSMAP, '', 'bytes').length) throw unread('a charsmap for texts that are written', undefined);
  const charsmap = one(normalizer, CHARSMAP, undefined, 'bytes');
  const pieces = (model.get(PIECES) ?? []).map((message, id) => pieceOf(fieldsOf(message), id));
  const known = new Set(pieces.map(({ piece }) => piece));
  if (!pieces.length) throw wrong('it has no pieces', bytes.length);
  if (known.size < pieces.length) throw wrong('two of its pieces are the same', pieces.length);
  const unknown = pieces.filter(({ type }) => type === 'unknown').length;
  if (unknown !== 1) throw wrong('it must have one piece for what is unknown', unknown);
  const [addsPrefix, removesExtra] = [PREFIX, EXTRA].map((id) => Boolean(one(normalizer, id, 1)));
  return { kind, pieces, addsPrefix, removesExtra, ...(charsmap?.length && { charsmap }) };

  /** @param {Map<number, any[]>} fields @param {number} id */
  function pieceOf(fields, id) {
    const type = TYPES[one(fields, 3, 1) - 1];
    const [text, four] = [1, 2].map((field) => one(fields, field, new Uint8Array(field === 1 ? 0 : 4), 'bytes'));
    const piece = textOf(text, id);
    const score = four.length === 4 ? new DataView(four.buffer, four.byteOffset).getFloat32(0, true) : NaN;
    if (!piece || !type || !Number.isFinite(score))
      throw wrong(`its piece ${id} has no text, type or score`, beginning(piece, 60));
    return { piece, score, type };
  }

  /** @param {Uint8Array} text @param {number} id */
  function textOf(text, id) {
    try {
      return utf8.decode(text);
    } catch {
      throw wrong(`its piece ${id} is no text`, undefined);
    }
  }
}
