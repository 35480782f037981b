// Bundles the scripts of the page: node src/tools/bundle.mjs FOLDER PACKAGE=FILE… NAME=SOURCE…
// Each script becomes one file, and what is fetched later imports from that file what both need: esbuild would put
// what two files share into more files, 1.5 kB more gzipped for the first opening. A worker's own file cannot be
// imported (WebKit would run it a second time), so there the one file stands beside the worker, which imports it.
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rollup } from '@rollup/wasm-node';
import { transform } from 'esbuild';
import { minify } from 'terser';

const [folder, ...rest] = process.argv.slice(2);
const named = rest.map((each) => each.split('='));
const packages = new Map(named.filter(([, file]) => file.startsWith('dist/')));
const scripts = named.filter(([name]) => !packages.has(name));

/** What no file path leads to: packages, of which the build makes one itself. */
const resolver = {
  name: 'packages',
  /** @param {string} id */
  resolveId: (id) =>
    // A script of its own, which the page has begun with; what no place of the page asks a trainer for.
    id === './start.js' || /^\.\/shards-\w+\.js$/.test(id)
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
    return { code: `export default ${JSON.stringify(code)};`, map: { mappings: /** @type {const} */ ('') } };
  },
};

/** Smaller by both than by either: esbuild also lowers the syntax, terser takes 4 % off what it leaves. */
const minifier = {
  name: 'minify',
  /** @param {string} source @param {{fileName: string, name: string}} chunk */
  async renderChunk(source, { fileName, name }) {
    const small = await transform(source, {
      format: 'esm',
      legalComments: 'external',
      minify: true,
      sourcefile: fileName,
      sourcemap: true,
      target: 'es2022',
    });
    // What is fetched later has no name before its hash is known.
    const legal = `${/^[\w.-]+$/.test(fileName) ? fileName : `${name}.js`}.LEGAL.txt`;
    if (small.legalComments) writeFileSync(join(folder, legal), small.legalComments);
    const { code = '', map } = await minify(
      small.code.replace(/^ +/gm, ''), // what indents templates: no minifier touches strings
      {
        module: true,
        ecma: 2020,
        compress: { passes: 3 },
        format: { comments: false },
        sourceMap: { content: small.map, asObject: true },
      },
    );
    return { code, map: /** @type {any} */ (map) };
  },
};

for (const [name, source] of scripts) {
  const bundle = await rollup({
    input: { [name]: source },
    plugins: [resolver, styles, minifier],
    preserveEntrySignatures: /^(worker|trainer|claims|tokenizer)$/.test(name) ? 'strict' : 'allow-extension',
    onLog(level, { message }) {
      if (level !== 'debug' && level !== 'info') throw new Error(message);
    },
  });
  await bundle.write({
    dir: folder,
    format: 'es',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    sourcemap: true,
  });
  await bundle.close();
}
