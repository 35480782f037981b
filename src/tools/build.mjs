// Bundles what the package holds in dist/, once the modules are packed: node src/tools/build.mjs, at the top of the
// tree.
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { minifySync } from 'rolldown/utils';

/** The published entries, and the modules that the tasks import beside them. */
const ENTRIES = [
  ...['index', 'node', 'workerd', 'edge-light', 'core', 'worker'].map((name) => `entries/${name}`),
  ...['checkpoints', 'derivatives', 'features', 'onnx', 'tokenizers'].map((name) => `entries/${name}`),
  'errors',
  'text/cuts',
  'text/vocabulary',
];

/** Files that draw the parts of a model, each fetched with the first element of its kind. */
const PARTS = ['sentence', 'heads', 'logits', 'neurons', 'features', 'why', 'training'];

/** Generated files, which imports name one folder above the scripts; each is its own chunk. */
const EMBEDDED = /\.(wasm|wasm\?module|wasm\.js|text\.js)$/;

/** @type {import('esbuild').BuildOptions} */
const common = {
  format: 'esm',
  target: 'es2022',
  sourcemap: 'external',
  logLevel: 'warning',
  charset: 'utf8',
  minifyWhitespace: true,
  minifySyntax: true,
  lineLimit: 110, // a fifth less to install; an error shows a line
};

/**
 * Leaves imports of files in one folder as they are, under the name that the folder has from the bundle.
 * @param {RegExp} filter @param {string} folder
 * @returns {import('esbuild').Plugin}
 */
const external = (filter, folder) => ({
  name: 'external',
  setup: (context) =>
    context.onResolve({ filter }, ({ path, kind }) =>
      kind === 'entry-point' ? undefined : { path: path.replace(/^.*\//, folder), external: true },
    ),
});

for (const name of ['js', 'tasks', 'claims', 'elements']) rmSync(`dist/${name}`, { recursive: true, force: true });

// The entries share their parts, so that there is one GlassformerError. Names stay: bundlers shorten them.
const { metafile } = await build({
  ...common,
  bundle: true,
  splitting: true,
  metafile: true,
  entryPoints: Object.fromEntries(ENTRIES.map((path) => [path.replace('entries/', ''), `src/js/${path}.js`])),
  external: ['node:*'],
  plugins: [external(EMBEDDED, '../')],
  outdir: 'dist/js',
});

// esbuild names, by imports without names, all chunks that a file needs through others, too; bundlers would drop them
// with a warning, as none has side effects. They spare a browser up to five requests after one another, so they stay,
// as imports of nothing, in the files that begin: of those that come after `index`, what it has not brought. In
// `worker` they would spare nothing, and put what it needs late into the first file of a page's worker.
const first = new Set(metafile.outputs['dist/js/index.js'].imports.map(({ path }) => basename(path)));
const scripts = readdirSync('dist/js', { recursive: true, encoding: 'utf8' }).filter((each) => each.endsWith('.js'));
for (const name of scripts) {
  const text = readFileSync(`dist/js/${name}`, 'utf8');
  const isNeeded = (/** @type {string} */ chunk) =>
    /^(index|core)\.js$/.test(name) || (!/^(chunk-|worker\.)/.test(name) && !first.has(chunk));
  const named = text.replace(/\bimport\s*"(\.\.?\/(chunk-\w+\.js))";/g, (_, path, chunk) =>
    isNeeded(chunk) ? `import{}from"${path}";` : '',
  );
  writeFileSync(`dist/js/${name}`, named);
}

/**
 * Replaces modules that the worker's script does not need by stubs that throw.
 * @type {import('esbuild').Plugin}
 */
const absent = {
  name: 'absent',
  setup({ onResolve, onLoad }) {
    const filter = /\/(onnx|connect|platform|train|chat)\.js$|\.(text|wasm)\.js$/;
    onResolve({ filter }, ({ path }) => ({ path, namespace: 'absent' }));
    const refused = "export default undefined; const refuse = () => { throw new Error('not in a worker'); };";
    const contents = `${refused} export { refuse as connect, refuse as spawn };`;
    onLoad({ filter: /./, namespace: 'absent' }, () => ({ contents }));
  },
};

// The worker's script is one file that runs from any address: from a Blob made of its text, or from a copy. ONNX files
// are made by its client, and it starts no workers of its own. The package has its text alone.
const thread = { ...common, sourcemap: false, bundle: true, minify: true, lineLimit: 0, format: 'iife' };
const { outputFiles } = await build({
  ...thread,
  entryPoints: ['src/js/entries/worker-thread.js'],
  plugins: [absent],
  write: false,
});
const [{ text: script }] = outputFiles;
writeFileSync('dist/js/worker-thread.js', script);
writeFileSync('dist/worker-thread.text.js', `export default ${JSON.stringify(script)};\n`);

// A file for each source, so that a bundler leaves out the tasks that nobody imports.
const tasks = readdirSync('src/tasks').filter((name) => name.endsWith('.js'));
await build({ ...common, entryPoints: tasks.map((name) => `src/tasks/${name}`), outdir: 'dist/tasks' });

// The claims stand beside the tasks that they use: of each its experiment, without what the page alone shows.
await build({
  ...common,
  bundle: true,
  entryPoints: ['src/claims/index.js'],
  plugins: [
    {
      name: 'claims',
      setup({ onResolve, onLoad }) {
        onResolve({ filter: /^glassformer\/tasks$/ }, () => ({ path: '../tasks/index.js', external: true }));
        onResolve({ filter: /^glassformer\/features$/ }, () => ({ path: '../js/features.js', external: true }));
        onResolve({ filter: /^\.\/[\w-]+\.js$/ }, ({ path, importer, resolveDir }) =>
          importer.endsWith('claims/index.js') ? { path, namespace: 'claim', pluginData: resolveDir } : undefined,
        );
        onLoad({ filter: /./, namespace: 'claim' }, ({ path, pluginData }) => ({
          contents: `export { claim, run, outcome } from '${path}';`,
          resolveDir: pluginData,
        }));
      },
    },
  ],
  outdir: 'dist/claims',
});

// The elements contain their style sheet, as text. They fetch the package with the first model, and with the first part
// of a kind the file that draws it.
const small = { ...common, bundle: true, minify: true, lineLimit: 0 };
const STYLES = /** @type {Record<string, string>} */ ({
  elements: 'web/elements/style.css',
  'elements-parts': 'web/elements/parts.css',
  'elements-why-neuron': 'web/draw/why-rows.css',
  ...Object.fromEntries(
    PARTS.filter((name) => name !== 'neurons').map((name) => [`elements-${name}`, `web/elements/parts/${name}.css`]),
  ),
});
await build({ ...small, sourcemap: false, entryPoints: STYLES, outdir: 'dist/obj' });
const styles = Object.fromEntries(Object.keys(STYLES).map((name) => [`${name}.css`, `./dist/obj/${name}.css`]));
/** The file of the package that begins with a module. @param {string} source */
const fileOf = (source) =>
  basename(String(Object.keys(metafile.outputs).find((path) => metafile.outputs[path].entryPoint === source)));
/**
 * Leaves a module to a file of the package.
 * @param {RegExp} filter @param {string} path from the bundle
 * @returns {import('esbuild').Plugin}
 */
const left = (filter, path) => ({
  name: path,
  setup: ({ onResolve }) => onResolve({ filter }, () => ({ path, external: true })),
});
/** The errors stand in the file that `errors` gives on: one request less. @param {string} folder of the package's */
const errors = (folder) =>
  left(/\/js\/errors\.js$/, folder + basename(metafile.outputs['dist/js/errors.js'].imports[0].path));
/** @type {import('esbuild').Plugin} */
const beside = {
  name: 'beside',
  setup({ onResolve }) {
    onResolve({ filter: /^glassformer$/ }, () => ({ path: './js/index.js', external: true, sideEffects: false }));
    onResolve({ filter: /^\.\/parts\/.*\.js$/ }, ({ path }) => ({
      path: path.replace('parts', 'elements'),
      external: true,
    }));
  },
};
/**
 * Puts the tasks of a training into one file: as 40 modules, each would be a request before the engine's.
 * @type {import('esbuild').Plugin}
 */
const tasksInside = {
  name: 'tasks',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^glassformer\/tasks$/ }, () => ({ path: `${process.cwd()}/src/tasks/index.js` })),
};
/** Late files of the package: the entry for dictionaries, and what attributions and lenses come in. */
const lateBeside = [
  left(/^glassformer\/features$/, '../js/features.js'),
  left(/\/engine\/lens\.js$/, `../js/${fileOf('src/js/engine/lens.js')}`),
];
const text = { loader: /** @type {const} */ ({ '.css': 'text' }) };
await build({
  ...small,
  ...text,
  entryPoints: ['web/elements/index.js'],
  alias: styles,
  plugins: [errors('./js/'), left(/\/files\/opening\.js$/, `./js/${fileOf('src/js/files/opening.js')}`), beside],
  outfile: 'dist/elements.js',
});
/**
 * Leaves these modules to the file of the package that contains them. What fewer parts share stands in each: a file
 * for every set of parts would be ten more requests, and more bytes for a part.
 * @param {string} file @param {RegExp} modules
 * @returns {import('esbuild').Plugin}
 */
const standsIn = (file, modules) => ({
  name: file,
  setup: ({ onResolve }) =>
    onResolve({ filter: /./ }, ({ path, resolveDir, kind }) =>
      kind !== 'entry-point' && modules.test(path[0] === '.' ? join(resolveDir, path) : path)
        ? { path: file, external: true }
        : undefined,
    ),
});
const base = standsIn('./base.js', /^lit-html$|^elements-parts\.css$|\/draw\/numbers\.js$/);
const paint = standsIn('./paint.js', /\/draw\/(canvas|color)\.js$/);
const late = external(/^\.\/(tasks|why-neuron)\.js$/, './');
for (const [names, outside] of /** @type {[string[], import('esbuild').Plugin[]][]} */ ([
  [['base'], []],
  [['paint'], [base]],
  [['tasks'], [tasksInside]],
  [
    [...PARTS, 'why-neuron'],
    [base, paint, late],
  ],
]))
  await build({
    ...small,
    ...text,
    entryPoints: names.map((name) => `web/elements/parts/${name}.js`),
    alias: styles,
    plugins: [...outside, errors('../js/'), ...lateBeside],
    outdir: 'dist/elements',
  });

// A second minifier finds 2 % more, and templates of elements need no indents.
for (const file of ['elements.js', ...readdirSync('dist/elements').map((name) => `elements/${name}`)]) {
  if (!file.endsWith('.js')) continue;
  const inputMap = JSON.parse(readFileSync(`dist/${file}.map`, 'utf8'));
  const { code, map } = minifySync(file, readFileSync(`dist/${file}`, 'utf8'), {
    ...{ module: true, compress: { target: 'es2022' }, mangle: { toplevel: true }, sourcemap: true, inputMap },
    codegen: { legalComments: 'eof' },
  });
  writeFileSync(`dist/${file}`, code.replace(/\n +/g, '\n'));
  writeFileSync(`dist/${file}.map`, JSON.stringify(map));
}

// One classic script, for pages from file: and for the short addresses of CDNs, which nothing else stands beside: the
// module simd is in it. Beside the script stay the other one, for which simd steps in, and the script of workers.
const dist = `${process.cwd()}/dist/`;
/** @type {import('esbuild').Plugin} */
const inside = {
  name: 'inside',
  setup({ onResolve }) {
    onResolve({ filter: /\bsimd\.wasm\.js$/ }, () => ({ path: `${dist}simd.wasm.js` }));
    onResolve({ filter: /relaxed\.wasm\.js$|\.text\.js$/ }, ({ path }) => ({
      path: path.replace(/^.*\//, './'),
      external: true,
    }));
  },
};
await build({
  ...small,
  format: 'iife',
  globalName: 'glassformer',
  footer: { js: 'globalThis.glassformer=glassformer;' },
  entryPoints: ['src/js/entries/classic.js'],
  plugins: [inside],
  outfile: 'dist/glassformer.global.js',
});

// The same script for who imports it.
const names = metafile.outputs['dist/js/index.js'].exports.join(', ');
writeFileSync(
  'dist/glassformer.min.js',
  `import './glassformer.global.js';\nexport const { ${names} } = globalThis.glassformer;\n`,
);
