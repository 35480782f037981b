// Makes the .d.ts files of the package: node src/js/types.mjs OUT ENTRY.js...     at the top of the source tree
//
// tsc writes one for each module, internals and all, loses what a typedef says of itself, and makes an alias of a
// class that is only handed on. Here they keep what a user can reach from the entries, with its comments, in words
// that TypeScript 5.0 knows and without the DOM's types where the sources name none.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { posix } from 'node:path';

/**
 * A statement at the top of a .d.ts file. `names`: what it declares; of an import or a re-export `from`, and
 * `bindings`: the name here and the name there ('*' for all).
 * @typedef {{comment: string, text: string, names: string[], exported: boolean, from?: string,
 *   bindings?: {here: string, there: string}[]}} Statement
 */

const COMMENT = /\/\*\*(?:(?!\*\/)[^])*\*\//g;
const WORD = /(?<![\w$.'"-])[A-Za-z_$][\w$]*(?!\??:|\(|[\w$])/g;
const ALIAS = /^export type (\w+)(?:<[^=]*(?:=[^=]*)?>)? = import\(['"]([^'"]+)['"]\)\.(\w+)(?:<[\w, ]*>)?;$/;

/** Names of types that no module declares, though a function may be called so. */
const KEYWORDS = new Set(['number', 'string', 'boolean', 'object', 'any']);

/** @param {string} text */
const withoutComments = (text) => text.replace(COMMENT, '').replace(/^\s*\/\/.*$/gm, '');

/**
 * What the comments with @typedef say of their types, by name.
 * @param {string} text
 * @returns {Map<string, string>}
 */
export function typedefComments(text) {
  const found = new Map();
  for (const [comment] of text.matchAll(COMMENT)) {
    if (!comment.includes('@typedef')) continue;
    const body = comment.slice(3, -2).replace(/^[ \t]*\*[ \t]?/gm, '');
    const tags = body.split(/^[ \t]*(?=@\w)|(?<=[.:;)]) (?=@typedef)/m).map((tag) => tag.trim());
    const lead = tags[0].startsWith('@') ? '' : tags.shift();
    let said = lead ?? '';
    for (const tag of tags.filter((one) => one.startsWith('@typedef'))) {
      const after = tag.slice(endOfType(tag)).trim();
      const [name] = /^\w+/.exec(after) ?? [''];
      const trail = after.slice(name.length).trim();
      const words = [said, trail].filter(Boolean).join('\n').trim();
      if (name && words) found.set(name, words);
      said = '';
    }
  }
  return found;
}

/** Where the {type} of a tag ends. @param {string} tag */
function endOfType(tag) {
  let depth = 0;
  for (let at = 0; at < tag.length; at++) {
    if (tag[at] === '{') depth++;
    if (tag[at] === '}' && --depth === 0) return at + 1;
  }
  return '@typedef'.length;
}

/**
 * A comment without the types, which the declaration has, and without tags that say nothing else.
 * @param {string} comment
 * @returns {string} '' where no word is left
 */
export function withoutTypes(comment) {
  let text = comment;
  for (let from = 0; ;) {
    const tag = /@(?:param|returns|type|template) (?=\{)/g;
    tag.lastIndex = from;
    if (!tag.exec(text)) break;
    from = tag.lastIndex;
    const rest = text
      .slice(from)
      .slice(endOfType(text.slice(from)))
      .replace(/^[ \t]*(?:\n[ \t]*\*(?=[ \t]*[^@\s/]))?[ \t]*/, '');
    text = text.slice(0, from) + rest;
  }
  text = text
    .replace(/@type\b[ \t]*/g, '')
    .replace(/^([ \t]*)\* @(?:returns|template(?: const)? \w+|param \S+)[ \t]*\n/gm, '')
    .replace(/@returns[ \t]*(?=\*\/)/, '');
  return /[^\s*/]/.test(text) ? text : '';
}

/** @param {string} words */
const asComment = (words) =>
  words.includes('\n') ? `/**\n${words.replace(/^/gm, ' * ').replace(/ +$/gm, '')}\n */` : `/** ${words} */`;

/**
 * @param {string} text of a .d.ts file
 * @param {string} [source] of the JavaScript that it was made of
 * @returns {Statement[]}
 */
export function parse(text, source = '') {
  const said = typedefComments(source);
  /** @type {Statement[]} */
  const statements = [];
  const lines = text.split('\n');
  for (let at = 0; at < lines.length;) {
    let comment = '';
    for (;;) {
      while (at < lines.length && !lines[at].trim()) at++;
      if (/^\s*\/\*/.test(lines[at] ?? '')) {
        const from = at;
        while (!lines[at].includes('*/')) at++;
        const block = lines.slice(from, ++at).join('\n');
        if (/@module|@packageDocumentation/.test(block)) statements.push(statementOf(block, '', said));
        else if (!/@(typedef|import)\b/.test(block)) comment = block;
      } else if (/^\s*\/\//.test(lines[at] ?? '')) comment = lines[at++];
      else break;
    }
    if (at >= lines.length) break;
    const from = at;
    let depth = 0;
    let inside = false; // a comment
    do {
      const line = lines[at++];
      const opens = line.includes('/**');
      if (!inside && !opens) depth += (line.match(/[{([]/g)?.length ?? 0) - (line.match(/[})\]]/g)?.length ?? 0);
      inside = (inside || opens) && !line.includes('*/');
    } while (at < lines.length && (inside || depth > 0 || !/[;}]\s*$/.test(lines[at - 1])));
    statements.push(statementOf(comment, lines.slice(from, at).join('\n'), said));
  }
  return statements.flatMap(splitAlias);
}

/**
 * @param {string} comment
 * @param {string} text
 * @param {Map<string, string>} said
 * @returns {Statement}
 */
function statementOf(comment, text, said) {
  const link = /^(import|export)(?: type)? (?:\{([^]*)\}|(\*)) from ['"]([^'"]+)['"];$/.exec(text);
  if (link) {
    const bindings = link[3]
      ? [{ here: '*', there: '*' }]
      : link[2]
          .split(',')
          .map((one) =>
            one
              .trim()
              .replace(/^type /, '')
              .split(' as '),
          )
          .filter(([one]) => one)
          .map(([there, here = there]) => ({ here, there }));
    return { comment, text, names: [], exported: link[1] === 'export', from: link[4], bindings };
  }
  const list = /^export (?:type )?\{([^]*)\};$/.exec(text);
  if (list) {
    const names = list[1].split(',').map((one) => one.trim());
    return { comment, text, names: names.filter(Boolean), exported: true };
  }
  const named = /^(?:export )?(?:declare )?(?:abstract )?(?:type|interface|class|const|function|let|enum) (\w+)/.exec(
    text,
  );
  const words = named && text.startsWith('export type') && said.get(named[1]);
  return {
    comment: words ? asComment(words) : comment,
    text: hideConstructor(text)
      // TypeScript before 5.7 knows no kinds of buffers.
      .replace(/\b(\w+Array)<ArrayBuffer>/g, 'ReturnType<typeof $1.of>')
      .replace(/\b(\w+Array)<ArrayBufferLike>/g, '$1'),
    names: named ? [named[1]] : [],
    exported: text.startsWith('export '),
  };
}

/** Who has a class only as the type of what functions return shall not construct it. @param {string} text */
const hideConstructor = (text) =>
  text.replace(
    /^([ \t]*)(?:\/\*\*(?:(?!\*\/)[^])*?@internal(?:(?!\*\/)[^])*\*\/)\s*constructor\([^]*?\);$/gm,
    '$1private constructor();',
  );

/**
 * `export type A = import('x').B` loses that B is a class, and its comment.
 * @param {Statement} statement
 * @returns {Statement[]}
 */
function splitAlias(statement) {
  const alias = ALIAS.exec(statement.text);
  if (!alias) return [statement];
  const [, here, from, there] = alias;
  return [
    { comment: '', text: '', names: [], exported: false, from, bindings: [{ here, there }] },
    { comment: '', text: `export type { ${here} };`, names: [here], exported: true },
  ];
}

/**
 * What is reached from the entries.
 * @param {Map<string, Statement[]>} files by path
 * @param {string[]} entries
 * @returns {Map<string, string>} texts by path
 */
export function reached(files, entries) {
  /** @type {Map<string, Set<string>>} names in use, by file */
  const used = new Map();
  const target = (/** @type {string} */ file, /** @type {string} */ from) =>
    posix.join(posix.dirname(file), from.replace(/\.js$/, '.d.ts'));

  /** @param {string} file @param {string} name @returns {boolean} whether the file has it */
  function mark(file, name) {
    const statements = files.get(file);
    if (!statements) throw new Error(`types: ${file} is missing (${name})`);
    let names = used.get(file);
    if (!names) {
      used.set(file, (names = new Set()));
      for (const one of statements) if (/^declare (global|module)/.test(one.text)) follow(file, one);
    }
    if (names.has(name)) return true;
    let found = false;
    for (const one of statements) {
      const binding = one.bindings?.find(({ here }) => here === name);
      if (!one.names.includes(name) && !binding) continue;
      found = true;
      names.add(name);
      if (binding && one.from?.startsWith('.')) {
        if (!mark(target(file, one.from), binding.there)) throw new Error(`types: ${one.from} has no ${binding.there}`);
      } else follow(file, one);
    }
    for (const { bindings, from } of statements) {
      if (found || bindings?.[0]?.here !== '*' || !from) continue;
      found = mark(target(file, from), name);
    }
    return found;
  }

  /** @param {string} file @param {Statement} statement */
  function follow(file, { text }) {
    const bare = withoutComments(text);
    for (const [, from, name] of bare.matchAll(/import\(['"]([^'"]+)['"]\)\.(\w+)/g)) mark(target(file, from), name);
    const local = new Set(
      (files.get(file) ?? []).flatMap(({ names, bindings }) => [...names, ...(bindings ?? []).map(({ here }) => here)]),
    );
    for (const [word] of bare.matchAll(WORD)) if (local.has(word) && !KEYWORDS.has(word)) mark(file, word);
  }

  for (const entry of entries) {
    for (const one of files.get(entry) ?? []) {
      if (!one.exported) continue;
      for (const name of [...one.names, ...(one.bindings ?? []).map(({ here }) => here)]) {
        if (name !== '*') mark(entry, name);
        else if (one.from) for (const all of exportsOf(files, target(entry, one.from))) mark(entry, all);
      }
    }
  }
  return new Map([...used].map(([file, names]) => [file, print(files.get(file) ?? [], names)]));
}

/** @param {Map<string, Statement[]>} files @param {string} file @returns {string[]} */
const exportsOf = (files, file) =>
  (files.get(file) ?? [])
    .filter(({ exported }) => exported)
    .flatMap(({ names, bindings }) => [...names, ...(bindings ?? []).map(({ here }) => here)])
    .filter((name) => name !== '*');

/**
 * @param {Statement[]} statements
 * @param {Set<string>} used
 */
function print(statements, used) {
  const parts = statements.flatMap((one) => {
    const { comment, text, names, bindings, from, exported } = one;
    if (!text && !from) return [comment]; // of the module
    if (bindings) {
      if (bindings[0]?.here === '*') return [text];
      const kept = bindings.filter(({ here }) => used.has(here));
      if (!kept.length) return [];
      const list = kept.map(({ here, there }) => (here === there ? here : `${there} as ${here}`)).join(', ');
      const type = /^(import|export) type/.test(text) || !text ? ' type' : '';
      return [`${exported ? 'export' : 'import'}${type} { ${list} } from '${from}';`];
    }
    const kept = names.filter((name) => used.has(name));
    if (names.length ? !kept.length : !/^declare (global|module)/.test(text)) return [];
    if (/^export (type )?\{/.test(text)) return [`${/^export type/.exec(text) ?? 'export'} { ${kept.join(', ')} };`];
    return [comment ? `${comment}\n${text}` : text];
  });
  // An import of a module twice is one.
  const text = [...new Set(parts), 'export {};'].join('\n');
  return `${text.replace(COMMENT, withoutTypes).replace(/\n(?:[ \t]*\n)+/g, '\n')}\n`;
}

/** @param {string} out @param {string[]} entries */
function main(out, entries) {
  rmSync(out, { recursive: true, force: true });
  const written = ['src/js', 'src/tasks', 'web/elements', 'web/draw'].flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.d.ts'))
      .map((name) => `${folder}/${name}`),
  );
  const { status } = spawnSync(
    process.execPath,
    [
      'node_modules/typescript/bin/tsc',
      ...'--ignoreConfig --allowJs --declaration --emitDeclarationOnly --target es2022 --module esnext'.split(' '),
      ...'--moduleResolution bundler --lib esnext,dom,dom.iterable --rootDir .'.split(' '),
      ...['--outDir', out, ...entries, ...written],
    ],
    { stdio: 'inherit' },
  );
  if (status !== 0) process.exit(status ?? 1);
  for (const path of written) {
    mkdirSync(join(out, dirname(path)), { recursive: true });
    copyFileSync(path, join(out, path));
  }
  const paths = readdirSync(out, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.d.ts'));
  const sourceOf = (/** @type {string} */ path) => path.replace(/\.d\.ts$/, '.js');
  const read = (/** @type {string} */ path) => (existsSync(path) ? readFileSync(path, 'utf8') : '');
  const files = new Map(paths.map((path) => [path, parse(read(join(out, path)), read(sourceOf(path)))]));
  const texts = reached(
    files,
    entries.map((entry) => entry.replace(/\.js$/, '.d.ts')),
  );
  for (const path of paths) {
    const text = texts.get(path);
    if (text === undefined) rmSync(join(out, path));
    else writeFileSync(join(out, path), text);
  }
}

if (process.argv[1] && basename(process.argv[1]) === 'types.mjs') main(process.argv[2], process.argv.slice(3));
