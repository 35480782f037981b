// Writes the package's one-page reference from the built types: node src/tools/reference.mjs OUT.md. Each entry lists
// its exports: the signature, and the first sentence of the comment. Examples stay with the types.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { posix } from 'node:path';
import { parse } from './types/parse.mjs';

const { exports } = JSON.parse(readFileSync('package.json', 'utf8'));
const LONGEST = 90;

/** @param {string} comment @returns {string} its first sentence */
function first(comment) {
  const [words] = comment
    .replace(/\*\/\s*$/, '')
    .replace(/^\s*(\/\*\*|\* ?)/gm, ' ')
    .split(/^\s*@|\s@\w/m);
  const text = words.replace(/\s+/g, ' ').trim();
  return /^.*?[.:](?= [A-Z`]|$)/.exec(text)?.[0] ?? text;
}

/** The signature, or the name alone where that is long. @param {string} text of the declaration */
function short(text) {
  const call = text
    .replace(/\/\*\*[^]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/^(export declare )?(function |const |get )?|;$/g, '')
    .replace(/^(\w+)\(\)(?=: )/, text.startsWith('get ') ? '$1' : '$&');
  const [name] = /^(class )?\w+/.exec(call) ?? [call];
  const whole = call.length <= LONGEST && call.split(/[({[]/).length === call.split(/[)}\]]/).length;
  return whole ? call : `${name}${/^\w+[(<]/.test(call) ? '(…)' : ''}`;
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

const MEMBER =
  /((?:^ {4}\/\*\*(?:(?!\*\/)[^])*\*\/\n)?)^ {4}(?!private|static|set |constructor|\[)((?:get )?\w+[^]*?;)$/gm;

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
      for (const [, words, member] of text.matchAll(MEMBER)) {
        const line = `  - \`${short(member)}\` ${first(words)}`.trimEnd();
        if (!lines.includes(line)) lines.push(line); // one for all ways to call it that are too long
      }
    }
  }
}
writeFileSync(process.argv[2], `${lines.join('\n')}\n`);
