// Where the packed file must work. A target: { name, version, what, files, run, sample }.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { copyFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import {
  answerOf,
  engineVersion,
  filesBelow,
  fixture,
  freePort,
  html,
  node,
  pack,
  run,
  served,
  serving,
  tool,
  version,
} from './project.js';
import { typescript } from './typescript.js';

/**
 * @typedef {object} Target
 * @property {string} name
 * @property {() => string | Promise<string>} version of what it runs in, asked after it has run
 * @property {string} what runs there
 * @property {Record<string, string>} [files] of its project
 * @property {(folder: string) => Promise<{answers?: import('./check.js').Answer[], bytes?: number}>} run gives what the
 *   program gave there; throws what is wrong
 * @property {boolean} [sample] whether it needs no tools but the project's own
 */

const ALL = 'attention, model, training, tasks';
const DEFAULT = "import { load } from 'glassformer';\nimport { answer, program } from './program.js';\n";
const CORE = DEFAULT.replace("'glassformer'", "'glassformer/core'");

// ---- Programs of a project

const PRINTS = { 'main.js': `${DEFAULT}console.log(JSON.stringify(await program(load)));\n` };
const PAGE = { 'main.js': `${DEFAULT}answer(program(load));\n`, 'index.html': html('./main.js') };
/** A page that hears from its worker. */
const withWorker = (/** @type {string} */ worker, options = "{ type: 'module' }") => ({
  'worker.js': worker,
  'index.html': html('./main.js'),
  'main.js': `
    const worker = new Worker(new URL('./worker.js', import.meta.url), ${options});
    worker.onmessage = ({ data }) => (globalThis.answer = data);
    worker.onerror = (event) => (globalThis.answer = { error: 'in the worker: ' + event.message });\n`,
});
/** A worker with the core, whose module has an address that the bundler knows. @param {string} wasm */
const coreWorker = (wasm) =>
  withWorker(`${wasm}${CORE}answer(program(load, { wasm }), (value) => postMessage(value));\n`);

/** What a program printed last. @param {string} text */
const printed = (text) => JSON.parse(text.trim().split('\n').at(-1) ?? '');

/** Bytes of what a bundler made for browsers; it must not tell where it was made. @param {string} folder */
export function bytesOf(folder) {
  const files = filesBelow(folder).filter((path) => /\.(m?js|wasm)$/.test(path));
  assert(files.length, `nothing was built in ${folder}`);
  for (const path of files) {
    const leak = /.{0,60}(file:\/\/\/(?!\$)|glassformer-smoke-).{0,60}/.exec(readFileSync(path, 'latin1'));
    assert(!leak, `${path} names a path of the builder: ${leak?.[0]}`);
  }
  return files.reduce((sum, path) => sum + statSync(path).size, 0);
}

/** Opens what a bundler made. @param {string} folder @param {string} [out] @param {string} [page] */
async function open(folder, out = 'dist', page = `${out}/`) {
  const bytes = bytesOf(join(folder, out));
  return { bytes, answers: [await served(folder, (url) => answerOf('chromium', url + page))] };
}

/**
 * The address of an entry in a project, as a page without a bundler names it.
 * @param {string} folder @param {string} entry
 */
function address(folder, entry) {
  let target = JSON.parse(readFileSync(join(folder, 'node_modules/glassformer/package.json'), 'utf8')).exports[entry];
  while (typeof target === 'object') target = target.default;
  assert(target, `the package exports no ${entry}`);
  return join('/node_modules/glassformer', target);
}

// ---- Targets

/** @param {string} name @param {string} program of the tools @param {string[]} args @returns {Target} */
const runtime = (name, program, args, files = PRINTS, what = ALL) => ({
  name,
  version: async () => (await run(tool(program), ['--version'], { cwd: '/' })).match(/\d[\d.]+/)?.[0] ?? '',
  what,
  files,
  run: async (folder) => ({
    answers: [printed(await run(tool(program), args, { cwd: folder, env: { DENO_DIR: `${folder}/deno` } }))],
  }),
});

const REQUIRES = {
  'main.cjs': `
    const { load } = require('glassformer');
    const { program } = require('./program.js');
    program(load).then((value) => console.log(JSON.stringify(value)));\n`,
};
const IMPORTS = {
  'main.cjs': `
    (async () => {
      const [{ load }, { program }] = [await import('glassformer'), await import('./program.js')];
      console.log(JSON.stringify(await program(load)));
    })();\n`,
};

/** @type {Target[]} */
const nodes = [
  {
    name: 'node',
    version: () => process.versions.node,
    what: `${ALL}, the README's Node`,
    files: PRINTS,
    run: async (folder) => ({ answers: [printed(await run(process.execPath, ['main.js'], { cwd: folder }))] }),
    sample: true,
  },
  {
    name: 'require',
    version: () => process.versions.node,
    what: `${ALL}, require(), import() in CommonJS`,
    files: { 'main.cjs': REQUIRES['main.cjs'], 'import.cjs': IMPORTS['main.cjs'] },
    async run(folder) {
      const { require_module: requires } = /** @type {any} */ (process.features);
      const answers = [];
      for (const file of requires ? ['main.cjs', 'import.cjs'] : ['import.cjs'])
        answers.push(printed(await run(process.execPath, [file], { cwd: folder })));
      return { answers };
    },
    sample: true,
  },
  ...['20.0', '20', '22', '24', '26'].map((each) => runtime(`node${each}`, `node${each}/bin/node`, ['main.js'])),
  runtime('require20.0', 'node20.0/bin/node', ['main.cjs'], IMPORTS, `${ALL}, import() in CommonJS`),
  ...['20', '22', '24', '26'].map((each) =>
    runtime(`require${each}`, `node${each}/bin/node`, ['main.cjs'], REQUIRES, `${ALL}, require()`),
  ),
  runtime('deno', '@deno/linux-x64-glibc/deno', ['run', '--allow-read', '--cached-only', 'main.js']),
  runtime('bun', '@oven/bun-linux-x64/bin/bun', ['main.js']),
];

/** Bundles by esbuild. @param {string} folder @param {import('esbuild').BuildOptions} options */
const bundle = (folder, options) =>
  build({
    absWorkingDir: folder,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    outdir: 'dist',
    logLevel: 'silent',
    ...options,
  });

/** @param {string} name @param {import('esbuild').BuildOptions} options @returns {Target} */
const esbuild = (name, options) => ({
  name,
  version: () => version('esbuild'),
  what: `${ALL}, run in Node`,
  files: PRINTS,
  async run(folder) {
    await bundle(folder, { entryPoints: ['main.js'], ...options });
    const bytes = bytesOf(join(folder, 'dist'));
    return { bytes, answers: [printed(await run(process.execPath, ['dist/main.js'], { cwd: folder }))] };
  },
  sample: true,
});

/** @type {Target[]} */
const bundlers = [
  esbuild('esbuild', {}),
  esbuild('esbuild-splitting', { splitting: true }),
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
  ...['webpack', 'webpack-worker'].map((name) => ({
    name,
    version: () => version('webpack'),
    what: name === 'webpack' ? ALL : `${ALL}, core in a worker`,
    files: name === 'webpack' ? PAGE : coreWorker("const wasm = new URL('glassformer/simd.wasm', import.meta.url);\n"),
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
];

/** @type {(major: string) => Target[]} */
const vite = (major) => {
  const cli = () => tool(`vite${major}/bin/vite.js`);
  const about = { version: () => version(`vite${major}`) };
  const building = async (/** @type {string} */ folder) => {
    const text = await run(node(), [cli(), 'build', '--base', './'], { cwd: folder });
    assert.doesNotMatch(text, /warn/i);
    return open(folder);
  };
  return [
    {
      ...about,
      name: `vite${major}-dev`,
      what: ALL,
      files: PAGE,
      async run(folder) {
        const port = await freePort();
        const url = `http://127.0.0.1:${port}/`;
        const args = [cli(), '--host', '127.0.0.1', '--port', `${port}`, '--strictPort'];
        return serving(node(), args, { cwd: folder }, url, async () => ({
          answers: [await answerOf('chromium', url)],
        }));
      },
    },
    { ...about, name: `vite${major}-build`, what: ALL, files: PAGE, run: building },
    {
      ...about,
      name: `vite${major}-worker`,
      what: `${ALL}, core in the default (iife) worker`,
      files: coreWorker("import wasm from 'glassformer/simd.wasm?url';\n"),
      run: building,
    },
  ];
};

/** @type {(name: string, flags: string[]) => Target} */
const next = (name, flags) => ({
  name: `next-${name}`,
  version: () => version('next'),
  what: `${ALL}, client component and route handler`,
  files: {
    // the tools lie outside of the project
    'next.config.mjs': "export default { turbopack: { root: '/' }, outputFileTracingRoot: '/' };\n",
    'app/layout.jsx': 'export default ({ children }) => <html lang="en"><body>{children}</body></html>;\n',
    'app/page.jsx': `'use client';
      import { useEffect } from 'react';
      ${DEFAULT.replace('./program.js', '../program.js')}
      export default function Page() {
        useEffect(() => void answer(program(load)), []);
        return <h1>smoke</h1>;
      }\n`,
    'app/answer/route.js': `${DEFAULT.replace('./program.js', '../../program.js')}
      export const dynamic = 'force-dynamic';
      export const GET = async () => Response.json(await program(load));\n`,
  },
  async run(folder) {
    const env = { NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' };
    const cli = tool('next/dist/bin/next');
    await run(node(), [cli, 'build', ...flags], { cwd: folder, env, seconds: 300 });
    const bytes = bytesOf(join(folder, '.next/static'));
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/`;
    return serving(node(), [cli, 'start', '-p', `${port}`, '-H', '127.0.0.1'], { cwd: folder, env }, url, async () => {
      const route = await (await fetch(`${url}answer`)).json();
      return { bytes, answers: [await answerOf('chromium', url), route] };
    });
  },
});

// ---- Pages and workers without a bundler

/** Names entries by their address. @param {string} folder @param {string} text @param {string} [origin] */
const unbundled = (folder, text, origin = '') =>
  text.replace(/'glassformer(\/\w+)?'/g, (_, entry = '') => `'${origin}${address(folder, `.${entry}`)}'`);

/** @param {string} folder @param {Record<string, string>} files their entries as addresses */
async function unbundle(folder, files) {
  for (const [name, text] of Object.entries({ 'program.js': fixture('program.js'), ...files }))
    await writeFile(join(folder, name), unbundled(folder, text));
}

/** @type {(engine: string) => Target[]} */
const pages = (engine) => {
  const about = { version: () => engineVersion(engine) };
  return [
    {
      ...about,
      name: `script-${engine}`,
      what: `${ALL}, script tag and CDN file of another origin`,
      async run(folder) {
        const { jsdelivr, unpkg } = JSON.parse(
          readFileSync(join(folder, 'node_modules/glassformer/package.json'), 'utf8'),
        );
        assert(unpkg && jsdelivr === unpkg, 'package.json names no file for the CDNs (jsdelivr, unpkg)');
        const main = `${DEFAULT}import { load as small } from '${join('/node_modules/glassformer', unpkg)}';
          answer(program(load).then(async (value) => [value, await program(small)]));\n`;
        await unbundle(folder, { 'main.js': main });
        return served(folder, async (foreign) => {
          await writeFile(join(folder, 'index.html'), html(`${foreign}main.js`));
          return { answers: await served(folder, (url) => answerOf(engine, url)) };
        });
      },
    },
    {
      ...about,
      name: `worker-${engine}`,
      what: `${ALL}, module worker`,
      async run(folder) {
        await unbundle(folder, withWorker(`${DEFAULT}answer(program(load), (value) => postMessage(value));\n`));
        return { answers: [await served(folder, (url) => answerOf(engine, url))] };
      },
    },
    {
      ...about,
      name: `service-${engine}`,
      what: `${ALL}, core in a service worker`,
      files: {
        'worker.js': `${CORE}
          self.addEventListener('message', ({ ports: [port] }) =>
            answer(program(load, { wasm: './simd.wasm' }), (value) => port.postMessage(value)));\n`,
        'dist/index.html': html('./main.js'),
        'dist/main.js': `
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = ({ data }) => (globalThis.answer = data);
          navigator.serviceWorker.register('./worker.js').then(
            ({ installing }) => installing.addEventListener('statechange', () => {
              if (installing.state === 'activated') installing.postMessage('', [port2]);
            }),
            (error) => (globalThis.answer = { error: String(error) }));\n`,
      },
      async run(folder) {
        await bundle(folder, { entryPoints: ['worker.js'], format: 'iife' });
        await copyFile(join(folder, address(folder, './simd.wasm')), join(folder, 'dist/simd.wasm'));
        const answers = [await served(join(folder, 'dist'), (url) => answerOf(engine, url))];
        return { answers, bytes: statSync(join(folder, 'dist/worker.js')).size };
      },
    },
  ];
};

/** @type {Target[]} */
const others = [
  {
    name: 'workerd',
    version: () => `${version('workerd')}, wrangler ${version('wrangler')}`,
    what: `${ALL}, wrangler dev`,
    files: {
      'wrangler.json': JSON.stringify({ name: 'smoke', main: 'worker.js', compatibility_date: '2026-01-01' }),
      'worker.js': `${DEFAULT}
        export default { fetch: () => program(load).then(
          (value) => Response.json(value),
          (error) => new Response(error.stack, { status: 500 })) };\n`,
    },
    async run(folder) {
      const port = await freePort();
      const url = `http://127.0.0.1:${port}/`;
      const env = { WRANGLER_SEND_METRICS: 'false', XDG_CONFIG_HOME: folder, WRANGLER_LOG_PATH: folder };
      const args = [tool('wrangler/bin/wrangler.js'), 'dev', '--ip', '127.0.0.1', '--port', `${port}`];
      return serving(node(), args, { cwd: folder, env }, url, async () => {
        const response = await fetch(url);
        const text = await response.text();
        assert.equal(response.status, 200, text);
        return { answers: [JSON.parse(text)] };
      });
    },
  },
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
  ...['node', 'happy-dom', 'jsdom'].map((environment) => ({
    name: `vitest-${environment}`,
    version: () => [version('vitest'), environment !== 'node' && version(environment)].filter(Boolean).join(', '),
    what: ALL,
    files: {
      'smoke.test.js': `${DEFAULT}
        import { writeFileSync } from 'node:fs';
        import { test } from 'vitest';
        test('the program', async () => writeFileSync('answer.json', JSON.stringify(await program(load))));\n`,
    },
    async run(/** @type {string} */ folder) {
      await run(node(), [tool('vitest/vitest.mjs'), 'run', '--environment', environment], { cwd: folder });
      return { answers: [JSON.parse(readFileSync(join(folder, 'answer.json'), 'utf8'))] };
    },
  })),
  ...typescript,
  {
    name: 'publint',
    version: () => version('publint'),
    what: '--strict, of the packed file',
    async run(folder) {
      const text = await run(node(), [tool('publint/src/cli.js'), '--strict', packed(folder)], { cwd: folder });
      assert.match(text, /All good!/);
      return { bytes: statSync(packed(folder)).size };
    },
  },
  {
    name: 'attw',
    version: () => version('@arethetypeswrong/cli'),
    what: '--profile esm-only, of the packed file',
    async run(folder) {
      const cli = tool('@arethetypeswrong/cli/dist/index.js');
      await run(node(), [cli, '--profile', 'esm-only', packed(folder)], { cwd: folder });
      return { bytes: statSync(packed(folder)).size };
    },
  },
  {
    name: 'pack',
    version: () => JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version,
    what: 'npm pack twice gives the same bytes',
    async run(folder) {
      const [first, second] = ['first', 'second'].map((name) => readFileSync(pack(join(folder, name))));
      assert(first.equals(second), 'the two files differ');
      return { bytes: first.length };
    },
    sample: true,
  },
];

/** The packed file, beside all projects. @param {string} folder of a project */
const packed = (folder) => {
  const [name] = readdirSync(join(folder, '..')).filter((each) => each.endsWith('.tgz'));
  return join(folder, '..', name);
};

/** @type {Target[]} */
export const targets = [
  ...nodes,
  ...bundlers,
  ...['5', '7', '8'].flatMap(vite),
  next('webpack', ['--webpack']),
  next('turbopack', ['--turbopack']),
  ...['chromium', 'firefox', 'webkit'].flatMap(pages),
  ...others,
];
