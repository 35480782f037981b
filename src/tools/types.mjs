// Makes the package's .d.ts files: node src/tools/types.mjs OUT ENTRY.js...     at the top of the source tree
//
// tsc writes one for each module, internals and all, loses what a typedef says of itself, and makes an alias of a
// class that is only handed on. Here they keep what a user can reach from the entries, with its comments, in words
// that TypeScript 5.0 knows and without the DOM's types where the sources name none.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parse } from './types/parse.mjs';
import { reached } from './types/reached.mjs';

/**
 * Declares the classes as src/js/arrays/object.js leaves them at run time: with the symbol of `using` beside `free`,
 * declared like in @types/node for libraries that lack it.
 * @param {string} text
 */
function withDispose(text) {
  if (!/^ +free\(\): void;$/m.test(text)) return text;
  const member = '$&\n    /** The same, at the end of a block with `using`. */\n    [Symbol.dispose](): void;';
  const symbol =
    'declare global {\n    interface SymbolConstructor {\n        readonly dispose: unique symbol;\n    }\n}\n';
  return symbol + text.replace(/^ +free\(\): void;$/m, member);
}

/**
 * tsc writes the comments of all ways to call a method before each of them, and an editor shows the last: each keeps
 * its own.
 * @param {string} text
 */
function withOwnComments(text) {
  /** @type {Map<string, number>} */
  const ways = new Map();
  const comments = /(?:^ {4}\/\*\*(?:(?!\*\/)[^])*\*\/\n){2,}(?= {4}\w)/gm;
  return text.replace(comments, (all) => {
    const at = ways.get(all) ?? 0;
    ways.set(all, at + 1);
    const each = all.split(/(?<=\*\/\n)/);
    return each[at] ?? each[each.length - 1];
  });
}

/** @param {string} out @param {string[]} entries */
function main(out, entries) {
  rmSync(out, { recursive: true, force: true });
  const written = ['src/js', 'src/tasks', 'src/claims', 'web/elements', 'web/draw'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.d.ts'))
      .map((name) => `${folder}/${name}`),
  );
  // Imports by the package's published name mean the sources, as in tsconfig.json.
  const { paths: sources } = JSON.parse(readFileSync('tsconfig.json', 'utf8')).compilerOptions;
  const [root, config] = [process.cwd(), join(dirname(out), 'obj/types.json')];
  const above = (/** @type {string} */ path) => join(root, path);
  mkdirSync(dirname(config), { recursive: true });
  const compilerOptions = {
    allowJs: true,
    declaration: true,
    emitDeclarationOnly: true,
    target: 'es2022',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['esnext', 'dom', 'dom.iterable'],
    types: [],
    rootDir: root,
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
    if (text === undefined) rmSync(join(out, path));
    else writeFileSync(join(out, path), withDispose(withOwnComments(text)));
  }
}

if (process.argv[1] && basename(process.argv[1]) === 'types.mjs') main(process.argv[2], process.argv.slice(3));
