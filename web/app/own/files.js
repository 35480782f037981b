// Which of the files that the reader gave are a model, and what it is called in a link.

import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { parseJson } from '../../../src/js/formats/json.js';
import { beginning } from '../../kit/letters.js';

const LONGEST_HEADER = 1e8; // bytes; the format allows no longer one
/** The weights as PyTorch saves them are looked at where there are no others. */
const KINDS = [
  { file: 'model.safetensors', index: 'model.safetensors.index.json', ending: /\.safetensors$/ },
  { file: 'pytorch_model.bin', index: 'pytorch_model.bin.index.json', ending: /\.(bin|pt|pth)$/ },
];
const PICKLED = KINDS[1].ending;
/** The tokenizers of a Marian, which has no tokenizer.json. */
export const PIECES = ['source.spm', 'target.spm', 'vocab.json'];
const isWeights = (/** @type {File} */ { name }) => KINDS.some(({ ending }) => ending.test(name));
/** The command that downloads a folder of files that open here. */
export const HOW_TO_GET =
  'hf download openai-community/gpt2 config.json generation_config.json tokenizer.json model.safetensors ' +
  '--local-dir gpt2';
const SAMPLE = 1024; // bytes
const SAMPLES = 256; // of a file whose tensors are not listed at its begin
const DIRECTORY = 2 ** 18; // bytes at the end of a zip, with a checksum of each storage
const MOST_TENSORS = 20_000; // 64 layers have some 1,000; of more, which may all lie in one place, samples take minutes
const LONGEST_NAME = 60;

/**
 * The files of a model among the reader's: its weights, and the configuration beside them.
 * @typedef {{
 *   title: string, weights: File, parts: File[], config: File | null, tokenizer: File | null,
 *   generationConfig: File | null, tokenizerConfig: File | null, pieces: File[],
 * }} Found
 * `parts`: all files of the weights' folder, where these are in several; `weights` is the first of them then.
 * `pieces`: the three that cut a Marian's texts; none where one is missing. */

/** @param {File} file its path below the folder that was chosen */
const pathOf = (file) => file.webkitRelativePath || file.name;

/** @param {File} file */
const depthOf = (file) => pathOf(file).split('/').length;

/** @param {File} file */
const folderOf = (file) => pathOf(file).split('/').slice(0, -1).join('/');

/**
 * @param {readonly File[]} files
 * @returns {Found}
 * @throws {Error} in words for the reader
 */
export function findModel(files) {
  const kind = KINDS.find(({ ending }) => files.some(({ name }) => ending.test(name))) ?? KINDS[0];
  const weights = files.filter(({ name }) => kind.ending.test(name));
  // Deeper folders hold other versions of it.
  const depth = weights.reduce((least, each) => Math.min(least, depthOf(each)), Infinity);
  const level = weights.filter((file) => depthOf(file) === depth);
  const plainOne = level.filter(({ name }) => name === kind.file); // others beside it belong to it
  const top = plainOne.length ? plainOne : level;
  if (!top.length) throw new Error(noWeights(files));
  top.sort((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1));
  const [file] = top;
  const near = files.filter((each) => folderOf(each) === folderOf(file));
  const beside = (/** @type {string} */ name) => near.find((each) => each.name === name) ?? null;
  const isSharded = !plainOne.length && top.every((each) => near.includes(each)) && beside(kind.index) !== null;
  if (top.length > 1 && !isSharded) {
    const names = top.slice(0, 3).map(pathOf).join(', ');
    throw new Error(`there are ${top.length} files of weights (${names}${top.length > 3 ? '…' : ''}): choose one`);
  }
  const folder = pathOf(file).split('/').at(-2);
  const pieces = PIECES.map(beside).filter((each) => each !== null);
  const plain = isSharded || file.name === kind.file ? 'model' : file.name.replace(kind.ending, '');
  return {
    title: /^model\b/.test(plain) && folder ? folder : plain,
    weights: file,
    parts: isSharded ? near.filter((each) => top.includes(each) || /\.(json|spm)$/.test(each.name)) : [],
    config: beside('config.json'),
    tokenizer: beside('tokenizer.json'),
    generationConfig: beside('generation_config.json'),
    tokenizerConfig: beside('tokenizer_config.json'),
    pieces: pieces.length === PIECES.length ? pieces : [],
  };
}

/** @param {Blob} file */
export const isPickled = (file) => file instanceof File && PICKLED.test(file.name);

/** @param {readonly File[]} files */
function noWeights(files) {
  const among = files.length === 1 ? files[0].name : `${files.length} files`;
  return files.length ? `there is no file of weights (.safetensors) among ${among}` : 'there is no file';
}

/**
 * Reads the header of a safetensors file. Opening the model checks whether all is in order.
 * @param {Blob} file
 * @returns {Promise<{said: Record<string, string>, header: Record<string, any>, body: number}>}
 * @throws {Error}
 */
export async function readHeader(file) {
  if (isPickled(file)) return { said: {}, header: {}, body: 0 };
  const start = new DataView(await file.slice(0, 8).arrayBuffer());
  const length = start.byteLength === 8 ? Number(start.getBigUint64(0, true)) : Infinity;
  if (!(length <= Math.min(LONGEST_HEADER, file.size - 8))) throw new Error('it is no safetensors file');
  try {
    const header = parseJson(await file.slice(8, 8 + length).text());
    const said = Object(header.__metadata__);
    return { said, header, body: 8 + length };
  } catch {
    throw new Error('its header cannot be read');
  }
}

/**
 * The file with a configuration in its header, where that lies beside it.
 * @param {Blob} file
 * @param {unknown} config
 * @returns {Promise<Blob>} nothing is copied
 */
export async function withConfig(file, config) {
  const { said, header, body } = await readHeader(file);
  const metadata = { ...said, 'glassformer.config': JSON.stringify(config), 'glassformer.version': '1' };
  const text = JSON.stringify({ ...header, __metadata__: metadata });
  const bytes = new TextEncoder().encode(text.padEnd(text.length + ((8 - (text.length % 8)) % 8)));
  const length = new DataView(new ArrayBuffer(8));
  length.setBigUint64(0, BigInt(bytes.length), true);
  return new Blob([length, bytes, file.slice(body)]);
}

/**
 * The name of a model in links: that of its file, its bytes, and a SHA-256 of the headers of all its files and of the
 * beginning, middle and end of every tensor; of a pytorch_model.bin, of its directory and of 256 places. Half a
 * gigabyte takes seconds to read and hash, these parts of it milliseconds, and training changes all tensors. It tells
 * files apart; a file made to deceive may differ elsewhere.
 * @param {Pick<Found, 'title' | 'weights' | 'parts'>} found
 * @throws {Error} of a damaged header
 */
export async function ownName({ title, weights, parts }) {
  const files = parts.length ? parts.filter(isWeights) : [weights];
  const hash = sha256.create();
  for (const file of files.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const { header, body } = await readHeader(file);
    const count = Object.keys(header).length;
    if (count > MOST_TENSORS)
      throw new Error(`its header lists ${count.toLocaleString('en')} tensors, as no model has`);
    const samples = isPickled(file)
      ? Array.from({ length: SAMPLES }, (_, i) => Math.floor((file.size * i) / SAMPLES))
      : Object.values(header).flatMap((tensor) => samplesOf(Object(tensor).data_offsets, body));
    const end = isPickled(file) ? [file.slice(-DIRECTORY)] : [];
    const read = [file.slice(0, body), ...samples.map((start) => file.slice(start, start + SAMPLE)), ...end];
    hash.update(new TextEncoder().encode(`${file.size} `));
    hash.update(new Uint8Array(await new Blob(read).arrayBuffer()));
  }
  const plain = beginning(title.replace(/[^\p{L}\p{M}\p{N}_-]+/gu, '-'), LONGEST_NAME) || 'model';
  return `file.${plain}.${sizeOfAll({ weights, parts })}.${bytesToHex(hash.digest())}`;
}

/** Where the samples of a tensor begin. @param {unknown} offsets of its header @param {number} body */
function samplesOf(offsets, body) {
  const [start, end] = Array.isArray(offsets) ? offsets.map(Number) : [];
  if (!(start < end)) return [];
  const last = Math.max(start, end - SAMPLE);
  const middle = Math.floor((start + last) / 2);
  return [...new Set([start, middle, last])].map((at) => body + at);
}

/** Bytes of all weights. @param {Pick<Found, 'weights' | 'parts'>} found */
export const sizeOfAll = ({ weights, parts }) =>
  parts.filter(isWeights).reduce((sum, { size }) => sum + size, 0) || weights.size;

/** The files that are the model. @param {Found} found */
export const filesOf = ({ weights, parts, config, tokenizer, generationConfig, tokenizerConfig, pieces }) =>
  parts.length
    ? parts
    : [weights, config, tokenizer, generationConfig, tokenizerConfig, ...pieces].filter((file) => file !== null);

/** The parts of such a name. @param {string} name */
export function partsOf(name) {
  const [, title, bytes, print] = /^file\.(.+)\.(\d+)\.([0-9a-f]{64})$/.exec(name) ?? [];
  return { title, bytes: Number(bytes), print };
}

/** Whether two names are those of one file: the reader may call it otherwise. @param {string} a @param {string} b */
export function isSame(a, b) {
  const [one, two] = [partsOf(a), partsOf(b)];
  return one.bytes === two.bytes && one.print === two.print;
}

/** @param {number} bytes */
export const sizeOf = (bytes) =>
  bytes >= 1e9
    ? `${(bytes / 1e9).toFixed(1)} GB`
    : bytes < 1e6
      ? `${Math.max(1, Math.round(bytes / 1e3))} kB`
      : `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
