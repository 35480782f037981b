// Node and its kin, and the runner of tests that has its own ways of loading.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ALL, DEFAULT, ENTRIES_PRINTS, OTHERS, PRINTS, REMOTE, printed } from './programs.js';
import { freePort, node, run, serving, tool, version } from './project.js';

/** @typedef {import('./targets.js').Target} Target */

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

const read = (/** @type {string} */ path) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
/** The oldest Node that the package supports, and the newest ones of later versions: those of the tools. */
const [OLDEST] = /[\d.]+/.exec(read('../../package.json').engines.node) ?? [''];
const TOOLS = Object.keys(read('package.json').optionalDependencies);
const NODES = TOOLS.flatMap((name) => /^node(\d+)$/.exec(name)?.[1] ?? []);
const DENO = '@deno/linux-x64-glibc/deno';
const BUN = '@oven/bun-linux-x64/bin/bun';
const REMOTE_PRINTS = { 'main.js': `${REMOTE}console.log(JSON.stringify(await remote));\n` };
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

/** Jest looks for tests by name, and transforms nothing of ES modules. */
const JEST = '{ "type": "module", "jest": { "transform": {} } }';

/** @type {(name: string, file: string, text: string) => Target} */
const jest = (name, file, text) => ({
  name: `jest-${name}`,
  version: () => version('jest'),
  what: ALL,
  files: { 'package.json': JEST, [file]: text },
  async run(folder) {
    const args = ['--experimental-vm-modules', tool('jest/bin/jest.js')];
    await run(node(), args, { cwd: folder });
    return { answers: [JSON.parse(readFileSync(join(folder, 'answer.json'), 'utf8'))] };
  },
});

/** @type {Target[]} */
export const runtimes = [
  {
    name: 'node',
    version: () => process.versions.node,
    what: `${ALL}, this Node`,
    files: PRINTS,
    run: async (folder) => ({ answers: [printed(await run(process.execPath, ['main.js'], { cwd: folder }))] }),
    sample: true,
  },
  {
    name: 'entries',
    version: () => process.versions.node,
    what: `${OTHERS}, this Node`,
    files: ENTRIES_PRINTS,
    run: async (folder) => ({ answers: [printed(await run(process.execPath, ['main.js'], { cwd: folder }))] }),
    sample: true,
  },
  ...['20', '26'].map((each) => runtime(`entries${each}`, `node${each}/bin/node`, ['main.js'], ENTRIES_PRINTS, OTHERS)),
  runtime('entries-deno', DENO, ['run', '--allow-read', '--cached-only', 'main.js'], ENTRIES_PRINTS, OTHERS),
  runtime('entries-bun', BUN, ['main.js'], ENTRIES_PRINTS, OTHERS),
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
  ...[OLDEST, ...NODES].map((each) => runtime(`node${each}`, `node${each}/bin/node`, ['main.js'])),
  runtime(`require${OLDEST}`, `node${OLDEST}/bin/node`, ['main.cjs'], IMPORTS, `${ALL}, import() in CommonJS`),
  ...NODES.map((each) =>
    runtime(`require${each}`, `node${each}/bin/node`, ['main.cjs'], REQUIRES, `${ALL}, require()`),
  ),
  ...[OLDEST, ...NODES.slice(-1)].map((each) =>
    runtime(`remote${each}`, `node${each}/bin/node`, ['main.js'], REMOTE_PRINTS, `${ALL}, in a worker`),
  ),
  runtime(
    'remote-deno',
    DENO,
    ['run', '--allow-read', '--cached-only', 'main.js'],
    REMOTE_PRINTS,
    `${ALL}, in a worker`,
  ),
  runtime('remote-bun', BUN, ['main.js'], REMOTE_PRINTS, `${ALL}, in a worker`),
  runtime('deno', DENO, ['run', '--allow-read', '--cached-only', 'main.js']),
  runtime('bun', BUN, ['main.js']),
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
  jest(
    'esm',
    'smoke.test.js',
    `${DEFAULT}
      import { writeFileSync } from 'node:fs';
      test('the program', async () => writeFileSync('answer.json', JSON.stringify(await program(load))));\n`,
  ),
  jest(
    'commonjs',
    'smoke.test.cjs',
    `const { writeFileSync } = require('node:fs');
      test('the program', async () => {
        const [{ load }, { program }] = [await import('glassformer'), await import('./program.js')];
        writeFileSync('answer.json', JSON.stringify(await program(load)));
      });\n`,
  ),
  ...['node', 'happy-dom', 'jsdom'].map((environment) => ({
    name: `vitest-${environment}`,
    version: () => [version('vitest'), environment !== 'node' && version(environment)].filter(Boolean).join(', '),
    what: environment === 'node' ? ALL : `${ALL}, <glass-heatmap>`,
    files: {
      'smoke.test.js': `${DEFAULT}
        import 'glassformer/elements';
        import { writeFileSync } from 'node:fs';
        import { expect, test } from 'vitest';
        test('the program', async () => writeFileSync('answer.json', JSON.stringify(await program(load))));
        test.runIf(globalThis.document)('the element', () => {
          const map = document.body.appendChild(document.createElement('glass-heatmap'));
          map.matrix = { data: [0.5, 0.25], shape: [1, 1, 2] };
          map.cursor = { row: 0, column: 1 };
          expect(map.shadowRoot.querySelector('.map-readout').textContent).toMatch(/^row 0, column 1 0[.]2500/);
        });\n`,
    },
    async run(/** @type {string} */ folder) {
      await run(node(), [tool('vitest/vitest.mjs'), 'run', '--environment', environment], { cwd: folder });
      return { answers: [JSON.parse(readFileSync(join(folder, 'answer.json'), 'utf8'))] };
    },
  })),
];
