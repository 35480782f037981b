// Bundlers, each as its users call it, and frameworks that bring one.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  ALL,
  ANSWERS,
  CORE,
  DEFAULT,
  ENTRIES_PAGE,
  ENTRIES_PRINTS,
  OTHERS,
  PAGE,
  PRINTS,
  REMOTE_PAGE,
  bundle,
  bytesOf,
  coreWorker,
  open,
  printed,
  withWorker,
} from './programs.js';
import { answerOf, freePort, html, node, run, served, serving, tool, version } from './project.js';

/** @typedef {import('./targets.js').Target} Target */

/** @param {string} name @param {import('esbuild').BuildOptions} options @returns {Target} */
const esbuild = (name, options, files = PRINTS, what = ALL) => ({
  name,
  version: () => version('esbuild'),
  what: `${what}, run in Node`,
  files,
  async run(folder) {
    await bundle(folder, { entryPoints: ['main.js'], ...options });
    const bytes = bytesOf(join(folder, 'dist'));
    return { bytes, answers: [printed(await run(process.execPath, ['dist/main.js'], { cwd: folder }))] };
  },
  sample: true,
});

const WASM = "const wasm = new URL('glassformer/simd.wasm', import.meta.url);\n";

/** The program, after the shipped model was opened by the address that a bundler makes of its name. */
const OPENED = `
  async function opened() {
    const creek = new URL('glassformer/models/creek.safetensors', import.meta.url);
    const { model, tokenizer } = await (await load()).loadModel(creek);
    const { logits } = model.forward(tokenizer.encode('the creek was cold .'));
    if (logits.shape.join() !== '1,5,' + model.config.vocabulary) throw new Error('logits of ' + logits.shape);
    return program(load);
  }\n`;
const SHIPPED = { ...PAGE, 'main.js': `${DEFAULT}${OPENED}answer(opened());\n` };

/** @type {(major: string) => Target[]} */
const vite = (major) => {
  const cli = () => tool(`vite${major}/bin/vite.js`);
  const develop = async (/** @type {string} */ folder) => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/`;
    const args = [cli(), '--host', '127.0.0.1', '--port', `${port}`, '--strictPort'];
    return { answers: [await serving(node(), args, { cwd: folder }, url, () => answerOf('chromium', url))] };
  };
  const building = async (/** @type {string} */ folder) => {
    const text = await run(node(), [cli(), 'build', '--base', './'], { cwd: folder });
    assert.doesNotMatch(text, /warn/i);
    return open(folder);
  };
  const both = async (/** @type {string} */ folder) => {
    const { answers } = await develop(folder);
    const built = await building(folder);
    return { ...built, answers: [...answers, ...built.answers] };
  };
  const row = (/** @type {string} */ name, what, files, run, program = ALL) => ({
    name: `vite${major}-${name}`,
    version: () => version(`vite${major}`),
    what: `${program}${what}`,
    files,
    run,
  });
  const config = { 'vite.config.js': "export default { worker: { format: 'es' } };\n" };
  return [
    row('dev', '', PAGE, develop),
    row('build', '', PAGE, building),
    row('remote', ', in a worker, dev and build', REMOTE_PAGE, both),
    row('entries', ', dev and build', ENTRIES_PAGE, both, OTHERS),
    row('models', ', a shipped model by its address, dev and build', SHIPPED, both),
    row('worker', ', core in the default worker, dev and build', coreWorker(WASM), both),
    row('worker-es', ", worker: { format: 'es' }, dev and build", { ...withWorker(ANSWERS), ...config }, both),
  ];
};

/** Routes of the edge runtime, with the plain entry and with core. */
const EDGE = {
  'app/plain/route.js': `${DEFAULT.replace('./program.js', '../../program.js')}
    export const runtime = 'edge';
    export const GET = async () => Response.json(await program(load));\n`,
  'app/core/route.js': `${CORE.replace('./program.js', '../../program.js')}
    import wasm from 'glassformer/simd.wasm?module';
    export const runtime = 'edge';
    export const GET = async () => Response.json(await program(load, { wasm }));\n`,
};

/** @type {(name: string, flags: string[], edge: Record<string, string>, creek?: string) => Target} */
const next = (name, flags, edge, creek) => ({
  name: `next-${name}`,
  version: () => version('next'),
  what: `${ALL}, a page with <glass-heatmap>, routes of Node${edge === EDGE ? ' and edge' : ''}`,
  files: {
    // the tools lie outside of the project
    'next.config.mjs': "export default { turbopack: { root: '/' }, outputFileTracingRoot: '/' };\n",
    'app/layout.jsx': 'export default ({ children }) => <html lang="en"><body>{children}</body></html>;\n',
    'app/page.jsx': `'use client';
      import { useEffect } from 'react';
      import 'glassformer/elements';
      ${DEFAULT.replace('./program.js', '../program.js')}
      export default function Page() {
        useEffect(() => void answer(program(load)), []);
        return <glass-heatmap label="smoke" />;
      }\n`,
    'app/answer/route.js': `${DEFAULT.replace('./program.js', '../../program.js')}
      ${creek ? OPENED.replace(/new URL.*(?=;)/, `'${creek}'`) : OPENED}
      export const dynamic = 'force-dynamic';
      export const GET = async () => Response.json(await opened());\n`,
    ...edge,
  },
  async run(folder) {
    const env = { NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' };
    const cli = tool('next/dist/bin/next');
    await run(node(), [cli, 'build', ...flags], { cwd: folder, env, seconds: 300 });
    const bytes = bytesOf(join(folder, '.next/static'));
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/`;
    return serving(node(), [cli, 'start', '-p', `${port}`, '-H', '127.0.0.1'], { cwd: folder, env }, url, async () => {
      const names = ['answer', ...Object.keys(edge).map((path) => path.split('/')[1])];
      const routes = await Promise.all(names.map(async (name) => (await fetch(url + name)).json()));
      return { bytes, answers: [await answerOf('chromium', url), ...routes] };
    });
  },
});

/** @type {Target} */
const parcel = {
  name: 'parcel',
  version: () => version('parcel'),
  what: `${ALL}, a shipped model by its address`,
  files: {
    ...SHIPPED,
    'main.js': SHIPPED['main.js'].replace("'glassformer/models", "'npm:glassformer/models"),
    'package.json': '{ "@parcel/resolver-default": { "packageExports": true } }',
  },
  async run(folder) {
    const args = ['build', 'index.html', '--public-url', './', '--no-cache', '--no-source-maps'];
    await run(node(), [tool('parcel/lib/bin.js'), ...args], { cwd: folder });
    return open(folder);
  },
};

/** @type {Target[]} */
export const bundlers = [
  esbuild('esbuild', {}),
  esbuild('esbuild-splitting', { splitting: true }),
  esbuild('esbuild-entries', {}, ENTRIES_PRINTS, OTHERS),
  {
    name: 'esbuild-page',
    version: () => version('esbuild'),
    what: `${ALL}, in Chromium`,
    files: { ...PAGE, 'index.html': html('./dist/main.js') },
    async run(folder) {
      await bundle(folder, { entryPoints: ['main.js'], splitting: true });
      return open(folder, 'dist', '');
    },
  },
  {
    name: 'rollup',
    version: () => version('rollup'),
    what: ALL,
    files: PAGE,
    async run(folder) {
      const [{ rollup }, { nodeResolve }] = await Promise.all(
        ['rollup/dist/es/rollup.js', '@rollup/plugin-node-resolve/dist/es/index.js'].map((path) => import(tool(path))),
      );
      const made = await rollup({ input: join(folder, 'main.js'), plugins: [nodeResolve({ browser: true })] });
      await made.write({ dir: join(folder, 'dist'), format: 'es' });
      await writeFile(join(folder, 'dist/index.html'), html('./main.js'));
      return open(folder);
    },
  },
  ...[
    { name: 'webpack', what: '', files: PAGE },
    { name: 'webpack-entries', what: '', files: ENTRIES_PAGE, program: OTHERS },
    { name: 'webpack-models', what: ', a shipped model by its address', files: SHIPPED },
    { name: 'webpack-remote', what: ', in a worker', files: REMOTE_PAGE },
    { name: 'webpack-worker', what: ', in a worker', files: withWorker(ANSWERS) },
    { name: 'webpack-worker-core', what: ', core in a worker', files: coreWorker(WASM) },
  ].map(({ name, what, files, program = ALL }) => ({
    name,
    version: () => version('webpack'),
    what: program + what,
    files,
    async run(/** @type {string} */ folder) {
      const webpack = createRequire(tool('webpack/package.json'))('webpack');
      const output = { path: join(folder, 'dist') };
      const options = { mode: 'production', context: folder, entry: './main.js', output, performance: false };
      const stats = await promisify(webpack)(options);
      const problems = stats.toString({ all: false, errors: true, warnings: true });
      assert(!stats.hasErrors() && !stats.hasWarnings(), problems);
      await writeFile(join(folder, 'dist/index.html'), html('./main.js'));
      return open(folder);
    },
  })),
  ...['5', '7', '8'].flatMap(vite),
  parcel,
  // With webpack, Next 16.4.6 writes no client-reference manifest for edge routes; on the server it makes an address of
  // its page of a file's name, and the file lies elsewhere.
  next('webpack', ['--webpack'], {}, 'node_modules/glassformer/dist/models/creek.safetensors'),
  next('turbopack', ['--turbopack'], EDGE),
  {
    name: 'react',
    version: () => version('react'),
    what: 'a component with <glass-heatmap> and the module, in Chromium',
    files: {
      'index.html': html('./dist/main.js'),
      'main.jsx': `
        import { useEffect, useState } from 'react';
        import { createRoot } from 'react-dom/client';
        import 'glassformer/elements';
        ${DEFAULT}
        function Attention() {
          const [value, setValue] = useState();
          useEffect(() => void program(load).then(setValue), []);
          return value ? <glass-heatmap label="Attention" matrix={{ data: value.weights, rows: 6 }} /> : null;
        }
        createRoot(document.body.appendChild(document.createElement('main'))).render(<Attention />);
        const drawn = async () => {
          for (;;) {
            const map = document.querySelector('glass-heatmap');
            const canvas = map?.shadowRoot?.querySelector('[role=application] canvas');
            if (canvas?.width === 3 && canvas.height === 6) return map.value;
            await new Promise(requestAnimationFrame);
          }
        };
        answer(Promise.all([drawn(), program(load)]));\n`,
    },
    async run(folder) {
      const define = { 'process.env.NODE_ENV': '"production"' };
      await bundle(folder, { entryPoints: ['main.jsx'], splitting: true, jsx: 'automatic', define });
      const [value, given] = await served(folder, (url) => answerOf('chromium', url));
      assert.equal(value, 1, 'the value below the cursor of the map');
      return { answers: [given], bytes: bytesOf(join(folder, 'dist')) };
    },
  },
];
