// A sequence of random calls one after another, and what must hold after each.
import { readFileSync } from 'node:fs';
import { inspect, types } from 'node:util';
import { setFlagsFromString } from 'node:v8';

import { GlassformerError, load } from 'glassformer';
import { Draw } from './draw.js';
import { OwnError, changed, oddValue } from './values.js';
import { Finding, World, busySince, hash } from './world.js';
import { drawCall } from './calls.js';

/** @typedef {import('./world.js').Entry} Entry */
/** @typedef {import('./world.js').Bits} Bits */
/** @typedef {import('./world.js').Part} Part */

/** These arguments name tensors of a pass, so they are read once the memory is laid out for it. */
const CHANGES = ['patches', 'ablate', 'cotangents', 'of'];
/** A call may take so many milliseconds. */
const SLOWEST = 5000;

/** @typedef {{variant: string, seed: number, calls: number[]}} Sequence the calls by their numbers */

// Node 20 has relaxed SIMD behind a flag.
const RELAXED = readFileSync(new URL('../../../dist/relaxed.wasm', import.meta.url));
if (!WebAssembly.validate(RELAXED)) setFlagsFromString('--experimental-wasm-relaxed-simd');

const modules = /** @type {Record<string, Promise<WebAssembly.Module>>} */ ({});
const moduleOf = (/** @type {string} */ variant) =>
  (modules[variant] ??= WebAssembly.compile(readFileSync(new URL(`../../../dist/${variant}.wasm`, import.meta.url))));

/** The bits of the probe's pass, the same in every engine of a variant. @type {Record<string, string>} */
const probes = {};

/** Calls and how they ended. */
export class Tally {
  calls = 0;
  accepted = 0;
  repeated = 0;
  hooks = 0;
  /** @type {Record<string, number>} */
  refused = {};
  /** The functions that were called. @type {Set<unknown>} */
  methods = new Set();
}

/**
 * Runs one sequence.
 * @param {Sequence} sequence
 * @param {Tally} tally
 * @param {string[]} [said] the calls, for people
 */
export async function walk({ variant, seed, calls }, tally, said) {
  const gf = await load({ wasm: await moduleOf(variant), maxOperations: 1e8 });
  const world = new World(gf, (d, inside) => perform(d, inside, tally, said));
  probes[variant] ??= world.askProbe();
  for (const number of calls) {
    tally.last = number;
    const d = new Draw(seed, number);
    if (said) said.push(`call ${number}:`);
    await perform(d, world, tally, said);
    if (world.pending.length) await settle(world, d.chance(0.3));
    if (number % 16 === 0) expectProbe(world, variant);
  }
  await settle(world, true);
  expectProbe(world, variant);
  for (const { model } of world.models) model.free();
  world.probe.model.free();
}

/** @param {World} world @param {string} variant */
function expectProbe(world, variant) {
  const bits = world.askProbe();
  if (bits !== probes[variant]) throw new Finding(`the probe's pass has other bits: ${bits}, not ${probes[variant]}`);
  expectSame(world, allowed(world), 'a pass of the probe');
}

/**
 * One call, its arguments changed or not.
 * @param {Draw} d
 * @param {World} world
 * @param {Tally} tally
 * @param {string[]} [said]
 */
function perform(d, world, tally, said) {
  const call = drawCall(d, world);
  const { name, on, may = [], made, then } = call;
  const changes = d.pick([0, 0, 0, 1, 1, 1, 1, 2]);
  let { self, args } = call;
  const isChange = args.some((value) => CHANGES.some((key) => Object.hasOwn(Object(value), key)));
  for (let i = 0; i < changes; i++) {
    const kind = d.int(0, 19);
    if (kind === 0) self = on || self === world.gf ? foreign(self, d) : self;
    else if (kind === 1) args = [...args, oddValue(d, world)];
    else if (kind === 2) args = args.slice(0, -1);
    else if (args.length) {
      const at = d.int(0, args.length - 1);
      args = args.map((value, i) => (i === at ? changed(value, d, world) : value));
    }
  }
  // The model that was meant, and those that a change has put among the arguments.
  const targets = world.entries().filter((entry) => entry === on || args.includes(entry.model));
  const indent = '  '.repeat(world.running.length);
  if (said) said.push(`${indent}${name}(${args.map(show).join(', ')})`);
  tally.calls++;
  tally.methods.add(call.run);
  const running = {
    fired: 0,
    spent: 0,
    check: () => expectSame(world, allowed(world, targets, ['others']), 'changed before the arguments were read'),
    rebase: () => world.rebase(),
  };
  world.running.push(running);
  const [start, used] = [performance.now(), process.cpuUsage()];
  let result;
  let thrown;
  let failed = false;
  try {
    result = Reflect.apply(call.run, self, args);
    // A generation begins when it is awaited.
    if (typeof result?.then === 'function' && result[Symbol.asyncIterator]) result = Promise.resolve(result);
  } catch (error) {
    thrown = error;
    failed = true;
  }
  const time = performance.now() - start;
  world.running.pop();
  tally.hooks += running.fired;
  try {
    if (time > SLOWEST && busySince(used) - running.spent > SLOWEST) throw new Finding(`took ${Math.round(time)} ms`);
    const close = (/** @type {Entry} */ entry) => targets.includes(entry) || running.fired > 0 || tally.calls % 8 === 0;
    if (failed) {
      expectError(thrown, world);
      const { code, message } = /** @type {any} */ (thrown);
      if (said) said.push(`${indent}  refused: ${message}`);
      count(tally, thrown);
      // An error within a pass may have removed the results of the last one.
      const within = isChange || code === 'number' || running.fired > 0 || isOddCallback(thrown);
      const parts = /** @type {Part[]} */ (may.includes('others') && within ? ['others'] : []);
      expectSame(world, allowed(world, targets, parts), 'changed though it was refused', close);
      return;
    }
    tally.accepted++;
    if (isPromise(result)) hold(result, call, targets, world, tally);
    else if (said) said.push(`${indent}  gave ${show(result)}`);
    if (on?.freed && may.length && !may.includes('life') && !isPromise(result) && changes === 0)
      throw new Finding('succeeded on a freed model');
    if (call.frees && on) on.freed = true;
    expectSame(world, allowed(world, targets, may), 'changed more than it may', close);
    if (isPromise(result)) return;
    if (then) then(result);
    else world.keep(result);
    if (on && !on.gone) on.bits = world.bitsOf(on); // with the trainer that it may have now
    if (changes === 0 && !made && running.fired === 0) again(call, result, tally);
  } catch (error) {
    if (error instanceof Finding) {
      const answer = failed ? `, ${/** @type {any} */ (thrown)?.message},` : '';
      error.call ??= `${name}(${args.map(show).join(', ')})${answer}`;
    }
    throw error;
  }
}

/** @param {unknown} value @returns {value is Promise<unknown>} */
const isPromise = (value) => types.isPromise(value);

/** @param {any} self @param {Draw} d */
function foreign(self, d) {
  return d.pick([
    undefined,
    null,
    1,
    {},
    [],
    Object(self) === self ? new Proxy(self, {}) : 1,
    Object.create(Object(self)),
  ]);
}

/** @param {Tally} tally @param {any} error */
function count(tally, error) {
  const code = error instanceof GlassformerError ? error.code : 'own';
  tally.refused[code] = (tally.refused[code] ?? 0) + 1;
}

/**
 * The parts that may change, also by calls that have not settled.
 * @param {World} world
 * @param {Entry[]} [targets]
 * @param {Part[]} [parts]
 */
function allowed(world, targets = [], parts = []) {
  const may = new Map(targets.map((entry) => [entry, parts]));
  for (const entry of world.pending.flatMap(({ held }) => held))
    may.set(entry, [...(may.get(entry) ?? []), 'others', 'weights', 'moments']);
  return may;
}

/** @param {unknown} error @param {World} world */
function expectError(error, world) {
  if (error instanceof Finding) throw error;
  if (error instanceof GlassformerError || error instanceof OwnError || world.own.has(error)) return;
  if (isOddCallback(error)) return;
  throw new Finding(`threw ${/** @type {any} */ (error)?.stack ?? String(error)}`);
}

/** A class that was given as a callback cannot be called. @param {any} error */
const isOddCallback = (error) => /^Class constructor Odd /.test(error?.message);

/**
 * Nothing has changed but what may; from now on it is as it is.
 * @param {World} world
 * @param {Map<Entry, Part[]>} may
 * @param {string} why
 * @param {(entry: Entry) => boolean} [whole] which ones are checked closely
 */
function expectSame(world, may, why, whole = () => true) {
  for (const entry of world.entries()) {
    const old = entry.bits;
    const now = (entry.bits = world.bitsOf(entry, whole(entry)));
    for (const part of /** @type {Part[]} */ (Object.keys(old))) {
      const unknown = part === 'moments' && [old.moments, now.moments].some((value) => /^(held|state)$/.test(value));
      if (old[part] === now[part] || unknown || may.get(entry)?.includes(part)) continue;
      throw new Finding(`${why}: ${part} of ${entry.name} changed from ${old[part]} to ${now[part]}`);
    }
  }
}

/**
 * The same call once more gives the same.
 * @param {import('./calls.js').Call} call
 * @param {any} result
 * @param {Tally} tally
 */
function again({ self, run, args }, result, tally) {
  if (args.some(isOnce)) return;
  tally.repeated++;
  const first = printOf(result);
  const second = printOf(Reflect.apply(run, self, args));
  if (first !== second) throw new Finding(`gave ${first}, then ${second}`);
}

/** @param {any} value what can be used once */
const isOnce = (value) =>
  typeof value === 'object' && value !== null && Object.values(value).some((inner) => typeof inner === 'function');

/**
 * @param {any} value
 * @param {number} [depth] a vocabulary may hold itself
 * @returns {string} all of its bits
 */
function printOf(value, depth = 0) {
  if (ArrayBuffer.isView(value)) {
    const { buffer, byteOffset, byteLength } = value;
    const bytes = byteLength ? new Uint8Array(buffer, byteOffset, byteLength) : new Uint8Array(0); // detached
    return `${Object.prototype.toString.call(value)}(${byteLength}) ${hash(bytes)}`;
  }
  if (types.isProxy(value)) return 'proxy'; // of an argument; it may be revoked
  const list = value instanceof Map ? [...value] : value;
  if (typeof list !== 'object' || list === null || depth > 9)
    return Object.is(list, -0) ? '-0' : typeof list + String(list);
  const parts = Object.entries(list).map(([key, inner]) => `${key}: ${printOf(inner, depth + 1)}`);
  return `${list.constructor?.name} ${parts}`;
}

/**
 * A call that settles later.
 * @param {Promise<any>} promise
 * @param {import('./calls.js').Call} call
 * @param {Entry[]} targets
 * @param {World} world
 * @param {Tally} tally
 */
function hold(promise, { name, then, may }, targets, world, tally) {
  const held = may?.length ? targets : [];
  for (const entry of held) entry.held++;
  const end = () => {
    world.pending = world.pending.filter((each) => each !== item);
    for (const entry of held) entry.held--;
  };
  const item = {
    name,
    held,
    promise: promise.then(
      (result) => {
        end();
        if (then) then(result);
        else world.keep(result);
        return undefined;
      },
      (error) => {
        end();
        count(tally, error);
        try {
          expectError(error, world);
        } catch (finding) {
          return Object.assign(/** @type {any} */ (finding), { call: name });
        }
        return undefined;
      },
    ),
  };
  world.pending.push(item);
}

/**
 * Gives promises their turn.
 * @param {World} world
 * @param {boolean} all until none is left
 */
async function settle(world, all) {
  const may = allowed(world);
  const items = [...world.pending];
  if (!all) await new Promise((done) => setImmediate(done));
  else {
    let timer;
    const late = new Promise(
      (done) =>
        (timer = setTimeout(() => done(new Finding(`${items.map(({ name }) => name)} never settled`)), 2 * SLOWEST)),
    );
    for (const { promise } of items) {
      const finding = await Promise.race([promise, late]);
      if (finding) throw finding;
    }
    clearTimeout(timer);
  }
  expectSame(world, may, 'while calls settled');
}

/** @param {unknown} value */
function show(value) {
  try {
    return inspect(value, { depth: 5, breakLength: Infinity, maxArrayLength: 8, maxStringLength: 60, compact: true });
  } catch {
    return 'something that cannot be shown';
  }
}

/** @param {Sequence} sequence @returns {Promise<{error: any, kind: string} | undefined>} */
async function failure(sequence) {
  try {
    await walk(sequence, new Tally());
    return undefined;
  } catch (error) {
    return { error, kind: kindOf(error) };
  }
}

/** Findings are the same if this is: the error without its numbers, and its origin. @param {any} error */
export const kindOf = ({ message }) =>
  String(message)
    .split('\n')
    .filter((line, i) => i === 0 || /^\s+at .*\b(src|dist)\b/.test(line))
    .slice(0, 2)
    .join('\n')
    .replace(/-?\d+/g, '0')
    .replace(/ of m0/g, '');

/** Drops calls as long as the sequence fails in the same way. @param {Sequence} sequence @param {string} kind */
export async function shrink(sequence, kind) {
  let { calls } = sequence;
  for (let size = Math.ceil(calls.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = calls.length - size; at > -size; at -= size) {
      const fewer = calls.filter((_, i) => i < at || i >= at + size);
      if (fewer.length < calls.length && (await failure({ ...sequence, calls: fewer }))?.kind === kind) calls = fewer;
    }
  }
  return { ...sequence, calls };
}

/** @param {Sequence} sequence @returns {Promise<string>} its calls for people */
export async function replay(sequence) {
  /** @type {string[]} */
  const said = [];
  try {
    await walk(sequence, new Tally(), said);
    said.push('passed');
  } catch (error) {
    const { call, message } = /** @type {any} */ (error);
    said.push(`FAILED: ${call} ${message}`);
  }
  return said.join('\n');
}
