// Reads the settings that the C core declares and writes them for JavaScript:
// node src/tools/settings.mjs OUT.js        at the top of the source tree
//
// The tables CONFIG_FIELDS (src/model/config.h) and TRAINER_FIELDS (src/train/settings.h) hold each
// setting's name, type, default, range, choices, labels and documentation. The output is a module
// with these rows as data (MODEL, TRAINER), for the page, and with JSDoc types, which the package
// imports as types only: the running package reads the same rows from the WebAssembly module.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const COLUMNS = ['field', 'name', 'type', 'fallback', 'low', 'high', 'choices', 'label', 'labels', 'doc'];
const TEXTS = ['name', 'choices', 'label', 'labels', 'doc'];

/**
 * @typedef {{name: string, type: 'i' | 'b' | 'c' | 'f', choices: string[], labels: string[], label: string,
 *   low: number, high: number, fallback: number, doc: string}} Setting
 */

/** The tables of a source tree. @param {string} root @returns {{model: Setting[], trainer: Setting[]}} */
export function readHeaders(root) {
  const table = (/** @type {string} */ path, /** @type {string} */ macro) => {
    const { text, constants } = readHeader(join(root, path));
    return parseTable(text, macro, constants, path);
  };
  return {
    model: table('src/model/config.h', 'CONFIG_FIELDS'),
    trainer: table('src/train/settings.h', 'TRAINER_FIELDS'),
  };
}

/**
 * A header without comments, and the numbers that it and its own includes name by #define or enum.
 * @param {string} path
 * @param {Map<string, number>} [constants]
 * @param {Set<string>} [seen]
 */
function readHeader(path, constants = new Map(), seen = new Set()) {
  const text = withoutComments(readFileSync(path, 'utf8'));
  seen.add(path);
  for (const [, name] of text.matchAll(/^#include "(.*)"/gm)) {
    const other = join(dirname(path), name);
    if (!seen.has(other)) readHeader(other, constants, seen);
  }
  for (const [, name, number] of text.matchAll(/^#define (\w+) \(?(-?[\d.]+)\)?$/gm))
    constants.set(name, Number(number));
  for (const [, body] of text.matchAll(/\benum\b[^{;]*\{([^}]*)\}/g)) {
    let next = 0;
    for (const item of body.split(',')) {
      const [name, value] = item.split('=').map((part) => part.trim());
      if (!/^\w+$/.test(name)) continue; // after a last comma, or a list that a macro makes
      next = value === undefined ? next : (constants.get(value) ?? Number(value));
      constants.set(name, next++);
    }
  }
  return { text, constants };
}

/** Comments become a space, strings stay. @param {string} text */
const withoutComments = (text) =>
  text.replace(/"(?:\\.|[^"\\\n])*"|\/\*[^]*?\*\/|\/\/.*/g, (match) => (match[0] === '/' ? ' ' : match));

/**
 * The rows of one table.
 * @param {string} text a header without comments
 * @param {string} macro
 * @param {Map<string, number>} constants
 * @param {string} path for messages
 * @returns {Setting[]}
 */
export function parseTable(text, macro, constants, path) {
  const fail = (/** @type {string} */ why) => {
    throw new Error(`${path}: ${macro}: ${why}`);
  };
  const body = text
    .replaceAll('\\\n', '\n')
    .split(new RegExp(`#define ${macro}\\(X\\)`))[1]
    ?.split(/\n\s*(?:\n|#)/)[0];
  if (body === undefined) return fail('no such table');
  const rows = splitRows(body, fail).map((columns) => readRow(columns, constants, fail));
  if (!rows.length) fail('no rows');
  const twice = rows.find(({ name }, i) => rows.findIndex((row) => row.name === name) < i);
  if (twice) fail(`row "${twice.name}" stands there twice`);
  return rows;
}

/**
 * X(a, "b" "c", d) X(...) as lists of columns.
 * @param {string} body
 * @param {(why: string) => never} fail
 */
function splitRows(body, fail) {
  /** @type {string[][]} */
  const rows = [];
  const tokens = body.match(/"(?:\\.|[^"\\])*"|[(),]|[^\s"(),]+/g) ?? [];
  for (let at = 0; at < tokens.length;) {
    if (tokens[at] !== 'X' || tokens[at + 1] !== '(') fail(`X( expected at ${tokens.slice(at, at + 4).join(' ')}`);
    const end = tokens.indexOf(')', at);
    if (end < 0) fail(`no ) ends the row ${tokens.slice(at, at + 4).join(' ')}`);
    const columns = [''];
    for (const token of tokens.slice(at + 2, end)) {
      if (token === ',') columns.push('');
      else columns[columns.length - 1] += ` ${token}`;
    }
    rows.push(columns.map((column) => column.trim()));
    at = end + 1;
  }
  return rows;
}

/**
 * @param {string[]} columns
 * @param {Map<string, number>} constants
 * @param {(why: string) => never} fail
 * @returns {Setting}
 */
function readRow(columns, constants, fail) {
  const no = (/** @type {string} */ why) => fail(`row ${columns[1] ?? columns[0]}: ${why}`);
  if (columns.length !== COLUMNS.length) no(`${columns.length} columns, needed are ${COLUMNS.join(', ')}`);
  const row = Object.fromEntries(COLUMNS.map((name, i) => [name, columns[i]]));
  const [name, choices, label, labels, doc] = TEXTS.map((column) => stringOf(row[column], column, no));
  const [fallback, low, high] = ['fallback', 'low', 'high'].map((column) =>
    numberOf(row[column], column, constants, no),
  );
  const list = (/** @type {string} */ text) => (text === '' ? [] : text.split('|'));
  const setting = {
    name,
    type: row.type,
    choices: list(choices),
    labels: list(labels),
    label,
    low,
    high,
    fallback,
    doc,
  };
  checkRow(setting, no);
  return /** @type {Setting} */ (setting);
}

/**
 * @param {Omit<Setting, 'type'> & {type: string}} setting
 * @param {(why: string) => never} no
 */
function checkRow({ name, type, choices, labels, label, low, high, fallback, doc }, no) {
  if (!/^[a-z]\w*$/i.test(name)) no('name must be an identifier');
  if (!['i', 'b', 'c', 'f'].includes(type)) no(`type must be i, b, c or f, got ${type}`);
  if (!label || !doc) no('label and documentation must not be empty');
  if (/\*\/|[{}\n]/.test(doc)) no('documentation must not hold */, { or }');
  if (!(low <= fallback && fallback <= high)) no(`default ${fallback} is outside ${low}..${high}`);
  if (type === 'b' && (low !== 0 || high !== 1)) no('the range of a boolean is 0..1');
  if ((type === 'c') !== choices.length > 0) no(type === 'c' ? 'no choices' : 'only type c has choices');
  if (choices.some((choice) => !/^[a-z][\w-]*$/i.test(choice))) no('a choice must be letters, digits and hyphens');
  if (new Set(choices).size < choices.length) no('a choice stands there twice');
  if (labels.length !== choices.length || labels.includes('')) no(`${choices.length} choices, ${labels.length} labels`);
  if (type === 'c' && (low !== 0 || high !== choices.length - 1))
    no(`${choices.length} choices, but the range is ${low}..${high}`);
}

/**
 * Adjacent string literals as one string.
 * @param {string} column
 * @param {string} name
 * @param {(why: string) => never} no
 */
function stringOf(column, name, no) {
  if (!/^"(?:\\.|[^"\\])*"(?: "(?:\\.|[^"\\])*")*$/.test(column))
    no(`${name} must be a string, got ${column || 'nothing'}`);
  return column.replace(/" "/g, '').slice(1, -1).replace(/\\(.)/g, '$1');
}

/**
 * A sum of numbers and constants.
 * @param {string} column
 * @param {string} name
 * @param {Map<string, number>} constants
 * @param {(why: string) => never} no
 */
function numberOf(column, name, constants, no) {
  if (!/^-?[\w.]+(?:(?<=e)-\d+)?(?: [-+] [\w.]+)*$/.test(column))
    no(`${name} must be a number, got ${column || 'nothing'}`);
  let sign = 1;
  let sum = 0;
  for (const term of column.split(' ')) {
    if (term === '+' || term === '-') {
      sign = term === '-' ? -1 : 1;
      continue;
    }
    const value = constants.get(term) ?? Number(term);
    if (Number.isNaN(value)) no(`${name}: ${term} is not defined`);
    sum += sign * value;
  }
  return sum;
}

// ---- the module

/** @param {string} name activation -> Activation */
const typeName = (name) => name[0].toUpperCase() + name.slice(1);

/** @param {Setting} setting */
const typeOf = ({ name, type }) => ({ c: typeName(name), b: 'boolean', i: 'number', f: 'number' })[type];

/** @param {Setting} setting as a user writes it */
function defaultOf({ type, choices, fallback }) {
  return type === 'c' ? `'${choices[fallback]}'` : type === 'b' ? String(fallback === 1) : String(fallback);
}

/** @param {Setting} setting */
const rangeOf = ({ type, low, high }) => (type === 'i' || type === 'f' ? `; ${low} to ${high}` : '');

/**
 * @param {string} name
 * @param {string} what
 * @param {Setting[]} rows
 * @param {boolean} optional
 */
function typedef(name, what, rows, optional) {
  const lines = rows.map((row) => {
    const key = optional ? `[${row.name}]` : row.name;
    return ` * @property {${typeOf(row)}} ${key} ${row.doc}${rangeOf(row)} [${defaultOf(row)}]`;
  });
  return ['/**', ` * ${what}`, ` * @typedef {object} ${name}`, ...lines, ' */'].join('\n');
}

/** @param {Setting} row */
function choicesType({ name, choices, label }) {
  return `/** ${label}. @typedef {${choices.map((choice) => `'${choice}'`).join(' | ')}} ${typeName(name)} */`;
}

/** @param {string} name @param {string} what @param {Setting[]} rows */
function data(name, what, rows) {
  const lines = rows.map(({ doc: _doc, ...row }) => `  ${JSON.stringify(row)},`).join('\n');
  return `/** ${what} @type {readonly Setting[]} */\nexport const ${name} = [\n${lines}\n];`;
}

/**
 * The same, each row also by its name, so that a page loads only those that it asks for.
 * @param {string} name
 * @param {string} what
 * @param {Setting[]} rows
 */
const namedData = (name, what, rows) =>
  [
    ...rows.map(
      ({ doc: _doc, ...row }) => `/** @type {Setting} */\nexport const ${row.name} = ${JSON.stringify(row)};`,
    ),
    `/** ${what} @type {readonly Setting[]} */\nexport const ${name} = [${rows.map((row) => row.name).join(', ')}];`,
  ].join('\n\n');

/**
 * The documentation apart, so that users who do not show it need not load it.
 * @param {string} name
 * @param {Setting[]} rows
 */
const docs = (name, rows) =>
  `/** One line on each, by name. @type {Record<string, string>} */\nexport const ${name} = ${JSON.stringify(
    Object.fromEntries(rows.map((row) => [row.name, row.doc])),
    null,
    2,
  )};`;

/**
 * The text of the module.
 * @param {{model: Setting[], trainer: Setting[]}} tables
 * @returns {string}
 */
export function moduleOf({ model, trainer }) {
  const kinds = [...model, ...trainer].filter(({ type }) => type === 'c');
  const twice = kinds.find(({ name }, i) => kinds.findIndex((other) => other.name === name) < i);
  if (twice) throw new Error(`two settings with choices are called ${twice.name}: their types would be, too`);
  return `${[
    '// Made by src/tools/settings.mjs from src/model/config.h and src/train/settings.h.',
    `/**
 * One setting as the C core declares it. \`type\` i integer, b boolean, c choice, f float; \`fallback\`, the
 * default, is the index of a choice, 0 or 1 for a boolean; \`labels\` name the choices, \`label\` the
 * setting in a user interface.
 * @typedef {{name: string, type: 'i' | 'b' | 'c' | 'f', choices: readonly string[], labels: readonly string[],
 *   label: string, low: number, high: number, fallback: number}} Setting
 */`,
    ...kinds.map(choicesType),
    typedef('Config', 'A complete configuration of a model. Defaults in brackets.', model, false),
    typedef('TrainerOptions', 'Settings of a trainer. Defaults in brackets.', trainer, true),
    namedData('MODEL', 'The settings of a model; defaults are those of the first kind.', model),
    data('TRAINER', 'The settings of a trainer.', trainer),
    docs('MODEL_DOCS', model),
    docs('TRAINER_DOCS', trainer),
  ].join('\n\n')}\n`;
}

if (process.argv[1] && basename(process.argv[1]) === 'settings.mjs') {
  const [, , output] = process.argv;
  mkdirSync(dirname(output), { recursive: true });
  writeFileSync(output, moduleOf(readHeaders('.')));
}
