// Chromium, Firefox and WebKitGTK behind one small interface, and what a page must not do in any of them.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, firefox } from 'playwright-core';
import subsetFont from 'subset-font';
import { serve } from '../../src/tools/serve.mjs';
import { launchWebKit } from './webkit.js';

// As root Chromium needs --no-sandbox; the others keep it from calling home.
export const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * A page of an engine. `messages`: errors and warnings that the driver reports, those of workers too;
 * `evaluate`: runs a function in the page, with one argument; `press`: a key, with Shift+ or Control+ before it;
 * `point`: moves the pointer in the window, and presses it there.
 * @typedef {{
 *   version: string, messages: string[], goto: (url: string) => Promise<any>,
 *   evaluate: (action: (argument: any) => any, argument?: any) => Promise<any>,
 *   press: (key: string) => Promise<any>, click: (selector: string) => Promise<any>,
 *   point: (x: number, y: number, press?: boolean) => Promise<any>,
 *   screenshot: () => Promise<Buffer>, close: () => Promise<any>,
 * }} EnginePage
 */

/**
 * A program that the user names, or else the first of these on the PATH.
 * @param {string} variable
 * @param {string[]} names
 */
function program(variable, ...names) {
  for (const name of [process.env[variable] || names].flat()) {
    try {
      return execFileSync('sh', ['-c', 'command -v "$0"', name], { encoding: 'utf8' }).trim();
    } catch {
      /* the next one */
    }
  }
  return '';
}

/** The browser that the build found or made. */
const made = fileURLToPath(new URL('../../dist/tools/chromium', import.meta.url));

/** @type {Record<string, () => string>} how to find each engine; '' where it is not installed */
const PROGRAMS = {
  chromium: () => program('CHROMIUM', ...(existsSync(made) ? [readFileSync(made, 'utf8').trim()] : []), 'chromium'),
  firefox: () => program('FIREFOX', 'firefox-esr', 'firefox'),
  webkit: () => program('', 'Xvfb') && program('WEBKIT', 'WebKitWebDriver'),
};

/** The engines that are installed here, and those that are not. */
export function engines() {
  const all = Object.keys(PROGRAMS);
  const present = all.filter((name) => PROGRAMS[name]());
  return { present, absent: all.filter((name) => !present.includes(name)) };
}

/**
 * Chromium, for tests that use all that playwright can do. None is an error, never a reason to skip.
 * @param {Fonts} [fonts]
 */
export function launchChromium(fonts) {
  const executablePath = PROGRAMS.chromium();
  if (!executablePath) throw new Error('these tests need Chromium: set CHROMIUM or run npm test, which gets it');
  const own = fonts ? { executablePath: fonts.wrap(executablePath), env: fonts.env } : { executablePath };
  return chromium.launch({ args: FLAGS, ...own });
}

/**
 * Lets a browser find the fonts of a folder, and no others: its environment, and a copy of a script that starts a
 * browser with fonts of its own (src/tools/tools.sh).
 * @typedef {{env: Record<string, string>, wrap: (program: string) => string, remove: () => void}} Fonts
 */

/** One installed font, which has English letters and not one sign. @returns {Promise<Fonts>} */
export async function lettersOnly() {
  const folder = mkdtempSync(join(tmpdir(), 'glassformer-'));
  const letters = String.fromCharCode(...Array.from({ length: 95 }, (_, i) => 32 + i));
  const inter = readFileSync(fileURLToPath(import.meta.resolve('inter-ui/variable/InterVariable.woff2')));
  writeFileSync(
    join(folder, 'letters.ttf'),
    await subsetFont(inter, letters, { targetFormat: 'truetype', variationAxes: { wght: 400, opsz: 14 } }),
  );
  const config = join(folder, 'fonts.conf');
  // The machine's smoothing of letters stays as it is.
  const smoothing = '<include ignore_missing="yes">/etc/fonts/conf.d</include>';
  writeFileSync(config, `<fontconfig><dir>${folder}</dir><cachedir>${folder}</cachedir>${smoothing}</fontconfig>`);
  const env = /** @type {Record<string, string>} */ ({ ...process.env, FONTCONFIG_FILE: config });
  return {
    env,
    wrap(program) {
      const script = readFileSync(program).subarray(0, 4096).toString('latin1');
      if (!/^#!.*\n/.test(script) || !script.includes('FONTCONFIG_FILE=')) return program;
      const copy = join(folder, 'browser');
      writeFileSync(copy, script.replace(/FONTCONFIG_FILE='[^']*'/, ''), { mode: 0o755 });
      return copy;
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}

/**
 * Starts an engine that is installed, with a page.
 * @param {string} name
 * @param {{dark?: boolean, proxy?: import('./network.js').Proxy, fonts?: Fonts}} [options]
 * @returns {Promise<EnginePage>}
 */
export async function launchEngine(name, { dark = false, proxy, fonts } = {}) {
  if (name === 'webkit') return launchWebKit(PROGRAMS.webkit(), { dark, proxy, fonts });
  const browser =
    name === 'chromium'
      ? await launchChromium(fonts)
      : await firefox.launch({
          channel: 'moz-firefox',
          executablePath: PROGRAMS.firefox(),
          ...(fonts && { env: fonts.env }),
          firefoxUserPrefs: { 'layout.css.prefers-color-scheme.content-override': dark ? 0 : 1 },
        });
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    colorScheme: dark ? 'dark' : 'light',
    ...(proxy && { proxy, ignoreHTTPSErrors: true }),
  });
  const page = await context.newPage();
  /** @type {string[]} */
  const messages = [];
  page.on(
    'console',
    (message) => /warning|error/.test(message.type()) && messages.push(`console ${message.type()}: ${message.text()}`),
  );
  // Firefox reports an import or a face that it drops because the page is left (NS_BINDING_ABORTED), at times once the
  // next document stands; that is no failure of the page. A living document notes its failed imports itself, as a
  // rejection; a face that cannot be had has another status.
  const DROPPED = /error loading dynamically imported module|^download failed \(font-family.* status=2152398850 /;
  page.on('pageerror', ({ message }) => {
    if (!DROPPED.test(message)) messages.push(`exception: ${message}`);
  });
  return {
    version: `${name} ${browser.version()}`,
    messages,
    goto: (url) => page.goto(url),
    evaluate: (action, argument = null) => page.evaluate(action, argument),
    press: (key) => page.keyboard.press(key),
    click: (selector) => page.locator(selector).first().click(),
    point: (x, y, press = false) => page.mouse[press ? 'click' : 'move'](x, y),
    screenshot: () => page.screenshot(),
    close: () => browser.close(),
  };
}

/**
 * Waits until a function, asked again and again in the page, gives something true; that is returned.
 * @param {EnginePage} page
 * @param {(argument: any) => any} action
 * @param {any} [argument]
 */
export async function until(page, action, argument = null, milliseconds = 30_000) {
  for (const end = Date.now() + milliseconds; ;) {
    const value = await page.evaluate(action, argument);
    if (value) return value;
    if (Date.now() > end) throw new Error(`waited in vain for ${action}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

// Stands before all scripts of the page, as not every driver reports the console.
const WATCH = `
self.problems = [];
const note = (what, text) => problems.push(what + ': ' + text);
for (const what of ['error', 'warn']) {
  const say = console[what];
  console[what] = (...words) => { note('console ' + what, words.join(' ')); say.apply(console, words); };
}
addEventListener('error', event => note('error', event.message || event.target.outerHTML), true);
addEventListener('unhandledrejection', ({ reason }) => note('rejection', reason));
addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => note(violatedDirective, blockedURI));
new PerformanceObserver(list => {
  const foreign = name => /^(?!data:|blob:)/.test(name) && new URL(name).origin !== location.origin;
  for (const { name } of list.getEntries()) if (foreign(name)) note('foreign request', name);
}).observe({ type: 'resource', buffered: true });`;

/**
 * Serves a copy of the built page in which watch.js notes what must not happen, the package under
 * package/, and more files by name.
 * @param {Record<string, string | Uint8Array>} [more]
 */
export async function serveWatched(more = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'glassformer-'));
  const dist = fileURLToPath(new URL('../../dist/', import.meta.url));
  cpSync(`${dist}web`, folder, { recursive: true });
  for (const name of ['js', 'tasks', 'claims', 'elements.js', 'elements', 'models', 'simd.wasm.js', 'relaxed.wasm.js'])
    cpSync(dist + name, join(folder, 'package', name), { recursive: true });
  const page = readFileSync(join(folder, 'index.html'), 'utf8');
  const files = {
    'watch.js': WATCH,
    'index.html': page.replace('<head>', '<head><script src="watch.js"></script>'),
    ...more,
  };
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  const server = await serve({ port: 0, folder });
  return {
    url: server.url,
    /** Puts text after a file's own until that is taken back. @param {string} name @param {string} text */
    append(name, text) {
      const own = readFileSync(join(folder, name));
      writeFileSync(join(folder, name), `${own}\n${text}`);
      return () => writeFileSync(join(folder, name), own);
    },
    async close() {
      await server.close();
      rmSync(folder, { recursive: true });
    },
  };
}
