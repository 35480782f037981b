// Writes the package's one-page reference from the built types: node src/tools/reference.mjs OUT.md. Each entry lists
// its exports: each signature, and the first sentence of the comment; behind them the options that signatures name,
// each with all that its comment says. Examples stay with the types.
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { posix } from 'node:path';
import { parse } from './types/parse.mjs';

const { exports } = JSON.parse(readFileSync('package.json', 'utf8'));
/** Of what is no call: a table of a module's own. */
const LONGEST = 90;
/** Beyond it a result that has no name, as that of the makers of tasks, is not written out. */
const LONGEST_CALL = 400;

/** @param {string} comment @returns {string} its words before the first tag, in one line */
function words(comment) {
  const [text] = comment
    .replace(/\*\/\s*$/, '')
    .replace(/^\s*(\/\*\*|\* ?)/gm, ' ')
    .split(/^\s*@|\s@\w/m);
  return text.replace(/\s+/g, ' ').trim();
}

/** @param {string} comment @returns {string} its first sentence */
const first = (comment) => /^.*?[.:](?= [A-Z`]|$)/.exec(words(comment))?.[0] ?? words(comment);

/** The signature, whole; of a long constant the name. @param {string} text of the declaration */
function short(text) {
  const call = text
    .replace(/\/\*\*[^]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/^(export declare )?(function |const |get )?|;$/g, '')
    .replace(/^(\w+)\(\)(?=: )/, text.startsWith('get ') ? '$1' : '$&');
  const [name] = /^(class )?\w+/.exec(call) ?? [call];
  const whole = call.split(/[({[]/).length === call.split(/[)}\]]/).length;
  if (!whole || !(call.length <= LONGEST || /^\w+[(<]/.test(call))) return name;
  return call.length <= LONGEST_CALL ? call : call.replace(/\): \{.*\}$/, '): { … }');
}

/** @type {Map<string, Map<string, import('./types/parse.mjs').Statement[]>>} by file */
const files = new Map();

/** Statements by name, of a file and of those that it hands on. @param {string} path */
function exported(path) {
  const known = files.get(path);
  if (known) return known;
  /** @type {Map<string, import('./types/parse.mjs').Statement[]>} */
  const found = new Map();
  files.set(path, found);
  if (!existsSync(path)) return found;
  const statements = parse(readFileSync(path, 'utf8'));
  for (const one of statements) {
    if (one.from?.startsWith('.') && one.exported) {
      const there = exported(posix.join(posix.dirname(path), one.from.replace(/\.js$/, '.d.ts')));
      for (const { here, there: name } of one.bindings ?? [])
        for (const [key, list] of there) if (name === '*' || name === key) found.set(name === '*' ? key : here, list);
    } else if (/^export declare/.test(one.text)) {
      for (const name of one.names) found.set(name, [...(found.get(name) ?? []), one]);
    }
  }
  return found;
}

/** A member of a class or a field of options with its comment: until a line ends that nothing further in goes on. */
function member(/** @type {string} */ start) {
  const indent = '^(?: {4}| {2})';
  const comment = `((?:${indent}/\\*\\*(?:(?!\\*/)[^])*\\*/\\n)?)`;
  return new RegExp(`${comment}${indent}(${start}[^]*?);$(?=\\n {2,4}[^\\s})\\]]|\\n[}]|\\n*$(?![^]))`, 'gm');
}
const MEMBER = member('(?!private|protected|static|set |constructor|\\[)(?:get )?\\w+');
const FIELD = member('\\w+\\??: ');

const lines = [
  '# Reference',
  '',
  'Every entry, what it exports and how it is called; the types say all, with examples.',
];
/** Exports that an earlier entry has shown. @type {Map<unknown, string>} */
const shown = new Map();
for (const [entry, target] of Object.entries(exports)) {
  const { types, default: script } = target;
  if (!types || !/\.js$/.test(script)) continue;
  const name = posix.join('glassformer', entry);
  const all = [...exported(posix.normalize(types)).values()];
  if (all.length) lines.push('', `## ${name}`, '');
  for (const overloads of all) {
    const comments = overloads.map(({ comment }) => comment);
    for (const { comment, text } of overloads) {
      const before = shown.get(text);
      shown.set(text, before ?? name);
      const isClass = /^export declare class/.test(text);
      const head = isClass ? text.replace(/^(export declare class \w+)[^]*/, '$1') : text;
      const said = before ? `as in ${before}` : [comment, ...comments].map(first).find(Boolean);
      lines.push(`- \`${short(head)}\` ${said ?? ''}`.trimEnd());
      if (before || !isClass) continue;
      for (const [, about, method] of text.matchAll(MEMBER))
        lines.push(`  - \`${short(method)}\` ${first(about)}`.trimEnd());
    }
  }
}

/** The types that hold options, by name. @type {Map<string, string>} */
const tables = new Map();
const [types] = /^.*?\/types\//.exec(posix.normalize(exports['.'].types)) ?? [''];
for (const path of readdirSync(types, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.d.ts')))
  for (const { text, names } of parse(readFileSync(posix.join(types, path), 'utf8')))
    if (/^export (type|interface) /.test(text)) tables.set(names[0], text);
const bare = (/** @type {string} */ text) => text.replace(/\/\*\*[^]*?\*\//g, '').replace(/\s+/g, ' ');
/** `A extends B` or `A = B & C`: a type's head. @param {string} text */
const headOf = (text) => bare(text).replace(/^export (type|interface) | ?=? ?[{].*| ?;$/g, '');
/** Types of options and of what else a reader writes. @param {string} text */
const optionsIn = (text) =>
  text.match(/\b(\w+Options|Adapters|Frozen|Shards|Labels|SpanBatch|Message|MatrixInput)\b/g) ?? [];
const queue = new Set(optionsIn(lines.join('\n'))); // grows while it is read: options name others
lines.push('', '## Options', '', 'The options that signatures name, and those that these take over.');
for (const name of queue) {
  const text = tables.get(name);
  if (!text) continue;
  const head = headOf(text);
  for (const each of [...optionsIn(text), ...(head.match(/\b[A-Z]\w+/g) ?? [])]) queue.add(each);
  lines.push('', `### ${head === name ? name : `\`${head}\``}`, '');
  for (const [, about, field] of text.matchAll(FIELD)) lines.push(`- \`${bare(field)}\` ${words(about)}`.trimEnd());
}
writeFileSync(process.argv[2], `${lines.join('\n')}\n`);
