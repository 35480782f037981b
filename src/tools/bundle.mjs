// Bundles the scripts of the page: node src/tools/bundle.mjs FOLDER PACKAGE=FILE… NAME=SOURCE…
// Each script becomes one file, and late chunks import shared code from it: without the group, rolldown moves shared
// code into ten more files, 3.4 kB more gzipped for the first opening. Explore's late code is one more file, for the
// same reason. A worker's own file cannot be imported (WebKit would run it a second time), so the worker imports one
// file beside it.
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';
import { rolldown } from 'rolldown';

const [folder, ...rest] = process.argv.slice(2);
const named = rest.map((each) => each.split('='));
const packages = new Map(named.filter(([, file]) => file.startsWith('dist/')));
const scripts = named.filter(([name]) => !packages.has(name));

/** Resolves imports that are no file paths: packages, of which the build makes one itself. */
const resolver = {
  name: 'packages',
  /** @param {string} id */
  resolveId: (id) =>
    // A script of its own, which the page has begun with; what no place of the page asks a trainer or `load` for.
    id === './start.js' || /^\.\/(shards|remote)-\w+\.js$/.test(id)
      ? { id, external: true }
      : packages.has(id)
        ? resolve(/** @type {string} */ (packages.get(id)))
        : /^[\w@]/.test(id) && !id.startsWith('web/')
          ? fileURLToPath(import.meta.resolve(id))
          : null,
};

/** A style sheet as text, for what is fetched later with its own. */
const styles = {
  name: 'styles',
  /** @param {string} source @param {string} id */
  async transform(source, id) {
    if (!id.endsWith('.css')) return null;
    const { code } = await transform(source, { loader: 'css', minify: true, target: 'es2022' });
    return {
      code: `export default ${JSON.stringify(code)};`,
      map: { mappings: '' },
      moduleType: /** @type {const} */ ('js'),
    };
  },
};

/** Licenses of the packages: the minifier drops comments, so their texts go into one file beside the scripts. */
const legal = new Set();
const licenses = {
  name: 'licenses',
  /** @param {string} source @param {string} id */
  transform(source, id) {
    if (id.includes('node_modules'))
      for (const [comment] of source.matchAll(/\/\*(?:!|\*\s+\*? ?@license)[^]*?\*\//g)) legal.add(comment);
    return null;
  },
};

/**
 * The features of Explore that an action of the reader shows, and what the worker computes for them; apart from what
 * waits for the pointer, from lessons and trails, and from features of dictionaries.
 */
const LATE =
  /\/web\/(explore\/(?!shared\/(book|trail)|highlight|dictionary|features\/glossary|derived\/features)|export\/save)/;

/** Code that Explore's first opening does not need: one file, with what it shares with the former. */
const INSTRUMENT = /\/web\/explore\/instrument\.js$/;

/** Whether the instrument needs a module. @param {string} id @param {import('rolldown').ChunkingContext} context */
function isOfInstrument(id, context) {
  const seen = new Set([id]);
  for (const each of seen) {
    if (INSTRUMENT.test(each)) return true;
    context.getModuleInfo(each)?.importers.forEach((importer) => seen.add(importer));
  }
  return false;
}

/**
 * Whether a module is needed by these alone: each way up from it ends at one of them.
 * @param {string} id @param {import('rolldown').ChunkingContext} context
 */
function isLate(id, context) {
  const seen = new Set([id]);
  for (const each of seen) {
    const info = context.getModuleInfo(each);
    if (info?.dynamicImporters.length && !LATE.test(each)) return false;
    info?.importers.forEach((importer) => seen.add(importer));
  }
  return true;
}

for (const [name, source] of scripts) {
  const isWorker = /^(worker|trainer|claims|tokenizer)$/.test(name);
  const bundle = await rolldown({
    input: { [name]: source },
    plugins: [resolver, styles, licenses],
    preserveEntrySignatures: isWorker ? 'strict' : 'allow-extension',
    transform: { target: 'es2022' },
    // package.json says of the package alone that its files have no effect but what they export; style.js has.
    treeshake: { moduleSideEffects: [{ test: /\/web\//, sideEffects: true }] },
    checks: { bundlerTimings: false }, // on a busy machine a slow plugin is no mistake
    onLog(level, { message }) {
      if (level !== 'debug' && level !== 'info') throw new Error(message);
    },
  });
  await bundle.write({
    dir: folder,
    format: 'es',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    codeSplitting: {
      groups: [
        { name: `${name}-first`, tags: ['$initial'], priority: 2 },
        {
          name: (id, context) => (isOfInstrument(id, context) ? `instrument-${name}` : null),
          priority: 1,
          includeDependenciesRecursively: isWorker, // as below
        },
        {
          name: (id, context) => (isLate(id, context) ? `late-${name}` : null),
          includeDependenciesRecursively: isWorker, // else Train would fetch what it shares with Explore in that file
        },
      ],
    },
    comments: false,
    minify: true,
    sourcemap: true,
  });
  await bundle.close();
}
writeFileSync(join(folder, 'LEGAL.txt'), `${[...legal].join('\n')}\n`);
