// Pages and workers without a bundler, in three browsers.
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ALL, ANSWERS, CORE, DEFAULT, ENTRIES_PAGE, OTHERS, REMOTE_PAGE } from './programs.js';
import { address, bundle, withWorker } from './programs.js';
import { answerOf, engineVersion, fixture, html, served } from './project.js';

/** @typedef {import('./targets.js').Target} Target */

/** Names entries by their address. @param {string} folder @param {string} text @param {string} [origin] */
const unbundled = (folder, text, origin = '') =>
  text.replace(/'glassformer(\/\w+)?'/g, (_, entry = '') => `'${origin}${address(folder, `.${entry}`)}'`);

/** @param {string} folder @param {Record<string, string>} files their entries as addresses */
async function unbundle(folder, files) {
  const programs = Object.fromEntries(['program.js', 'entries.js'].map((each) => [each, fixture(each)]));
  for (const [name, text] of Object.entries({ ...programs, ...files }))
    await writeFile(join(folder, name), unbundled(folder, text));
}

/** @type {(engine: string) => Target[]} */
const inEngine = (engine) => {
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
        const main = `${DEFAULT}import '${join('/node_modules/glassformer', unpkg)}';
          answer(program(load).then(async (value) => [value, await program(glassformer.load)]));\n`;
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
        await unbundle(folder, withWorker(ANSWERS));
        return { answers: [await served(folder, (url) => answerOf(engine, url))] };
      },
    },
    {
      ...about,
      name: `remote-${engine}`,
      what: `${ALL}, in a worker`,
      async run(folder) {
        await unbundle(folder, REMOTE_PAGE);
        return { answers: [await served(folder, (url) => answerOf(engine, url))] };
      },
    },
    {
      ...about,
      name: `entries-${engine}`,
      what: OTHERS,
      async run(folder) {
        await unbundle(folder, ENTRIES_PAGE);
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

export const pages = ['chromium', 'firefox', 'webkit'].flatMap(inEngine);
