// The structure of the code: who may name whom, what lies at the top, who allocates, who reads
// the memory, what the modules export.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** @typedef {Record<string, string>} Files text by path, as seen from the top */

/** @param {string} folder @param {RegExp} [ending] @returns {Files} */
function read(folder, ending = /./) {
  if (!existsSync(join(root, folder))) return {};
  const names = readdirSync(join(root, folder), { recursive: true, withFileTypes: true }).filter(
    (e) => e.isFile() && ending.test(e.name),
  );
  const paths = names
    .map((e) =>
      join(e.parentPath ?? e.path, e.name)
        .slice(root.length)
        .replaceAll('\\', '/'),
    )
    .sort();
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}

/** Blanks comments, keeps lines and strings. @param {string} text */
const withoutComments = (text) =>
  text.replace(/"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\/\*[^]*?\*\/|\/\/.*/g, (m) =>
    m[0] === '/' ? m.replace(/[^\n]/g, ' ') : m,
  );

// ---- who may name whom

/** @type {Record<string, string[]>} */
const C_FOLDERS = {
  kernel: ['kernel'],
  op: ['op', 'kernel'],
  model: ['model', 'op', 'kernel'],
  train: ['train', 'model', 'kernel'],
  wasm: ['wasm', 'model', 'train', 'op', 'kernel'], // the ABI also offers plain operations
};

/** Breaches of the table by the C files. @param {Files} files */
function includeProblems(files) {
  const problems = [];
  for (const [path, text] of Object.entries(files)) {
    const part = path.split('/')[1];
    for (const [, name] of text.matchAll(/^[ \t]*#[ \t]*include[ \t]+"([^"]*)"/gm)) {
      const target = posix.join(posix.dirname(path), name);
      if (!(target in files)) problems.push(`${path}: "${name}" is no file beside it (includes are relative, no -I)`);
      else if (!C_FOLDERS[part]?.includes(target.split('/')[1]))
        problems.push(`${path}: ${part} must not name ${target}`);
    }
  }
  return problems;
}

/**
 * Files of C that need each other in a circle, and those that stand on them; a header without a .c belongs to those
 * that include it.
 * @param {Files} files
 */
function circles(files) {
  const unitOf = (/** @type {string} */ path) => path.replace(/\.[ch]$/, '');
  const included = (/** @type {string} */ path) =>
    [...(files[path] ?? '').matchAll(/^[ \t]*#[ \t]*include[ \t]+"([^"]*)"/gm)].map(([, name]) =>
      posix.join(posix.dirname(path), name),
    );
  /** @type {Map<string, Set<string>>} by .c, those whose headers it reaches */
  const needs = new Map();
  for (const path of Object.keys(files).filter((each) => each.endsWith('.c'))) {
    const reached = new Set([path, path.replace(/c$/, 'h')]);
    for (const each of reached)
      for (const next of included(each))
        if (unitOf(each) === unitOf(path) || !(`${unitOf(each)}.c` in files)) reached.add(next);
    needs.set(unitOf(path), new Set([...reached].map(unitOf).filter((unit) => unit !== unitOf(path))));
  }
  const below = new Set();
  for (let size = -1; size !== below.size;) {
    size = below.size;
    for (const [unit, others] of needs)
      if ([...others].every((each) => below.has(each) || !needs.has(each))) below.add(unit);
  }
  return [...needs.keys()].filter((unit) => !below.has(unit));
}

describe('who may name whom', () => {
  test('C: it holds', () => {
    const files = read('src', /\.(c|h|def)$/);
    assert('src/wasm/api.c' in files);
    assert.deepEqual(includeProblems(files), []);
  });

  test('C: no files need each other in a circle', () => {
    assert.deepEqual(circles(read('src', /\.(c|h|def)$/)), []);
    const circle = {
      'a.c': '#include "a.h"',
      'a.h': '#include "b.h"',
      'b.c': '#include "c.h"',
      'b.h': '',
      'c.h': '#include "a.h"',
    };
    assert.deepEqual(circles(circle), ['a', 'b']);
  });

  test('JavaScript: the package has no dependencies; the lint holds .dependency-cruiser.cjs', () => {
    const { dependencies = {}, scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    assert.deepEqual(Object.keys(dependencies), []);
    assert.match(scripts.lint, /^npm run -s dependencies &&/);
    assert.match(scripts.dependencies, /depcruise --config \.dependency-cruiser\.cjs src web$/);
  });
});

// ---- the top of the tree

const TOP = [
  'src',
  'web',
  'tests',
  'emscripten.mk',
  'package.json',
  'README.md',
  'package-lock.json',
  'LICENSE',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'THIRD_PARTY.md',
  'tsconfig.json',
  'eslint.config.js',
];

/** @param {string[]} paths */
const topProblems = (paths) =>
  [...new Set(paths.map((path) => path.split('/')[0]))].filter((name) => !TOP.includes(name) && !name.startsWith('.'));

describe('the top of the tree', () => {
  test('holds what is agreed, and nothing built', (t) => {
    if (!existsSync(join(root, '.git'))) return t.skip('no git checkout');
    const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
      .split('\0')
      .filter(Boolean);
    assert.deepEqual(topProblems(tracked), []);
    assert.deepEqual(
      tracked.filter((path) => /\.(wasm|o|tgz)$|^(dist|node_modules)\//.test(path)),
      [],
    );
  });
});

// ---- who allocates, who reads the memory

/** @param {Files} files */
const allocators = (files) =>
  Object.keys(files).filter((path) =>
    /\b(malloc|calloc|realloc|reallocarray|aligned_alloc|(posix_)?memalign|free|alloca|strdup|sbrk)\b/.test(
      withoutComments(files[path]),
    ),
  );

/** @param {Files} files */
const lookers = (files) =>
  Object.keys(files).filter((path) =>
    /\bmemory\s*\)*\s*\??\.\s*buffer\b|\{\s*buffer\b[^}]*\}\s*=\s*[^;]*\bmemory\b|\bmemory\s*\[\s*['"]buffer/i.test(
      withoutComments(files[path]),
    ),
  );

describe('one home for memory', () => {
  test('only src/wasm/api.c allocates', () => {
    assert.deepEqual(allocators(read('src', /\.(c|h|def)$/)), ['src/wasm/api.c']);
  });

  test('only src/js/arrays/memory.js makes views on the memory', () => {
    assert.deepEqual(lookers({ ...read('src', /\.m?js$/), ...read('web', /\.m?js$/) }), ['src/js/arrays/memory.js']);
  });
});

// ---- what the modules export

/** Names declared in api.h. @param {string} header */
const declared = (header) => [...withoutComments(header).matchAll(/\b(gf_\w+)\s*\(/g)].map((match) => match[1]);

/** Name and signature of every function that a module imports or exports. @param {Uint8Array} bytes */
function signatures(bytes) {
  const TYPES = /** @type {Record<number, string>} */ ({
    0x7f: 'i32',
    0x7e: 'i64',
    0x7d: 'f32',
    0x7c: 'f64',
    0x7b: 'v128',
  });
  let at = 8;
  const u32 = () => {
    for (let value = 0, shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      value |= (byte & 127) << shift;
      if (byte < 128) return value >>> 0;
    }
  };
  const many = (/** @type {() => any} */ one) => Array.from({ length: u32() }, one);
  const text = () => {
    const n = u32();
    return new TextDecoder().decode(bytes.subarray(at, (at += n)));
  };
  const type = () => TYPES[bytes[at++]] ?? '?';
  const limits = () => {
    if (u32() & 1) u32();
    return u32();
  };
  /** @type {{types: string[], functions: number[], imports: string[], exports: Record<string, string>}} */
  const found = { types: [], functions: [], imports: [], exports: {} };
  while (at < bytes.length) {
    const id = bytes[at++],
      end = u32() + at;
    if (id === 1) found.types = many(() => (at++, `(${many(type)}) -> (${many(type)})`));
    else if (id === 2) {
      many(() => {
        const name = `${text()}.${text()}`,
          kind = bytes[at++];
        if (kind === 0) {
          const index = u32();
          found.functions.push(index);
          found.imports.push(`${name}: ${found.types[index]}`);
        } else {
          if (kind === 1) (type(), limits());
          else if (kind === 2) limits();
          else at += kind === 3 ? 2 : 1;
          found.imports.push(name);
        }
      });
    } else if (id === 3) found.functions.push(...many(u32));
    else if (id === 7) {
      many(() => {
        const name = text(),
          kind = bytes[at++],
          index = u32();
        found.exports[name] =
          kind === 0 ? found.types[found.functions[index]] : ['', 'table', 'memory', 'global'][kind];
      });
    }
    at = end;
  }
  return found;
}

describe('exports', () => {
  const listed = readFileSync(join(root, 'src/wasm/exports.txt'), 'utf8')
    .trim()
    .split(/\s+/)
    .map((name) => name.replace(/^_/, ''))
    .sort();

  test('exports.txt lists the functions of api.h', () => {
    assert.deepEqual(listed, declared(readFileSync(join(root, 'src/wasm/api.h'), 'utf8')).sort());
  });

  for (const variant of ['simd', 'relaxed']) {
    test(`${variant}.wasm exports those and the memory, without 64-bit integers, and imports one function`, () => {
      const { exports, imports } = signatures(readFileSync(join(root, `dist/${variant}.wasm`)));
      assert.deepEqual(Object.keys(exports).sort(), [...listed, '_initialize', 'memory'].sort());
      assert.deepEqual(
        Object.entries(exports).filter(([, type]) => /i64|v128|\?/.test(type)),
        [],
      );
      assert.deepEqual(imports, ['env.emscripten_notify_memory_growth: (i32) -> ()']);
    });
  }
});

// ---- headers

/**
 * Functions of a header that no comment stands before. Declarations without an empty line
 * between them share one.
 * @param {string} header
 */
function uncommented(header) {
  const lines = header.replace(/^[ \t]*#(?:.*\\\n)*.*/gm, (macro) => macro.replace(/.+/g, '#')).split('\n');
  const bare = withoutComments(lines.join('\n')).split('\n');
  const problems = [];
  let depth = 0,
    first = '',
    block = '';
  const close = () => {
    const functions = [
      ...block.replace(/\{[^]*?\n\}/g, '{}').matchAll(/^[A-Za-z_][\w \t*]*?\b(\w+)\([^;{]*\)\s*[;{]/gm),
    ];
    if (functions.length && !/^\s*(\/\*|\/\/)/.test(first)) problems.push(...functions.map((match) => match[1]));
    first = block = '';
  };
  let inComment = false;
  lines.forEach((line, i) => {
    if (depth === 0 && !inComment && !line.trim()) return close();
    const macro = line === '#';
    if (!first && !macro) first = line;
    if (!macro) {
      block += `${bare[i]}\n`;
      depth += (bare[i].match(/\{/g)?.length ?? 0) - (bare[i].match(/\}/g)?.length ?? 0);
    }
    if (!inComment && /\/\*(?!.*\*\/)/.test(line)) inComment = true;
    else if (inComment && line.includes('*/')) inComment = false;
  });
  close();
  return problems;
}

describe('headers', () => {
  test('every public function in C has its comment', () => {
    const headers = Object.assign({}, ...['kernel', 'op', 'model', 'train'].map((part) => read(`src/${part}`, /\.h$/)));
    const vocabulary = 'src/kernel/simd.h'; // one instruction each: the name says it
    const problems = Object.entries(headers)
      .filter(([path]) => path !== vocabulary)
      .flatMap(([path, text]) => uncommented(text).map((name) => `${path}: ${name}`));
    assert.deepEqual(problems, []);
  });
});
