// Which of the files that the reader gave are a model, and what it is called in a link.

const LONGEST_HEADER = 1e8; // bytes; the format allows no longer one
const SAMPLES = 64;
const SAMPLE = 4096; // bytes
const LONGEST_NAME = 60;

/**
 * What of a reader's files is a model: its weights, beside them the configuration.
 * @typedef {{title: string, weights: File, parts: File[], config: File | null, tokenizer: File | null}} Found
 * `parts`: all files of the weights' folder, where these are in several; `weights` is the first of them then. */

/** @param {File} file its path below the folder that was chosen */
const pathOf = (file) => file.webkitRelativePath || file.name;

/** @param {File} file */
const depthOf = (file) => pathOf(file).split('/').length;

/**
 * @param {readonly File[]} files
 * @returns {Found}
 * @throws {Error} in words for the reader
 */
export function findModel(files) {
  const weights = files.filter(({ name }) => name.endsWith('.safetensors'));
  const depth = Math.min(...weights.map(depthOf)); // what lies deeper are other versions of it
  const level = weights.filter((file) => depthOf(file) === depth);
  const plainOne = level.filter(({ name }) => name === 'model.safetensors'); // others beside it belong to it
  const top = plainOne.length ? plainOne : level;
  if (!top.length) throw new Error(noWeights(files));
  const beside = (/** @type {string} */ name) =>
    files.find((each) => each.name === name && depthOf(each) === depth) ?? null;
  const isSharded = top.length > 1 && beside('model.safetensors.index.json') !== null;
  if (top.length > 1 && !isSharded) {
    const names = top.map(({ name }) => name).sort();
    throw new Error(`there are ${top.length} files of weights (${names.slice(0, 3).join(', ')}…): choose one`);
  }
  const [file] = top.sort((a, b) => (a.name < b.name ? -1 : 1));
  const folder = pathOf(file).split('/').at(-2);
  const plain = file.name.replace(/\.safetensors$/, '');
  return {
    title: /^model\b/.test(plain) && folder ? folder : plain,
    weights: file,
    parts: isSharded ? files.filter((each) => depthOf(each) === depth && /\.(safetensors|json)$/.test(each.name)) : [],
    config: beside('config.json'),
    tokenizer: beside('tokenizer.json'),
  };
}

/** @param {readonly File[]} files */
function noWeights(files) {
  const pickled = files.find(({ name }) => /\.(bin|pt|pth|ckpt)$/.test(name));
  if (pickled)
    return (
      `${pickled.name} is PyTorch’s own format, which can run programs when it is opened: save the weights as ` +
      'safetensors first'
    );
  return files.length
    ? `there is no file of weights (.safetensors) among ${files.length === 1 ? files[0].name : `${files.length} files`}`
    : 'there is no file';
}

/**
 * What the header of a safetensors file says beside its tensors. Whether all is in order, who opens it decides.
 * @param {Blob} file
 * @returns {Promise<{said: Record<string, string>, header: Record<string, any>, body: number}>}
 * @throws {Error}
 */
export async function readHeader(file) {
  const start = new DataView(await file.slice(0, 8).arrayBuffer());
  const length = start.byteLength === 8 ? Number(start.getBigUint64(0, true)) : Infinity;
  if (!(length <= Math.min(LONGEST_HEADER, file.size - 8))) throw new Error('it is no safetensors file');
  try {
    const header = JSON.parse(await file.slice(8, 8 + length).text());
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
 * The name of a model in links: that of its file, its bytes, and a fingerprint of its beginning and of samples of the
 * rest, as half a gigabyte takes long to read. It tells files apart; it does not prove who made one.
 * @param {string} title
 * @param {Blob} file
 */
export async function ownName(title, file) {
  const step = Math.max(SAMPLE, Math.floor((file.size - SAMPLE) / SAMPLES));
  const parts = Array.from({ length: Math.ceil(file.size / step) }, (_, i) => file.slice(i * step, i * step + SAMPLE));
  const bytes = new Uint8Array(await new Blob([...parts, file.slice(-SAMPLE)]).arrayBuffer());
  const plain = title.replace(/[^\p{L}\p{N}_-]+/gu, '-').slice(0, LONGEST_NAME) || 'model';
  return `file.${plain}.${file.size}.${fingerprint(bytes)}`;
}

/** Twice FNV-1a from two beginnings, 48 bits: there is no crypto.subtle on every address. @param {Uint8Array} bytes */
function fingerprint(bytes) {
  let [a, b] = [0x811c9dc5, 0x01234567];
  for (const byte of bytes) {
    a = Math.imul(a ^ byte, 0x01000193);
    b = Math.imul(b ^ byte, 0x01000193) ^ (b >>> 15);
  }
  const hex = (/** @type {number} */ value, /** @type {number} */ digits) =>
    (value >>> 0).toString(16).padStart(8, '0').slice(0, digits);
  return hex(a, 8) + hex(b, 4);
}

/** The parts of such a name. @param {string} name */
export function partsOf(name) {
  const [, title, bytes, print] = /^file\.(.+)\.(\d+)\.([0-9a-f]{12})$/.exec(name) ?? [];
  return { title, bytes: Number(bytes), print };
}

/** Whether two names are those of one file: the reader may call it otherwise. @param {string} a @param {string} b */
export function isSame(a, b) {
  const [one, two] = [partsOf(a), partsOf(b)];
  return one.bytes === two.bytes && one.print === two.print;
}

/** @param {number} bytes */
export const sizeOf = (bytes) =>
  bytes < 1e6 ? `${Math.max(1, Math.round(bytes / 1e3))} kB` : `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
