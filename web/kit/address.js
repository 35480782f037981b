// The one codec of addresses. A place's schema has a row for each key of its state: the default, and for what a link
// contains the name and codec there. A link contains what differs from a base: how its model, task or card opens.

/**
 * `read`: undefined where the text is no value of the row.
 * @typedef {{write: (value: any) => string, read: (text: string, base?: any) => unknown}} Codec
 *
 * @typedef {[name: string, text: string, bare?: boolean]} Part of a link; `bare`: it is written without escapes
 *
 * A value in parts of several names, or in several parts of one name; `read` is called after the single rows are read.
 * @typedef {{
 *   write: (value: any, base: any) => Part[],
 *   read: (parts: Part[], state: any, base: any) => {value?: unknown, refused?: string[]},
 * }} Group
 *
 * `path`: of the key; `address`: its name in a link, of a group also a list of names, or a beginning with a dot; none:
 * no link has it; `implied`: the value in links without it, if it is not the base's; `problem` says why a value cannot
 * stand beside the others, '' where it can; `why` says why its text is refused; `bare`: its text stands unescaped.
 * @typedef {{
 *   path: string, initial?: any, address?: string | readonly string[], codec?: Codec, group?: Group, bare?: boolean,
 *   implied?: (state: any, base: any, names: readonly string[]) => unknown,
 *   problem?: (value: any, state: any) => string, why?: (text: string) => string,
 * }} Field
 */

/** @param {string} hash @returns {{place: string, parts: Part[]}} place: '' in links from before there were places */
export function parse(hash) {
  const [, place, query] = /^#\/(\w*)\/?\??(.*)$/s.exec(hash) ?? ['', '', hash.slice(1)];
  return { place, parts: [...new URLSearchParams(query)] };
}

/** @param {string} hash @param {string} name @returns {string | null} what a link says in its first part of a name */
export const partOf = (hash, name) => parse(hash).parts.find(([each]) => each === name)?.[1] ?? null;

/** @param {string} place @param {readonly Part[]} parts */
export function linkOf(place, parts) {
  const query = parts.map(([name, text, bare]) => (bare ? `${name}=${text}` : new URLSearchParams([[name, text]])));
  return `#/${place}${query.length ? `?${query.join('&')}` : ''}`;
}

/** The value of a key. @param {any} state @param {string} path */
export const valueAt = (state, path) => path.split('.').reduce((part, key) => part?.[key], state);

/**
 * The state with another value of a key; an object is merged into what stands there.
 * @template S
 * @param {S} state
 * @param {string} path
 * @param {any} value
 * @returns {S}
 */
function withValue(state, path, value) {
  const [key, inner] = path.split('.');
  const old = /** @type {any} */ (state)[key];
  const isPart = value?.constructor === Object;
  return { ...state, [key]: inner ? { ...old, [inner]: value } : isPart ? { ...old, ...value } : value };
}

/** The state of defaults. @param {readonly Field[]} fields */
export const initialOf = (fields) =>
  fields
    .filter(({ initial }) => initial !== undefined)
    .reduce((state, { path, initial }) => withValue(state, path, structuredClone(initial)), /** @type {any} */ ({}));

/** Which row reads a part. @param {readonly Field[]} fields @returns {(name: string) => Field | undefined} */
function finder(fields) {
  const byName = new Map(fields.flatMap((field) => [field.address ?? []].flat().map((name) => [name, field])));
  return (name) => byName.get(name) ?? byName.get(name.slice(0, name.indexOf('.') + 1));
}

/** @param {readonly Part[]} parts */
const namesOf = (parts) => parts.map(([name]) => name);

/** @param {Field} field */
const prefixOf = ({ address }) => (typeof address === 'string' && address.endsWith('.') ? address : '');

/**
 * The parts of a state's link.
 * @param {readonly Field[]} fields
 * @param {any} state
 * @param {any} base
 * @returns {Part[]}
 */
export function partsOf(fields, state, base) {
  /** @type {Part[]} */
  const parts = [];
  for (const field of fields) {
    const { path, address, codec, group, implied, bare } = field;
    const now = valueAt(state, path);
    if (group) for (const [name, text] of group.write(now, base)) parts.push([prefixOf(field) + name, text, bare]);
    if (!codec) continue;
    const text = codec.write(now);
    const left = implied ? implied(state, base, namesOf(parts)) : valueAt(base, path);
    if (text !== codec.write(left)) parts.push([String(address), text, bare]);
  }
  return parts;
}

/**
 * The base with what a link says, and what of it cannot be. Nothing is ever thrown.
 * @template S
 * @param {readonly Part[]} parts
 * @param {readonly Field[]} fields
 * @param {S} base
 * @returns {{state: S, names: string[], refused: {name: string, text: string, why: string}[]}} `names`: of what was
 * read
 */
export function readParts(parts, fields, base) {
  let state = base;
  /** @type {{name: string, text: string, why: string}[]} */
  const refused = [];
  /** @type {Map<Field, Part[]>} */
  const given = new Map();
  const fieldOf = finder(fields);
  for (const [name, text] of parts) {
    const field = fieldOf(name);
    const value = field?.codec?.read(text, base);
    if (!field || (field.codec && value === undefined)) refused.push({ name, text, why: field?.why?.(text) ?? '' });
    else if (given.has(field)) given.get(field)?.push([name, text]);
    else given.set(field, [[name, text]]);
    if (field && value !== undefined) state = withValue(state, field.path, value);
  }
  // A refused value goes back to the base's, which may refuse another. Each pass settles one row at least.
  for (const field of fields.flatMap(() => fields)) {
    const own = given.get(field);
    const why = own && field.problem?.(valueAt(state, field.path), state);
    if (!own || !why) continue;
    refused.push(...own.slice(-1).map(([name, text]) => ({ name, text, why })));
    state = withValue(state, field.path, valueAt(base, field.path));
    given.delete(field);
  }
  for (const field of fields) {
    const own = given.get(field);
    if (!own || !field.group) continue;
    const prefix = prefixOf(field);
    /** @type {Part[]} */
    const inner = own.map(([name, text]) => [name.slice(prefix.length), text]);
    const found = field.group.read(inner, state, base);
    for (const each of found.refused ?? []) refused.push({ name: prefix + each, text: '', why: each });
    if (found.value !== undefined) state = withValue(state, field.path, found.value);
  }
  const failed = new Set(refused.map(({ name }) => name));
  const names = namesOf(parts).filter((name) => !failed.has(name));
  for (const { path, address, implied } of fields)
    if (implied && !names.includes(String(address))) state = withValue(state, path, implied(state, base, names));
  return { state, names, refused };
}

/** Any number as a reader can type it, NaN for an empty field. @type {Codec} */
export const number = { write: String, read: (text) => (String(Number(text)) === text ? Number(text) : undefined) };

/** @param {number} low @param {number} high @param {(value: unknown) => boolean} [is] @returns {Codec} */
export const between = (low, high, is = Number.isFinite) => ({
  write: String,
  read(text) {
    const value = Number(text);
    return String(value) === text && is(value) && value >= low && value <= high ? value : undefined;
  },
});

/** @type {Codec} */
export const flag = {
  write: (value) => (value ? '1' : '0'),
  read: (text) => (text === '1' || text === '0' ? text === '1' : undefined),
};

/** @param {readonly unknown[]} options @returns {Codec} */
export const oneOf = (...options) => ({ write: String, read: (text) => options.find((each) => String(each) === text) });

/** @param {number} low @param {number} high @returns {Codec} */
export const integer = (low, high) => ({
  write: String,
  read(text) {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : NaN;
    return value >= low && value <= high ? value : undefined;
  },
});

/** @param {RegExp} form @returns {Codec} */
export const matching = (form) => ({ write: String, read: (text) => (form.test(text) ? text : undefined) });

const LONGEST_LIST = 512;

/** A list of whole numbers. @type {Codec} */
export const integers = {
  write: (value) => value.join('.'),
  read: (text) =>
    /^(\d{1,7}(\.\d{1,7})*)?$/.test(text) && text.split('.').length <= LONGEST_LIST
      ? text.split('.').filter(Boolean).map(Number)
      : undefined,
};

/** A list of objects as JSON. @param {(value: any) => boolean} isValid of each @returns {Codec} */
export const listOf = (isValid) => ({
  write: (value) => JSON.stringify(value),
  read(text) {
    try {
      const found = JSON.parse(text);
      const fits = Array.isArray(found) && found.length <= LONGEST_LIST;
      return fits && found.every((each) => typeof each === 'object' && each !== null && isValid(each))
        ? found
        : undefined;
    } catch {
      return undefined;
    }
  },
});

/** Of a key that may be empty. @param {Codec} codec @returns {Codec} */
export const nullable = (codec) => ({
  write: (value) => (value === null ? '' : codec.write(value)),
  read: (text) => (text === '' ? null : codec.read(text)),
});
