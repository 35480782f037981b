// Finds the parts of the .d.ts files that the entries reach, and their text.
import { posix } from 'node:path';
import { COMMENT, withoutComments, withoutTypes } from './comments.mjs';

/**
 * @typedef {import('./parse.mjs').Statement} Statement
 * @typedef {{file: string, name: string}} Home a type or value by where it is declared
 * @typedef {{name: string, home: Home, type?: boolean}} Name what a file calls a type or value
 */

const WORD = /(?<![\w$.'"-])[A-Za-z_$][\w$]*(?!\??:|\(|[\w$])/g;
const INLINE = /\bimport\(['"](\.[^'"]+)['"]\)\.(\w+)/g;
const LIST = /^export (?:type )?\{/;
const GLOBAL = /^declare (?:global|module)\b/;
/** Names of types that no module declares, though a function may be called so. */
const KEYWORDS = new Set(['number', 'string', 'boolean', 'object', 'any']);

/** @param {string} text @returns {string[]} those that may name a type or value */
const wordsOf = (text) =>
  [...withoutComments(text).matchAll(WORD)].map(([word]) => word).filter((word) => !KEYWORDS.has(word));

/** @param {Home} a @param {Home} b */
const same = (a, b) => a.file === b.file && a.name === b.name;

/** @param {string} file @param {string} other */
function pathTo(file, other) {
  const path = posix.relative(posix.dirname(file), other.replace(/\.d\.ts$/, '.js'));
  return path.startsWith('.') ? path : `./${path}`;
}

/** @param {Statement} statement @param {string} name */
const declares = ({ names, text }, name) => names.includes(name) && !LIST.test(text);

/** Where each name of the files is declared. */
class Homes {
  #files;

  /** @param {Map<string, Statement[]>} files by path */
  constructor(files) {
    this.#files = files;
  }

  /** @param {string} file */
  statements(file) {
    const found = this.#files.get(file);
    if (!found) throw new Error(`types: there is no ${file}`);
    return found;
  }

  /** @param {Home} home */
  text({ file, name }) {
    return this.statements(file).find((one) => declares(one, name))?.text ?? '';
  }

  /** @param {Name} name */
  isType({ home }) {
    return /^(export )?(type|interface)\b/.test(this.text(home));
  }

  /** Resolves `import('from').name` within a file. @param {string} file @param {string} from @param {string} name */
  inline(file, from, name) {
    return this.of(posix.join(posix.dirname(file), from.replace(/\.js$/, '.d.ts')), name);
  }

  /** @param {string} file @param {string} name @returns {Home | null} null for a global name or another package's */
  of(file, name) {
    const statements = this.statements(file);
    if (statements.some((one) => declares(one, name))) return { file, name };
    for (const { from, bindings } of statements) {
      const binding = bindings?.find(({ here }) => here === name);
      if (binding) return from?.startsWith('.') ? this.inline(file, from, binding.there) : null;
    }
    for (const { from, bindings } of statements) {
      const home = bindings?.[0]?.here === '*' && from ? this.inline(file, from, name) : null;
      if (home) return home;
    }
    return null;
  }

  /** @param {string} file @returns {Name[]} */
  exports(file) {
    return this.statements(file).flatMap(({ exported, names, bindings, from = '', text }) => {
      if (!exported) return [];
      if (bindings?.[0]?.here === '*')
        return this.exports(posix.join(posix.dirname(file), from.replace(/\.js$/, '.d.ts')));
      const given = bindings ? bindings.map(({ here }) => here) : names;
      const type = /^export (type|interface)\b/.test(text);
      return given.flatMap((name) => {
        const home = this.of(file, name);
        return home ? [{ name, home, type }] : [];
      });
    });
  }

  /** Finds the types that a text of a file names. @param {string} file @param {string} text @returns {Home[]} */
  within(file, text) {
    const inline = [...withoutComments(text).matchAll(INLINE)].map(([, from, name]) => this.inline(file, from, name));
    return [...inline, ...wordsOf(text).map((word) => this.of(file, word))].filter((home) => home !== null);
  }

  /** Adds a name and all that its declaration needs. @param {Home} home @param {Home[]} seen */
  follow(home, seen) {
    if (seen.some((one) => same(one, home))) return;
    seen.push(home);
    for (const one of this.statements(home.file)) {
      if (!declares(one, home.name) && !GLOBAL.test(one.text)) continue;
      for (const each of this.within(home.file, one.text)) this.follow(each, seen);
    }
  }

  /** Adds to an entry's exports the types that these need. @param {string} entry @param {Home[]} seen */
  complete(entry, seen) {
    const given = this.exports(entry);
    for (const home of seen) {
      if (!/^export (type|interface|declare class) /.test(this.text(home))) continue;
      if (given.some((one) => same(one.home, home))) continue;
      const other = given.find(({ name }) => name === home.name);
      if (other && this.text(other.home) === this.text(home)) continue;
      if (other) throw new Error(`types: ${entry}: two are called ${home.name}: ${home.file}, ${other.home.file}`);
      given.push({ name: home.name, home, type: true });
    }
    return given;
  }
}

/**
 * Reduces declarations to those that the entries reach. Each entry also exports every type that its own names need.
 * @param {Map<string, Statement[]>} files by path
 * @param {string[]} entries
 * @returns {Map<string, string>} texts by path
 */
export function reached(files, entries) {
  const homes = new Homes(files);
  /** @type {Map<string, Set<string>>} names in use, by file */
  const used = new Map();
  /** @type {Map<string, Name[]>} */
  const exported = new Map();
  for (const entry of entries) {
    /** @type {Home[]} */
    const seen = [];
    for (const { home } of homes.exports(entry)) homes.follow(home, seen);
    if (!used.has(entry)) used.set(entry, new Set());
    for (const { file, name } of seen) used.set(file, (used.get(file) ?? new Set()).add(name));
    exported.set(entry, homes.complete(entry, seen));
  }
  return new Map([...used].map(([file, names]) => [file, print(homes, file, names, exported.get(file) ?? [])]));
}

/** @param {string} keyword @param {string} file @param {Name[]} list */
const links = (keyword, file, list) =>
  [...new Set(list.map(({ home }) => home.file))].map((from) => {
    const names = list
      .filter(({ home }) => home.file === from)
      .map(({ name, home }) => (name === home.name ? name : `${home.name} as ${name}`));
    return `${keyword} { ${[...new Set(names)].join(', ')} } from '${pathTo(file, from)}';`;
  });

/**
 * The text of a file.
 * @param {Homes} homes
 * @param {string} file
 * @param {Set<string>} names that are in use
 * @param {Name[]} exported
 */
function print(homes, file, names, exported) {
  const statements = homes.statements(file);
  const kept = statements.filter(
    (one) => one.names.some((name) => names.has(name) && declares(one, name)) || GLOBAL.test(one.text),
  );
  const about = statements.filter(({ text, from, comment }) => !text && !from && comment);
  /** @type {Name[]} types that are named by their file, imported where no name is in the way */
  const named = [];
  const texts = kept.map(({ comment, text }) => {
    const bare = text.replace(INLINE, (all, from, name) => {
      const home = homes.inline(file, from, name);
      if (!home) return all;
      const here = homes.of(file, home.name) ?? named.find((one) => one.name === home.name)?.home ?? home;
      if (here.file !== home.file) return `import('${pathTo(file, home.file)}').${home.name}`;
      if (home.file !== file) named.push({ name: home.name, home });
      return home.name;
    });
    return comment ? `${comment}\n${bare}` : bare;
  });
  const words = new Set(kept.flatMap(({ text }) => wordsOf(text)));
  const bound = statements.flatMap(({ bindings = [] }) => bindings.map(({ here }) => here));
  const imports = bound.flatMap((name) => {
    const home = words.has(name) ? homes.of(file, name) : null;
    return home ? [{ name, home }] : [];
  });
  imports.push(...named);
  const isType = (/** @type {Name} */ one) => one.type || homes.isType(one);
  const isValue = (/** @type {Name} */ one) => !isType(one);
  const out = exported.filter(({ home }) => home.file !== file);
  const text = [
    ...about.map(({ comment }) => comment),
    ...statements.flatMap(({ from, text }) => (from && !from.startsWith('.') ? [text] : [])),
    ...links('import', file, imports.filter(isValue)),
    ...links('import type', file, imports.filter(isType)),
    ...links('export', file, out.filter(isValue)),
    ...links('export type', file, out.filter(isType)),
    ...texts,
    'export {};',
  ].join('\n');
  return `${text.replace(COMMENT, withoutTypes).replace(/\n(?:[ \t]*\n)+/g, '\n')}\n`;
}
