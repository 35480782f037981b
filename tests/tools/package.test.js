// The published package. The exports of the modules: tests/structure.test.js.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { MOST_BYTES } from '../bytes.js';
import { forNpm, packedPaths } from '../../src/tools/readme.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (name) => readFileSync(root + name);
const manifest = JSON.parse(read('package.json'));

test('the package has no dependencies and every export exists', () => {
  assert.equal(manifest.dependencies, undefined);
  const { main, types, jsdelivr, unpkg } = manifest;
  const targets = [...Object.values(manifest.exports), { main, types, jsdelivr, unpkg }].flatMap((target) =>
    typeof target === 'string' ? target : Object.values(target),
  );
  // A bundler for the edge keeps the query ?module in the name: it is what the * of *.wasm* stands for.
  for (const target of targets)
    assert.ok(existsSync(root + target.replace(/\.wasm\*$/, '.wasm').replace('*', 'creek')), target);
});

/** The files that one of dist/js imports. @param {string} name @returns {string[]} */
const importsOf = (name) =>
  [...String(read(`dist/js/${name}`)).matchAll(/\b(?:import|from)\s*"\.\/([\w-]+\.js)"/g)].map(([, each]) => each);

/** With those that they import. @param {string[]} names @param {Set<string>} found @returns {Set<string>} */
function importedBy(names, found = new Set()) {
  for (const each of names) if (!found.has(each)) importedBy(importsOf(each), found.add(each));
  return found;
}

test('the files that begin name all that they need, so that a browser asks for it at once', () => {
  const index = importedBy(['index.js']);
  const later = readdirSync(`${root}dist/js`).filter((each) => /^(?!chunk-|worker).*\.js$/.test(each));
  assert.ok(index.size > 10 && later.some((each) => /^opening-/.test(each)));
  for (const name of later) {
    const own = importsOf(name);
    const known = new Set(/^(index|core)\.js$/.test(name) ? [] : index);
    const late = [...importedBy(own)].filter((each) => !own.includes(each) && !known.has(each));
    assert.deepEqual(late, [], name);
  }
});

test('the README that is packed shows its picture and leads nowhere that npm cannot follow', () => {
  const paths = packedPaths();
  const home = 'https://github.com/someone/glassformer';
  const released = { ...manifest, repository: { url: `git+${home}.git` } };
  const text = forNpm(String(read('README.md')), released, paths);
  const links = [...text.matchAll(/!?\[[^\]]*\]\(([^)]+)\)/g)].map(([, path]) => path);
  const own = `https://cdn.jsdelivr.net/npm/glassformer@${manifest.version}/`;
  assert.ok(links.includes(`${home}/raw/v${manifest.version}/web/screenshots/attention.webp`));
  for (const path of links) {
    assert.match(path, /^(https:|#)/);
    if (path.startsWith(own)) assert.ok(paths.includes(path.slice(own.length)), path);
    const [, there] = new RegExp(`^${home}/(?:raw|blob)/v${manifest.version}/(.*)`).exec(path) ?? [];
    if (there) assert.ok(existsSync(root + there) && !paths.includes(there), path);
  }
  const sample = 'a [b](CHANGELOG.md) [c](web/d.md)\n![e](web/f.png) [g](https://h) [i](#j)\n';
  assert.equal(
    forNpm(sample, released, ['CHANGELOG.md']),
    `a [b](${own}CHANGELOG.md) [c](${home}/blob/v${manifest.version}/web/d.md)\n` +
      `![e](${home}/raw/v${manifest.version}/web/f.png) [g](https://h) [i](#j)\n`,
  );
  const nowhere = { ...manifest, repository: { url: 'git+https://github.com/OWNER/glassformer.git' } };
  assert.equal(forNpm(sample, nowhere, ['CHANGELOG.md']), `a [b](${own}CHANGELOG.md) c\n [g](https://h) [i](#j)\n`);
});

test('the README that is packed has no command of the repository and no placeholder', () => {
  const readme = String(read('README.md'));
  const text = forNpm(readme, manifest, packedPaths());
  assert.match(readme, /npm (start|test|run)\b/);
  assert.doesNotMatch(text, /npm (start|test|run|i |ci\b)|\bmake\b|OWNER|<!--|\n{3}/);
  assert.equal(text.match(/npm install glassformer/g)?.length, 1);
  for (const part of [
    '\n## Install\n',
    '\n## The page\n\nThe page has three places:\n',
    '`dist/API.md`',
    '[MIT](https:',
  ])
    assert.ok(text.includes(part), part);
  assert.doesNotMatch(text, /## Take part/);
  assert.equal(
    forNpm('See it:\n\n![e](web/f.png)\n\n## B\n', manifest, []).includes('web/f.png'),
    !/OWNER/.test(manifest.homepage),
  );
  const bounds = (/** @type {string} */ bound) => readme.split(bound).length;
  assert.equal(bounds('<!-- repository -->'), bounds('<!-- /repository -->'));
  const sample = 'a<!-- repository --> b<!-- /repository -->.<!-- repository -->\n\n## c\n<!-- /repository -->\nd\n';
  assert.equal(forNpm(sample, manifest, []), 'a.\n\nd\n');
});

test('one address: the repository in package.json, which the other fields and the README repeat', () => {
  const [, home] = /^git\+(https:.*)\.git$/.exec(manifest.repository.url) ?? [];
  assert.equal(manifest.homepage, `${home}#readme`);
  assert.equal(manifest.bugs, `${home}/issues`);
  const pages = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...readdirSync(`${root}.github/workflows`, 'utf8')].map(
    (name) => String(read(name.endsWith('.md') ? name : `.github/workflows/${name}`)),
  );
  for (const text of pages)
    for (const [address] of text.matchAll(/https:\/\/github\.com\/[\w-]+\/glassformer/g)) assert.equal(address, home);
  // Until there is an address, the README says so, and nothing is released.
  assert.equal(/OWNER/.test(String(home)), pages[0].includes('is a placeholder'));
});

test('packing gives the README back, also when the last one was broken off', () => {
  const folder = mkdtempSync(join(tmpdir(), 'glassformer-'));
  try {
    for (const name of ['package.json', 'README.md', 'src/tools/readme.mjs'])
      cpSync(root + name, join(folder, name), { recursive: true });
    const run = (/** @type {string} */ action) =>
      execFileSync(process.execPath, [join(folder, 'src/tools/readme.mjs'), action]);
    const now = () => readFileSync(join(folder, 'README.md'), 'utf8');
    const before = now();
    for (const action of ['pack', 'pack']) run(action);
    assert.equal(now(), forNpm(before, manifest, ['README.md', 'package.json']));
    run('unpack');
    assert.equal(now(), before);
    run('unpack');
    assert.equal(now(), before);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the packed package holds what the exports need, and no more', () => {
  const paths = packedPaths();
  for (const name of [
    'js/index.js',
    'js/node.js',
    'js/workerd.js',
    'js/edge-light.js',
    'js/core.js',
    'js/errors.js',
    'tasks/index.js',
    'claims/index.js',
    'glassformer.global.js',
    'glassformer.min.js',
    'simd.wasm',
    'simd.wasm.js',
    'relaxed.wasm.js',
    'elements.js',
    'elements/sentence.js',
    'types/src/js/entries/index.d.ts',
    'types/src/js/entries/core.d.ts',
    'types/src/js/module.d.ts',
    'types/web/elements/index.d.ts',
  ]) {
    assert.ok(paths.includes(`dist/${name}`), name);
  }
  const allowed = [
    /^(package\.json|(README|CHANGELOG|SECURITY|THIRD_PARTY)\.md|LICENSE)$/,
    /^src\/docs\/(continue\.py|guides\/[\w-]+\.md)$/,
    /^src\/wasm\/api\.h$/,
    /^dist\/(glassformer\.(global|min)|elements|(js|js\/text|tasks|claims|elements)\/[\w-]+|(simd|relaxed)\.wasm)\.js$/,
    /^dist\/simd\.wasm$/,
    /^dist\/(worker-thread\.text\.js|API\.md)$/,
    /^dist\/js\/tokenizers\.LICENSE\.txt$/,
    /^dist\/models\/\w+\.safetensors$/,
    /^dist\/checkpoints\/[\w-]+\/((config|tokenizer)\.json|model\.safetensors)$/,
    /^dist\/types\/(src\/(js(\/\w+){0,2}|tasks|claims(\/shared)?)|dist\/generated)\/[\w-]+\.d\.ts$/,
    /^dist\/types\/web\/(elements(\/parts)?|draw)\/[\w-]+\.d\.ts$/,
  ];
  assert.deepEqual(
    paths.filter((path) => !allowed.some((form) => form.test(path))),
    [],
  );
});

test('the reference names what each entry exports at run time, each with a sentence', async () => {
  const text = String(read('dist/API.md'));
  for (const [entry, { types, default: script }] of Object.entries(manifest.exports)) {
    if (!types || !script.endsWith('.js') || entry === './worker-thread') continue;
    const [, section] = text.split(`\n## ${join('glassformer', entry)}\n`);
    for (const [name, value] of Object.entries(await import(root + script)))
      if (typeof value === 'function')
        assert.match(section, new RegExp(`^- \`(class )?${name}\\b`, 'm'), `${entry} ${name}`);
  }
  const [, functions] = text.split('\n## glassformer\n');
  for (const [line] of functions.split('\n## ')[0].matchAll(/^- .*$/gm)) assert.match(line, /` \S.*[.:]$/);
  assert.match(text, /^ {2}- `softmax\(x: .*\)?.*` exp\(x\) \/ sum exp\(x\)/m);
});

test('the reference shows every signature whole, and the options that it names', () => {
  const text = String(read('dist/API.md'));
  const [signatures, tables] = text.split('\n## Options\n');
  assert.doesNotMatch(signatures, /…\)`/);
  for (const [line, code] of signatures.matchAll(/^ *- `(.*?)`/gm))
    assert.equal(code.match(/[({[]/g)?.length, code.match(/[)}\]]/g)?.length, line);
  for (const line of [
    '  - `forward(input: Exclude<Input, ForwardOptions> | (ForwardOptions & { logits?: true; }), options?: ' +
      "Omit<ForwardOptions, 'logits'> & { logits?: true; }): { output: FloatTensor; logits: Logits; values?: " +
      'FloatTensor; }` One pass over a batch.',
    '  - `forward(input: Input, options?: ForwardOptions): { output: FloatTensor; logits?: Logits; values?: ' +
      'FloatTensor; }` Without logits.',
    '  - `generate<I extends Prompt>(input: I, options?: GenerateOptions): Promise<GeneratedOf<I>> & ' +
      'AsyncIterable<Token>` Continues a sequence token by token.',
    '  - `loadModel<F extends FileSource | PromiseLike<FileSource> | CheckpointFiles | Folder>(file: F, options?: ' +
      'OpenOptions & HubOptions & WeightOptions): Promise<Opened<F>>` A model from its file, with',
  ])
    assert.ok(signatures.includes(`\n${line}`), line);
  const sections = new Map(
    tables
      .split('\n### ')
      .slice(1)
      .map((part) => [String(/^`?(\w+)/.exec(part)?.[1]), part]),
  );
  for (const [name] of signatures.matchAll(/\b\w+Options\b/g)) assert.ok(sections.has(name), name);
  for (const [name, part] of sections) assert.match(part, /\n- `\w+\??: .+`|^`\w+ (=|extends) /, name);
  // As many fields as the types have.
  const types = String(read('dist/types/src/js/engine/generate.d.ts'));
  const [, body] = /\nexport type GenerateOptions = \{\n([^]*?)\n\};/.exec(types) ?? [];
  const fields = [...String(body).matchAll(/^ {4}(\w+)\??:/gm)].map(([, name]) => name);
  assert.ok(fields.includes('endId') && fields.length > 25);
  const said = [...String(sections.get('GenerateOptions')).matchAll(/^- `(\w+)\??: /gm)].map(([, name]) => name);
  assert.deepEqual(said, fields);
});

test('packed twice, the package has the same bytes, as many as the README says', () => {
  const folder = mkdtempSync(join(tmpdir(), 'glassformer-'));
  try {
    const hashes = [0, 1].map(() => {
      execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: root, stdio: 'ignore' });
      const [name] = readdirSync(folder);
      const bytes = readFileSync(join(folder, name));
      rmSync(join(folder, name));
      assert.ok(bytes.length <= MOST_BYTES['the packed package'], `${bytes.length}`);
      const [, said] = /package (\d+\.\d) MB packed/.exec(String(read('README.md'))) ?? [];
      assert.equal(said, (bytes.length / 1e6).toFixed(1));
      return createHash('sha256').update(bytes).digest('hex');
    });
    assert.equal(hashes[0], hashes[1]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the checkpoints of the guides are what their script trains', () => {
  const folder = mkdtempSync(join(tmpdir(), 'glassformer-'));
  try {
    execFileSync(process.execPath, ['tests/checkpoints/make-tiny.mjs', folder], { cwd: root });
    const made = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => /\.\w+$/.test(path));
    assert.deepEqual(
      made.sort(),
      ['bert', 'gpt2'].flatMap((name) => [`${name}/config.json`, `${name}/model.safetensors`]),
    );
    for (const path of made) assert.deepEqual(readFileSync(join(folder, path)), read(`dist/checkpoints/${path}`), path);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

// Maps would be more than half of the package.
test('no script names a source map, and but for those that are minified all have short lines', () => {
  const scripts = packedPaths().filter((/** @type {string} */ path) => path.endsWith('.js'));
  assert.ok(scripts.length > 30, `${scripts.length}`);
  for (const path of scripts) {
    const text = String(read(path));
    assert.doesNotMatch(text, /^\/\/# sourceMappingURL=/m, path);
    if (!/(global|min)\.js$|elements(\.js$|\/)|worker-thread|(wasm|text)\.js$/.test(path))
      assert.ok(
        text.split('\n').every((line) => line.length < 2000),
        path,
      );
  }
});

/**
 * Bundles an entry, and lists the imports of the result.
 * @param {string} name
 * @param {string[]} [conditions]
 */
async function graph(name, conditions) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: `export * from '${name}'`, resolveDir: root },
    bundle: true,
    format: 'esm',
    conditions,
    minify: true, // comments name types by import()
    tsconfigRaw: '{}', // the project's paths lead to the sources
    external: ['*.wasm.js', '*.wasm', '*.wasm?module', 'node:*'],
    metafile: true,
    write: false,
  });
  return { text: outputFiles[0].text, imports: Object.values(metafile.outputs)[0].imports };
}

test('the default entry knows neither Node nor its own address, nor does core', async () => {
  const index = await graph('glassformer', []);
  // A hint says import.meta.resolve('${name}'), also in the text of the worker's script.
  assert.doesNotMatch(index.text, /import\.meta(?!\.resolve\(\\*'\$)/);
  assert.deepEqual(index.imports.map(({ kind, path }) => `${kind} ${path.replace(/.*\//, '')}`).sort(), [
    'dynamic-import relaxed.wasm.js',
    'dynamic-import simd.wasm.js',
  ]);
  const core = await graph('glassformer/core');
  assert.doesNotMatch(core.text, /import\.meta(?!\.resolve\(\\*'\$)/);
  for (const [condition, file] of Object.entries({ workerd: 'simd.wasm', 'edge-light': 'simd.wasm?module' })) {
    const { imports } = await graph('glassformer', [condition]);
    assert.deepEqual(
      imports.map(({ kind, path }) => `${kind} ${path.replace(/.*\//, '')}`),
      [`import-statement ${file}`],
    );
  }
  assert.match((await graph('glassformer', ['node'])).text, /import\.meta\.url/);
});

test('Deno takes the entry that asks for no file, Node the one that reads it', () => {
  const { types, ...conditions } = manifest.exports['.'];
  assert.match(types, /\.d\.ts$/);
  const order = Object.keys(conditions); // the first that a runtime knows is taken; Deno knows node too
  assert.deepEqual(order, ['workerd', 'edge-light', 'deno', 'node', 'default']);
  assert.equal(conditions.deno, conditions.default);
  for (const target of Object.values(manifest.exports))
    if (typeof target === 'object') assert.equal(Object.keys(target)[0], 'types');
});

test('all entries share one class of errors', async () => {
  const names = Object.values(manifest.exports['.']).filter((path) => /\/(index|node)\.js$/.test(path));
  const entries = [...names, './dist/js/core.js', './dist/js/errors.js'];
  const classes = await Promise.all(entries.map(async (path) => (await import(root + path)).GlassformerError));
  assert.equal(new Set(classes).size, 1);
  assert.equal(classes[0].name, 'GlassformerError');
});

test('an error that nobody catches shows a line of the source, not all of it', () => {
  const code = "import { load } from 'glassformer'; (await load()).softmax(3);";
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { cwd: root, encoding: 'utf8' });
  assert.match(stderr, /new GlassformerError\(/);
  assert.match(stderr, /GlassformerError: x: /);
  assert.ok(stderr.length < 3000 && stderr.split('\n').every((line) => line.length < 200), stderr.slice(0, 3000));
});

for (const folder of ['', 'tests/bench/', 'tests/smoke/']) {
  test(`${folder}package-lock.json names no host that packages came from`, () => {
    const { packages } = JSON.parse(read(`${folder}package-lock.json`));
    for (const [name, entry] of Object.entries(packages)) assert.equal(entry.resolved, undefined, name);
  });
}

for (const variant of ['simd', 'relaxed']) {
  test(`${variant}: the ES module holds the same bytes`, async () => {
    const { default: packed } = await import(`../../dist/${variant}.wasm.js`);
    assert.deepEqual(gunzipSync(Buffer.from(packed, 'base64')), read(`dist/${variant}.wasm`));
  });
}
