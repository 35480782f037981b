// Every WebAssembly engine at hand, behind one call: in a fresh process, call a module's default export.
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { firefox } from 'playwright-core';
import { startWebKit } from '../web/webkit.js';
import { executable, inBrowser, serve } from './browser.js';

// The processes that run pages, as the system calls them: the first 15 letters.
const RENDERERS = /^(Isolated Web Co|Web Content|WebKitWebProces)$/;
const CAN_RELAX = ['--experimental-wasm-relaxed-simd'];

/**
 * @typedef {object} WasmEngine
 * @property {string} name
 * @property {(module: string, options: unknown) => Promise<{version: string, value: any}>} run calls the default export
 *   of a module, its path from the top of the checkout; options and result go as JSON
 */

/** @returns {{engines: WasmEngine[], absent: string[]}} those that are here, and the names of the others */
export function findEngines() {
  const node = (version) => fileURLToPath(new URL(`node_modules/node${version}/bin/node`, import.meta.url));
  const webkit = which('Xvfb') && which('WebKitWebDriver');
  const all = [
    ['Node', process.execPath, inNode(process.execPath)],
    ['Node, relaxed flag', process.version.startsWith('v20.') && process.execPath, inNode(process.execPath, CAN_RELAX)],
    ['Node 22', node(22), inNode(node(22))],
    ['Node 24', node(24), inNode(node(24))],
    ['Chromium', executable(), inChromium],
    ['Firefox', which('firefox-esr'), inFirefox],
    ['WebKitGTK', webkit, inWebKit(false)],
    ['WebKitGTK, relaxed flag', webkit, inWebKit(true)],
  ];
  const here = ([, program]) => Boolean(program) && existsSync(program);
  return {
    engines: all.filter(here).map(([name, , run]) => ({ name, run })),
    absent: all.filter((engine) => !here(engine)).map(([name]) => name),
  };
}

function which(program) {
  try {
    return execFileSync('sh', ['-c', 'command -v "$0"', program], { encoding: 'utf8' }).trim();
  } catch {
    return '';
  }
}

function inNode(program, flags = []) {
  return async (module, options) => {
    const script = `
      const { default: run } = await import(${JSON.stringify(new URL(`../../${module}`, import.meta.url))});
      const value = await run(${JSON.stringify(options)});
      console.log(JSON.stringify({ version: \`\${process.versions.node}, V8 \${process.versions.v8}\`, value }));`;
    const { stdout } = await promisify(execFile)(program, [...flags, '--input-type=module', '-e', script]);
    return JSON.parse(stdout);
  };
}

async function inChromium(module, options) {
  const version = execFileSync(executable(), ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return { version: version.match(/[\d.]+/)[0], value: await inBrowser(module, options) };
}

async function inFirefox(module, options) {
  const server = await serve(renderers);
  const browser = await firefox.launch({ channel: 'moz-firefox', executablePath: which('firefox-esr') });
  try {
    const page = await browser.newPage();
    await page.goto(server.url);
    return { version: browser.version(), value: await page.evaluate(call(module, options)) };
  } finally {
    await browser.close();
    server.close();
  }
}

/** The processes below this one that run pages: where their clock is read. */
function renderers() {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((id) => {
      try {
        const [, name, parent] = readFileSync(`/proc/${id}/stat`, 'utf8').match(/\((.*)\) \S (\d+)/);
        return [{ id: Number(id), name, parent: Number(parent) }];
      } catch {
        return []; // it has ended meanwhile
      }
    });
  const below = (/** @type {number} */ parent) =>
    all.filter((one) => one.parent === parent).flatMap((one) => [one, ...below(one.id)]);
  return below(process.pid)
    .filter(({ name }) => RENDERERS.test(name))
    .map(({ id }) => id);
}

/** The script that a page runs. @param {string} module @param {unknown} options */
const call = (module, options) => `import('/${module}').then((module) => module.default(${JSON.stringify(options)}))`;

/** WebKitGTK. @param {boolean} relaxed whether its relaxed SIMD, off by default, is on */
function inWebKit(relaxed) {
  return async (module, options) => {
    const server = await serve(renderers);
    const browser = await startWebKit('WebKitWebDriver', { JSC_useWasmRelaxedSIMD: String(Number(relaxed)) });
    try {
      await browser.send('POST', '/url', { url: server.url });
      return {
        version: browser.capabilities.browserVersion,
        value: await browser.evaluate(`() => ${call(module, options)}`),
      };
    } finally {
      await browser.close();
      server.close();
    }
  };
}
