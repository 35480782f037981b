import { GlassformerError } from '../errors.js';
import { refuse, shortOf } from './zip.js';

/** The dtype and bytes of a number of each class. @type {Record<string, {dtype: string, size: number}>} */
const STORAGES = {
  DoubleStorage: { dtype: 'F64', size: 8 },
  FloatStorage: { dtype: 'F32', size: 4 },
  HalfStorage: { dtype: 'F16', size: 2 },
  BFloat16Storage: { dtype: 'BF16', size: 2 },
  LongStorage: { dtype: 'I64', size: 8 },
  IntStorage: { dtype: 'I32', size: 4 },
  ShortStorage: { dtype: 'I16', size: 2 },
  CharStorage: { dtype: 'I8', size: 1 },
  ByteStorage: { dtype: 'U8', size: 1 },
  BoolStorage: { dtype: 'BOOL', size: 1 },
  ComplexFloatStorage: { dtype: 'C64', size: 8 },
};

/** The classes and functions that a checkpoint may name; none of them is Python's here. */
const DICT = 'collections.OrderedDict';
const TENSOR = 'torch._utils._rebuild_tensor_v2';
const PARAMETER = 'torch._utils._rebuild_parameter';
/** A tensor takes some 40, and the largest files hold some 10,000 tensors. */
const MOST = 2 ** 20;
/** Dicts and lists: one operation makes 200 bytes of them. A tensor has one, a module another. */
const MOST_FILLED = 2 ** 16;
/** Letters of a name. */
const LONGEST_NAME = 256;

/** The numbers of one or more tensors. */
export class Storage {
  /** @param {string} kind @param {string} key @param {number} count of its numbers */
  constructor(kind, key, count) {
    Object.assign(this, STORAGES[kind]);
    this.key = key;
    this.count = count;
  }
  dtype = '';
  /** Of a number, in bytes. */
  size = 0;
}

/** A tensor: which numbers of a storage it is made of. */
export class StridedTensor {
  /** @param {Storage} storage @param {number} offset @param {number[]} shape @param {number[]} strides in numbers */
  constructor(storage, offset, shape, strides) {
    this.storage = storage;
    this.offset = offset;
    this.shape = shape;
    this.strides = strides;
  }
}

/** A class or function that a pickle names. */
class Global {
  /** @param {string} name */
  constructor(name) {
    this.name = name;
  }
}

export class List {
  /** @type {unknown[]} */
  items = [];
}

/**
 * State of the reader of a pickle. Values are numbers, strings, booleans, null, Maps (dict), arrays (tuple) and the
 * classes above: there is nothing that could be run.
 * @typedef {object} Machine
 * @property {Uint8Array} bytes
 * @property {DataView} view
 * @property {number} at of the next byte
 * @property {unknown[]} stack
 * @property {number[]} marks lengths of the stack
 * @property {Map<number, unknown>} memo
 * @property {number} filled dicts and lists so far
 */

/**
 * Reads what torch.save pickles of a dictionary of tensors: protocol 2, and of its operations those that this needs.
 * @param {Uint8Array} bytes
 * @param {number} [from]
 * @returns {{value: unknown, end: number}} end: of the pickle
 * @throws {GlassformerError} unsupported for any other class, function or operation, by its name; format
 */
export function unpickle(bytes, from = 0) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  /** @type {Machine} */
  const machine = { bytes, view, at: from, stack: [], marks: [], memo: new Map(), filled: 0 };
  let operations = 0;
  for (let code; (code = byteOf(machine)) !== STOP;) {
    if (++operations > MOST) refuse(`its pickle has more than ${MOST} operations`);
    const operation = OPERATIONS.get(code);
    if (!operation) {
      unsupported(`uses operation 0x${code.toString(16).padStart(2, '0')} of pickles at byte ${machine.at - 1}`);
    }
    operation(machine);
  }
  const value = pop(machine);
  if (machine.stack.length) refuse('its pickle ends with values left over');
  return { value, end: machine.at };
}

/** @param {string} why @returns {never} */
function unsupported(why) {
  const whole = `${why}: only tensors are read; nothing in the file was run`;
  throw new GlassformerError('unsupported', 'file', undefined, whole);
}

/** @param {Machine} machine @param {number} length @returns {number} where they begin */
function take(machine, length) {
  const { at } = machine;
  if (length > machine.bytes.length - at) refuse('its pickle ends early, at byte', machine.bytes.length);
  machine.at += length;
  return at;
}

/** @param {Machine} machine */
const byteOf = (machine) => machine.bytes[take(machine, 1)];

/** @param {Machine} machine */
function pop({ stack, marks }) {
  if (stack.length <= (marks.at(-1) ?? 0)) refuse('its pickle takes a value that is not there');
  return stack.pop();
}

/** Takes the values above the last mark. @param {Machine} machine */
function popMark({ stack, marks }) {
  const from = marks.pop();
  return from === undefined ? refuse('its pickle takes a mark that is not there') : stack.splice(from);
}

/** The values of a dict or list that is being filled. @template T @param {Machine} machine @param {new () => T} kind */
function top({ stack, marks }, kind) {
  const value = stack.length > (marks.at(-1) ?? 0) ? stack.at(-1) : undefined;
  return value instanceof kind ? value : refuse('its pickle fills what is no dict or list');
}

/** @param {Machine} machine @param {number} length */
function textOf(machine, length) {
  const at = take(machine, length);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(machine.bytes.subarray(at, at + length));
  } catch {
    return refuse('its pickle has a text that is no UTF-8, at byte', at);
  }
}

/** @param {Machine} machine */
function lineOf(machine) {
  const end = machine.bytes.subarray(0, machine.at + LONGEST_NAME).indexOf(10, machine.at);
  if (end < 0) refuse('its pickle has a name without end, at byte', machine.at);
  const line = textOf(machine, end - machine.at);
  machine.at++;
  return line;
}

/** @param {Machine} machine @param {unknown[]} pairs */
function fill(machine, pairs) {
  if (pairs.length % 2) refuse('its pickle has a key without a value');
  const map = top(machine, Map);
  for (let i = 0; i < pairs.length; i += 2) {
    const key = pairs[i];
    if (typeof key !== 'string' && typeof key !== 'number') refuse('its pickle has a key that is no text or number');
    map.set(key, pairs[i + 1]);
  }
}

/** @param {Machine} machine @param {number} key */
function recall({ memo, stack }, key) {
  if (!memo.has(key)) refuse('its pickle recalls a value that is not there', key);
  stack.push(memo.get(key));
}

/** @param {Machine} machine @param {number} key */
function remember(machine, key) {
  const value = pop(machine);
  machine.stack.push(value);
  machine.memo.set(key, value);
}

/** A whole number of up to 8 bytes. @param {Machine} machine */
function longOf(machine) {
  const length = byteOf(machine);
  const at = take(machine, length);
  let value = 0n;
  if (length <= 8) for (let i = length - 1; i >= 0; i--) value = (value << 8n) | BigInt(machine.bytes[at + i]);
  const signed = Number(BigInt.asIntN(8 * Math.min(length, 8), value));
  return length <= 8 && Number.isSafeInteger(signed)
    ? signed
    : refuse('its pickle has a number beyond 2^53, at byte', at);
}

/** @param {Machine} machine */
function globalOf(machine) {
  const [module, name] = [lineOf(machine), lineOf(machine)];
  const whole = `${module}.${name}`;
  const isStorage = module === 'torch' && Object.hasOwn(STORAGES, name);
  if (!isStorage && ![DICT, TENSOR, PARAMETER].includes(whole)) unsupported(`names ${shortOf(whole)}`);
  return new Global(isStorage ? name : whole);
}

/** @param {Machine} machine */
function storageOf(machine) {
  const parts = pop(machine);
  const [what, kind, key, , count, part] = Array.isArray(parts) ? parts : [];
  const isOne =
    what === 'storage' && (part ?? null) === null && kind instanceof Global && Object.hasOwn(STORAGES, kind.name);
  if (isOne && typeof key === 'string' && isSize(count)) return new Storage(kind.name, key, count);
  return refuse('its pickle describes a storage in a way that torch.save never does');
}

/** @param {unknown} value @returns {value is number} */
const isSize = (value) => Number.isSafeInteger(value) && Number(value) >= 0;

/** Of PyTorch's axes, as many as it allows. @param {unknown} value @returns {value is number[]} */
const isSizes = (value) => Array.isArray(value) && value.length <= 64 && value.every(isSize);

/** A new dict or list. @template T @param {Machine} machine @param {new () => T} kind @returns {T} */
function filled(machine, kind) {
  if (++machine.filled > MOST_FILLED) refuse(`its pickle has more than ${MOST_FILLED} dicts and lists`);
  return new kind();
}

/** @param {Machine} machine */
function callOf(machine) {
  const args = pop(machine);
  const callee = pop(machine);
  if (!(callee instanceof Global) || !Array.isArray(args)) return refuse('its pickle calls what is no function');
  const [first, offset, shape, strides] = args;
  if (callee.name === DICT && !args.length) return filled(machine, Map);
  if (callee.name === PARAMETER && first instanceof StridedTensor) return first;
  const isWhole = first instanceof Storage && isSize(offset) && isSizes(shape) && isSizes(strides);
  if (callee.name === TENSOR && isWhole && shape.length === strides.length) {
    return new StridedTensor(first, offset, shape, strides);
  }
  return refuse(`calls ${shortOf(callee.name)} in a way that torch.save never does`);
}

/** The state of an OrderedDict, which says versions of modules, is not needed. @param {Machine} machine */
function build(machine) {
  const state = pop(machine);
  top(machine, Map);
  if (!(state instanceof Map)) refuse('its pickle sets the state of an object');
}

/** @param {Machine} machine */
function newObject(machine) {
  pop(machine);
  const type = pop(machine);
  unsupported(`makes an object of ${type instanceof Global ? shortOf(type.name) : 'no class'}`);
}

/** @param {Machine} machine @param {number} count */
function tuple(machine, count) {
  const items = Array.from({ length: count }, () => pop(machine)).reverse();
  machine.stack.push(items);
}

/** @param {Machine} machine @param {unknown[]} items */
function append(machine, items) {
  const list = top(machine, List);
  for (const item of items) list.items.push(item);
}

/** An unsigned number. @param {Machine} machine @param {1 | 2 | 4} length in bytes */
function numberOf(machine, length) {
  const at = take(machine, length);
  const { bytes, view } = machine;
  return length === 1 ? bytes[at] : length === 2 ? view.getUint16(at, true) : view.getUint32(at, true);
}

const STOP = 0x2e;
/** By its code, what each operation does; names as Python's pickletools has them. */
const OPERATIONS = new Map(
  /** @type {[number, (machine: Machine) => void][]} */ ([
    [0x80, (m) => void (byteOf(m) === 2 || unsupported(`has protocol ${m.bytes[m.at - 1]} of pickles`))], // PROTO
    [0x28, ({ stack, marks }) => void marks.push(stack.length)], // MARK
    [0x4e, ({ stack }) => void stack.push(null)], // NONE
    [0x88, ({ stack }) => void stack.push(true)], // NEWTRUE
    [0x89, ({ stack }) => void stack.push(false)], // NEWFALSE
    [0x4a, (m) => void m.stack.push(m.view.getInt32(take(m, 4), true))], // BININT
    [0x4b, (m) => void m.stack.push(numberOf(m, 1))], // BININT1
    [0x4d, (m) => void m.stack.push(numberOf(m, 2))], // BININT2
    [0x8a, (m) => void m.stack.push(longOf(m))], // LONG1
    [0x47, (m) => void m.stack.push(m.view.getFloat64(take(m, 8)))], // BINFLOAT
    [0x58, (m) => void m.stack.push(textOf(m, numberOf(m, 4)))], // BINUNICODE
    [0x7d, (m) => void m.stack.push(filled(m, Map))], // EMPTY_DICT
    [0x5d, (m) => void m.stack.push(filled(m, List))], // EMPTY_LIST
    [0x29, ({ stack }) => void stack.push([])], // EMPTY_TUPLE
    [0x85, (m) => tuple(m, 1)], // TUPLE1
    [0x86, (m) => tuple(m, 2)], // TUPLE2
    [0x87, (m) => tuple(m, 3)], // TUPLE3
    [0x74, (m) => void m.stack.push(popMark(m))], // TUPLE
    [0x73, (m) => fill(m, [pop(m), pop(m)].reverse())], // SETITEM
    [0x75, (m) => fill(m, popMark(m))], // SETITEMS
    [0x61, (m) => append(m, [pop(m)])], // APPEND
    [0x65, (m) => append(m, popMark(m))], // APPENDS
    [0x71, (m) => remember(m, numberOf(m, 1))], // BINPUT
    [0x72, (m) => remember(m, numberOf(m, 4))], // LONG_BINPUT
    [0x68, (m) => recall(m, numberOf(m, 1))], // BINGET
    [0x6a, (m) => recall(m, numberOf(m, 4))], // LONG_BINGET
    [0x63, (m) => void m.stack.push(globalOf(m))], // GLOBAL
    [0x51, (m) => void m.stack.push(storageOf(m))], // BINPERSID
    [0x52, (m) => void m.stack.push(callOf(m))], // REDUCE
    [0x62, build], // BUILD
    [0x81, newObject], // NEWOBJ
  ]),
);
