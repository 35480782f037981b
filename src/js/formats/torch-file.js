import { SafetensorsFile } from './safetensors-stream.js';
import { List, StridedTensor, unpickle } from './pickle.js';
import { readZip, refuse, shortOf, startOf } from './zip.js';
import { GlassformerError } from '../errors.js';

/** @typedef {import('./file-bytes.js').FileBytes} FileBytes */
/** @typedef {import('./pickle.js').Storage} Storage */
/** @typedef {import('./safetensors-stream.js').Numbers} Numbers */

/**
 * Contents of a file: its tensors, and the place where the numbers of a storage begin.
 * @typedef {object} Read
 * @property {unknown} value
 * @property {(storage: Storage) => number} orderOf storages, for reading them as they lie
 * @property {(storage: Storage) => Promise<number>} startOf
 */

/** Bytes of a pickle: of 10,000 tensors it has some 2 MB. */
const LONGEST = 2 ** 24;
/** @type {Uint8Array} */
const NOTHING = new Uint8Array(0);
/** Of tensors' elements: 32-bit WebAssembly counts no further. */
const MOST = 2 ** 32 - 1;
/** Numbers that a model may take for each that its file holds: a tied table counts once, and few others are shared. */
const MOST_SHARED = 2;
/** Numbers that may be read for each: a matrix that was cut into query, key and value is read three times. */
const MOST_READ = 4;
/** The first bytes of files from before PyTorch 1.6: the pickle of a number of 10 bytes. */
const MAGIC = [0x80, 2, 0x8a, 10, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19, 0x2e];

/**
 * Opens what torch.save wrote as if it were a safetensors file: its pickle is read by a reader that knows tensors and
 * nothing else, the numbers piece by piece when they are wanted.
 * @param {FileBytes} bytes
 * @param {Uint8Array} first of them
 * @param {Pick<import('./safetensors-stream.js').Parts, 'signal' | 'onProgress'> &
 *   {budget?: import('./stream-bytes.js').Budget}} options budget: for a file that may come compressed
 * @returns {Promise<SafetensorsFile>}
 * @throws {GlassformerError} unsupported for what is no tensor, by its name; format for a damaged file
 */
export async function openTorch(bytes, first, { budget = { left: 0 }, ...options }) {
  const isZip = first[0] === 0x50 && first[1] === 0x4b;
  const { size: total = Infinity } = bytes;
  // A file that must be held as a whole arrives before its first tensor is read.
  const whole = await bytes.whole?.(first, (loaded) => options.onProgress({ loaded, total }), budget);
  const file = whole ?? bytes;
  const read = await (isZip ? readArchive(file) : readLegacy(file, first));
  const tensors = tensorsOf(read);
  let at = 0;
  const entries = tensors.map(({ name, tensor: { storage, shape }, count }) => {
    const begin = at;
    at += count * storage.size;
    return { name, dtype: storage.dtype, shape, begin, end: at };
  });
  const view = { ...file, size: at, read: readerOf(file, read, tensors, entries) };
  const onProgress = whole ? () => options.onProgress({ loaded: whole.size, total: whole.size }) : options.onProgress;
  return new SafetensorsFile({
    bytes: view,
    start: 0,
    entries,
    metadata: new Map(),
    ...options,
    onProgress,
    expectJustified: (needed) => expectJustified(tensors.filter(({ name }) => needed.has(name))),
  });
}

/**
 * Tensors may share a storage, as tied tables do; a file whose few numbers make a large model is refused.
 * @param {Located[]} tensors that a model needs, a tied table once
 */
function expectJustified(tensors) {
  /** @type {Map<string, {count: number, tensors: Located[]}>} */
  const storages = new Map();
  let [taken, read] = [0, 0];
  for (const located of tensors) {
    const { count, span, isPlain, tensor } = located;
    const { key, count: held } = tensor.storage;
    const storage = storages.get(key) ?? { count: 0, tensors: [] };
    storage.count = Math.max(storage.count, held);
    storage.tensors.push(located);
    storages.set(key, storage);
    taken += count;
    read += isPlain ? count : span;
  }
  const all = [...storages.values()];
  const held = all.reduce((sum, { count }) => sum + count, 0);
  if (taken <= MOST_SHARED * held && read <= MOST_READ * held) return;
  const [{ tensors: sharing }] = all.sort((a, b) => b.tensors.length - a.tensors.length);
  const why =
    `shares its storage with ${sharing.length - 1} other tensors: of the ${held} numbers that the file holds, ` +
    `the model would take ${taken} and read ${read}. At most ${MOST_SHARED} and ${MOST_READ} times as many are allowed`;
  throw new GlassformerError('format', sharing[0].name, taken, why);
}

/** The zip of PyTorch 1.6 and later. @param {FileBytes} bytes @returns {Promise<Read>} */
async function readArchive(bytes) {
  const zip = await readZip(bytes);
  const [pickle, ...others] = [...zip.keys()].filter((name) => /^[^/]+\/data\.pkl$/.test(name));
  if (!pickle || others.length) refuse('is a zip without the data.pkl of PyTorch');
  const folder = pickle.slice(0, -'data.pkl'.length);
  /** @param {string} name @param {number} most */
  const readAll = async (name, most) => {
    const entry = zip.get(name);
    if (!entry) return null;
    if (entry.size > most) refuse(`${name.slice(folder.length)} must have at most ${most} bytes`, entry.size);
    return bytes.read(await startOf(bytes, entry), new Uint8Array(entry.size));
  };
  const order = await readAll(`${folder}byteorder`, 16);
  if (order && new TextDecoder().decode(order) !== 'little') {
    throw new GlassformerError(
      'unsupported',
      'file',
      undefined,
      'is big-endian: save it again on a little-endian machine',
    );
  }
  const { value } = unpickle(/** @type {Uint8Array} */ (await readAll(pickle, LONGEST)));
  /** @param {Storage} storage */
  const entryOf = ({ key, count, size }) => {
    const entry = zip.get(`${folder}data/${key}`) ?? refuse(`lacks the numbers of storage ${shortOf(key)}`);
    if (entry.size === count * size) return entry;
    return refuse(`storage ${shortOf(key)} must have ${count * size} bytes`, entry.size);
  };
  return { value, orderOf: (storage) => entryOf(storage).at, startOf: (storage) => startOf(bytes, entryOf(storage)) };
}

/**
 * The format of before PyTorch 1.6: five pickles, then the storages one after another.
 * @param {FileBytes} bytes @param {Uint8Array} first @returns {Promise<Read>}
 */
async function readLegacy(bytes, first) {
  if (MAGIC.some((byte, i) => first[i] !== byte)) refuse('is a pickle that torch.save did not write');
  const size = Number(bytes.size);
  const head = await bytes.read(0, new Uint8Array(Math.min(size, LONGEST)));
  const [version, system, object, keys] = [0, 0, 0, 0].reduce(
    (/** @type {{value: unknown, end: number}[]} */ all) => [...all, unpickle(head, all.at(-1)?.end ?? MAGIC.length)],
    [],
  );
  const isLittle = system.value instanceof Map && system.value.get('little_endian') === true;
  if (version.value !== 1001 || !isLittle) refuse('is of a version of torch.save that is not read');
  const names = keys.value instanceof List ? keys.value.items : refuse('has no list of storages');
  const sizes = new Map(storagesOf(object.value).map((storage) => [storage.key, storage]));
  /** @type {Map<string, number>} */
  const starts = new Map();
  let at = keys.end;
  for (const name of names) {
    const storage = (typeof name === 'string' && sizes.get(name)) || refuse('has a storage that no tensor uses');
    const { count, size: each } = storage;
    const end = at + 8 + count * each;
    if (end > size || starts.has(storage.key))
      refuse(`is cut short: storage ${shortOf(storage.key)} ends at byte`, end);
    const said = await bytes.read(at, new Uint8Array(8));
    if (new DataView(said.buffer).getBigUint64(0, true) !== BigInt(count)) {
      refuse(`storage ${shortOf(storage.key)} has another size than its tensors say`);
    }
    starts.set(storage.key, at + 8);
    at = end;
  }
  const placeOf = (/** @type {Storage} */ { key, count, dtype }) =>
    sizes.get(key)?.count === count && sizes.get(key)?.dtype === dtype && starts.has(key)
      ? Number(starts.get(key))
      : refuse(`lacks the numbers of storage ${shortOf(key)}`);
  return { value: object.value, orderOf: placeOf, startOf: async (storage) => placeOf(storage) };
}

/** @param {unknown} value @returns {[string, StridedTensor][]} */
function listed(value) {
  if (!(value instanceof Map)) throw notTensors('is no dictionary of tensors: save model.state_dict()');
  return [...value].map(([name, tensor]) => {
    if (typeof name === 'string' && tensor instanceof StridedTensor) return [name, tensor];
    throw notTensors(`holds ${shortOf(String(name))}, which is not a tensor: save only model.state_dict()`);
  });
}

/** @param {string} why */
const notTensors = (why) => new GlassformerError('unsupported', 'file', undefined, why);

/** @param {unknown} value */
const storagesOf = (value) => listed(value).map(([, { storage }]) => storage);

/** @typedef {{name: string, tensor: StridedTensor, count: number, isPlain: boolean, span: number}} Located */

/** The tensors in the order in which their numbers lie. @param {Read} read @returns {Located[]} */
function tensorsOf({ value, orderOf }) {
  const tensors = listed(value).map(([name, tensor]) => ({ at: orderOf(tensor.storage), ...locate(name, tensor) }));
  return tensors.sort((a, b) => a.at - b.at || a.tensor.offset - b.tensor.offset);
}

/**
 * Counts a tensor's numbers, and the numbers over which they are spread.
 * @param {string} name @param {StridedTensor} tensor @returns {Located}
 */
function locate(name, tensor) {
  const { storage, offset, shape, strides } = tensor;
  const malformed = (/** @type {string} */ why) => {
    throw new GlassformerError('format', name, undefined, why);
  };
  let count = 1;
  for (const size of shape) if ((count *= size) > MOST) malformed(`shape has a product beyond ${MOST}`);
  let plain = 1;
  let isPlain = true;
  for (let axis = shape.length - 1; axis >= 0; plain *= shape[axis--]) {
    isPlain &&= shape[axis] === 1 || strides[axis] === plain;
  }
  const span = count && 1 + shape.reduce((sum, size, axis) => sum + (size - 1) * strides[axis], 0);
  if (!(offset + span <= storage.count)) malformed('reaches beyond its storage');
  // A number that stands for many: how a small file would fill the memory.
  if (count > span) malformed('repeats the numbers of its storage');
  return { name, tensor, count, isPlain, span };
}

/**
 * Reads of the tensors, put one behind the other.
 * @param {FileBytes} bytes
 * @param {Read} read
 * @param {Located[]} tensors
 * @param {{begin: number, end: number}[]} entries of them
 * @returns {FileBytes['read']}
 */
function readerOf(bytes, { startOf }, tensors, entries) {
  /** The tensor that was read last: where it begins, and its storage's part where it has to be put in order. */
  let last = { index: -1, start: 0, spread: NOTHING };
  return async (at, into) => {
    const index = entries.findIndex(({ begin, end }) => begin <= at && at < end);
    const { tensor, isPlain, span } = tensors[index];
    const { storage, offset } = tensor;
    if (last.index !== index) {
      const start = (await startOf(storage)) + offset * storage.size;
      last = { index, start, spread: NOTHING };
      if (!isPlain) last.spread = await bytes.read(start, new Uint8Array(span * storage.size));
    }
    const from = at - entries[index].begin;
    if (isPlain) return bytes.read(last.start + from, into);
    return gather(into, last.spread, storage.size, tensor, from / storage.size);
  };
}

/** Arrays of elements of so many bytes. */
const ARRAYS = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 8: BigUint64Array };

/**
 * Elements of a tensor in the order of its axes, from where strides have spread them.
 * @param {Uint8Array} into aligned to the elements
 * @param {Uint8Array} spread its part of the storage, with its own buffer
 * @param {number} size of an element, in bytes
 * @param {{shape: number[], strides: number[]}} tensor
 * @param {number} from number of the first element that is wanted
 * @returns {Uint8Array} into
 */
function gather(into, spread, size, { shape, strides }, from) {
  const Elements = ARRAYS[/** @type {1 | 2 | 4 | 8} */ (size)];
  /** @type {any} */
  const target = new /** @type {any} */ (Elements)(into.buffer, into.byteOffset, into.byteLength / size);
  const source = new /** @type {any} */ (Elements)(spread.buffer);
  const index = shape.map(() => 0);
  let at = 0;
  for (let axis = shape.length - 1, rest = from; axis >= 0; axis--) {
    index[axis] = rest % shape[axis];
    rest = Math.floor(rest / shape[axis]);
    at += index[axis] * strides[axis];
  }
  for (let i = 0; i < target.length; i++) {
    target[i] = source[at];
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      at += strides[axis];
      if (++index[axis] < shape[axis]) break;
      at -= shape[axis] * strides[axis];
      index[axis] = 0;
    }
  }
  return into;
}
