// Makes the package's .d.ts files: node src/tools/types.mjs OUT ENTRY.js...     at the top of the source tree
//
// tsc writes one for each module, internals and all, loses what a typedef says of itself, and makes an alias of a
// class that is only handed on. Here they keep what a user can reach from the entries, with its comments, in words
// that TypeScript 5.0 knows and without the DOM's types where the sources name none.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';

/**
 * A statement at the top of a .d.ts file. `names`: what it declares; of an import or a re-export `from`, and
 * `bindings`: the name here and the name there ('*' for all).
 * @typedef {{comment: string, text: string, names: string[], exported: boolean, from?: string,
 *   bindings?: {here: string, there: string}[]}} Statement
 * @typedef {{file: string, name: string}} Home a type or value by where it is declared
 */

const COMMENT = /\/\*\*(?:(?!\*\/)[^])*\*\//g;
const WORD = /(?<![\w$.'"-])[A-Za-z_$][\w$]*(?!\??:|\(|[\w$])/g;
const ALIAS = /^export type (\w+)(?:<[^=]*(?:=[^=]*)?>)? = import\(['"]([^'"]+)['"]\)\.(\w+)(?:<[\w, ]*>)?;$/;

const INLINE = /\bimport\(['"](\.[^'"]+)['"]\)\.(\w+)/g;
const LIST = /^export (?:type )?\{/;
const GLOBAL = /^declare (?:global|module)\b/;
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
    const tag = /@(?:param|returns|type|template|satisfies) (?=\{)/g;
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
    .replace(/@(?:type|satisfies)\b[ \t]*/g, '')
    .replace(/^([ \t]*)\* @(?:returns|template(?: const)? \w+|param \S+)[ \t]*\n(?=[ \t]*\*(?:\/|[ \t]*@))/gm, '')
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
  // import type * as A from 'x': A.B becomes import('x').B.
  for (const [line, space, from] of text.matchAll(/^import type \* as (\w+) from ['"](.*)['"];\n/gm)) {
    text = text.replace(line, '').replace(new RegExp(`(?<![\\w.])${space}\\.(?=\\w)`, 'g'), `import('${from}').`);
  }
  const [about = ''] = (source || text).match(COMMENT) ?? [];
  const statements = about.includes('@module') ? [statementOf(about, '', said)] : [];
  const lines = text.split('\n');
  for (let at = 0; at < lines.length;) {
    let comment = '';
    for (;;) {
      while (at < lines.length && !lines[at].trim()) at++;
      if (/^\s*\/\*/.test(lines[at] ?? '')) {
        const from = at;
        while (!lines[at].includes('*/')) at++;
        const block = lines.slice(from, ++at).join('\n');
        if (!/@(typedef|import|module)\b/.test(block)) comment = block;
      } else if (/^\s*\/\//.test(lines[at] ?? '')) comment = lines[at++];
      else break;
    }
    if (at >= lines.length) break;
    const from = at;
    let [depth, inside] = [0, false]; // a comment
    do {
      const line = lines[at++];
      const opens = line.includes('/**');
      if (!inside && !opens) depth += (line.match(/[{([]/g)?.length ?? 0) - (line.match(/[})\]]/g)?.length ?? 0);
      inside = (inside || opens) && !line.includes('*/');
    } while (
      at < lines.length &&
      (inside || depth > 0 || !/[;}]\s*$/.test(lines[at - 1]) || /^\s*[?:|&]/.test(lines[at]))
    );
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
 * What is reached from the entries, each type by its name: what an entry does not export itself is added.
 * @param {Map<string, Statement[]>} files by path
 * @param {string[]} entries
 * @returns {Map<string, string>} texts by path
 */
export function reached(files, entries) {
  const target = (/** @type {string} */ file, /** @type {string} */ from) =>
    posix.join(posix.dirname(file), from.replace(/\.js$/, '.d.ts'));
  const statementsOf = (/** @type {string} */ file) => {
    const found = files.get(file);
    if (!found) throw new Error(`types: there is no ${file}`);
    return found;
  };
  const declares = ({ names, text }, /** @type {string} */ name) => names.includes(name) && !LIST.test(text);

  const textOf = (/** @type {Home} */ { file, name }) =>
    statementsOf(file).find((one) => declares(one, name))?.text ?? '';

  /** @param {string} file @param {string} name @returns {Home | null} null for a global name or another package's */
  function homeOf(file, name) {
    const statements = statementsOf(file);
    if (statements.some((one) => declares(one, name))) return { file, name };
    for (const { from, bindings } of statements) {
      const binding = bindings?.find(({ here }) => here === name);
      if (binding) return from?.startsWith('.') ? homeOf(target(file, from), binding.there) : null;
    }
    for (const { from, bindings } of statements) {
      const home = bindings?.[0]?.here === '*' && from ? homeOf(target(file, from), name) : null;
      if (home) return home;
    }
    return null;
  }

  /** @param {string} file @returns {{name: string, home: Home, type: boolean}[]} */
  function exportsOf(file) {
    const all = statementsOf(file).flatMap(({ exported, names, bindings, from, text }) => {
      if (!exported) return [];
      if (bindings?.[0]?.here === '*') return exportsOf(target(file, from ?? ''));
      const given = bindings ? bindings.map(({ here }) => here) : names;
      const type = /^export (type|interface)\b/.test(text);
      return given.flatMap((name) => ({ name, home: homeOf(file, name), type }));
    });
    return /** @type {any} */ (all.filter(({ home }) => home));
  }

  /** @param {string} file @param {string} text @returns {Home[]} */
  function homesIn(file, text) {
    const bare = withoutComments(text);
    const inline = [...bare.matchAll(INLINE)].map(([, from, name]) => homeOf(target(file, from), name));
    const words = [...bare.matchAll(WORD)].map(([word]) => (KEYWORDS.has(word) ? null : homeOf(file, word)));
    return [...inline, ...words].filter((home) => home !== null);
  }

  /** @type {Map<string, Set<string>>} names in use, by file */
  const used = new Map();
  /** @param {Home} home @param {Home[]} seen */
  function follow({ file, name }, seen) {
    if (seen.some((one) => one.file === file && one.name === name)) return;
    seen.push({ file, name });
    if (!used.has(file)) used.set(file, new Set());
    used.get(file)?.add(name);
    for (const one of statementsOf(file)) {
      if (!declares(one, name) && !GLOBAL.test(one.text)) continue;
      for (const home of homesIn(file, one.text)) follow(home, seen);
    }
  }

  /** @type {Map<string, ReturnType<typeof exportsOf>>} */
  const exported = new Map();
  for (const entry of entries) {
    const given = exportsOf(entry);
    /** @type {Home[]} */
    const seen = [];
    if (!used.has(entry)) used.set(entry, new Set());
    for (const { home } of given) follow(home, seen);
    for (const home of seen) {
      if (!/^export (type|interface|declare class) /.test(textOf(home))) continue;
      if (given.some((one) => one.home.file === home.file && one.home.name === home.name)) continue;
      const other = given.find(({ name }) => name === home.name);
      if (other && textOf(other.home) === textOf(home)) continue;
      if (other) throw new Error(`types: ${entry}: two are called ${home.name}: ${home.file}, ${other.home.file}`);
      given.push({ name: home.name, home, type: true });
    }
    exported.set(entry, given);
  }

  /** @param {string} file @param {string} other */
  const pathTo = (file, other) => {
    const path = posix.relative(posix.dirname(file), other.replace(/\.d\.ts$/, '.js'));
    return path.startsWith('.') ? path : `./${path}`;
  };
  /** @param {string} keyword @param {string} file @param {{name: string, home: Home}[]} list */
  const links = (keyword, file, list) =>
    [...new Set(list.map(({ home }) => home.file))].map((from) => {
      const names = list
        .filter(({ home }) => home.file === from)
        .map(({ name, home }) => (name === home.name ? name : `${home.name} as ${name}`));
      return `${keyword} { ${[...new Set(names)].join(', ')} } from '${pathTo(file, from)}';`;
    });

  /** @param {string} file @param {Set<string>} names */
  function print(file, names) {
    const statements = statementsOf(file);
    const kept = statements.filter(
      (one) => one.names.some((name) => names.has(name) && declares(one, name)) || GLOBAL.test(one.text),
    );
    const about = statements
      .filter(({ text, from, comment }) => !text && !from && comment)
      .map(({ comment }) => comment);
    /** @type {{name: string, home: Home}[]} types that are named by their file, imported where no name is in the way */
    const named = [];
    const texts = kept.map(({ comment, text }) => {
      const bare = text.replace(INLINE, (all, from, name) => {
        const home = homeOf(target(file, from), name);
        if (!home) return all;
        const here = homeOf(file, home.name) ?? named.find((one) => one.name === home.name)?.home ?? home;
        if (here.file !== home.file) return `import('${pathTo(file, home.file)}').${home.name}`;
        if (home.file !== file) named.push({ name: home.name, home });
        return home.name;
      });
      return comment ? `${comment}\n${bare}` : bare;
    });
    const words = new Set(kept.flatMap(({ text }) => [...withoutComments(text).matchAll(WORD)].map(([word]) => word)));
    const bound = statements.flatMap(({ bindings = [] }) => bindings.map(({ here }) => here));
    const imports = bound.flatMap((name) => {
      const home = words.has(name) && !KEYWORDS.has(name) ? homeOf(file, name) : null;
      return home ? [{ name, home }] : [];
    });
    imports.push(...named);
    const foreign = statements.flatMap(({ from, text }) => (from && !from.startsWith('.') ? [text] : []));
    const isType = (/** @type {{home: Home}} */ { home }) => /^(export )?(type|interface)\b/.test(textOf(home));
    const out = (exported.get(file) ?? []).filter(({ home }) => home.file !== file);
    const text = [
      ...about,
      ...foreign,
      ...links(
        'import',
        file,
        imports.filter((one) => !isType(one)),
      ),
      ...links('import type', file, imports.filter(isType)),
      ...links(
        'export',
        file,
        out.filter((one) => !one.type && !isType(one)),
      ),
      ...links(
        'export type',
        file,
        out.filter((one) => one.type || isType(one)),
      ),
      ...texts,
      'export {};',
    ].join('\n');
    return `${text.replace(COMMENT, withoutTypes).replace(/\n(?:[ \t]*\n)+/g, '\n')}\n`;
  }
  return new Map([...used].map(([file, names]) => [file, print(file, names)]));
}

/**
 * What src/js/arrays/object.js and model.js give the classes while they run: no base that anybody sees, and for `free`
 * the symbol of `using`, declared as @types/node does it, for libraries that lack it.
 * @param {string} text
 */
function withDispose(text) {
  const alone = text.replace(/^(im|ex)port (type )?\{ Held \}.*\n/gm, '').replace(' extends Held', '');
  if (!/^ +free\(\): void;$/m.test(text)) return alone;
  const member = '$&\n    /** The same, at the end of a block with `using`. */\n    [Symbol.dispose](): void;';
  const symbol =
    'declare global {\n    interface SymbolConstructor {\n        readonly dispose: unique symbol;\n    }\n}\n';
  return symbol + alone.replace(/^ +free\(\): void;$/m, member);
}

/** @param {string} out @param {string[]} entries */
function main(out, entries) {
  rmSync(out, { recursive: true, force: true });
  const written = ['src/js', 'src/tasks', 'src/claims', 'web/elements', 'web/draw'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.d.ts'))
      .map((name) => `${folder}/${name}`),
  );
  // What names the package by its published name means the sources, as in tsconfig.json.
  const { paths: sources } = JSON.parse(readFileSync('tsconfig.json', 'utf8')).compilerOptions;
  const [root, config] = [process.cwd(), join(dirname(out), 'obj/types.json')];
  const above = (/** @type {string} */ path) => join(root, path);
  mkdirSync(dirname(config), { recursive: true });
  const compilerOptions = {
    ...{ allowJs: true, declaration: true, emitDeclarationOnly: true, target: 'es2022', module: 'esnext' },
    ...{ moduleResolution: 'bundler', lib: ['esnext', 'dom', 'dom.iterable'], types: [], rootDir: root },
    paths: Object.fromEntries(Object.entries(sources).map(([name, list]) => [name, list.map(above)])),
    outDir: above(out),
  };
  writeFileSync(config, JSON.stringify({ compilerOptions, files: [...entries, ...written].map(above) }));
  const args = ['node_modules/typescript/bin/tsc', '--project', config];
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
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
    if (text === undefined || path === 'src/js/arrays/object.d.ts') rmSync(join(out, path));
    else writeFileSync(join(out, path), withDispose(text));
  }
}

if (process.argv[1] && basename(process.argv[1]) === 'types.mjs') main(process.argv[2], process.argv.slice(3));
