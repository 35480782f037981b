// WebKitGTK by plain W3C WebDriver: its driver starts a browser, and takes HTTP.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

// Keys that are no character have code points of their own in WebDriver.
const KEYS = {
  Backspace: '\uE003', Tab: '\uE004', Enter: '\uE007', Escape: '\uE00C', PageUp: '\uE00E', PageDown: '\uE00F', End: '\uE010', Home: '\uE011',
  ArrowLeft: '\uE012', ArrowUp: '\uE013', ArrowRight: '\uE014', ArrowDown: '\uE015',
};
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

/** A port that nobody listens at. @returns {Promise<number>} */
const freePort = () => new Promise((resolve, reject) => {
  const server = createServer().once('error', reject).listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    server.close(() => resolve(port));
  });
});

/**
 * Starts a browser; the page it gives is that of engines.js.
 * @param {string} driver path of WebKitWebDriver
 * @param {{dark?: boolean}} [options]
 */
export async function launchWebKit(driver, { dark = false } = {}) {
  const port = await freePort();
  const screen = spawn('Xvfb', ['-displayfd', '3', '-nolisten', 'tcp', '-screen', '0', '1280x1000x24'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  const [display] = await once(screen.stdio[3], 'data');
  const env = {
    ...process.env, DISPLAY: `:${display}`.trim(), LANG: 'en_US.UTF-8', LIBGL_ALWAYS_SOFTWARE: '1', GTK_THEME: dark ? 'Adwaita:dark' : 'Adwaita',
    JSC_useConcurrentJIT: '0', // with it 2.50 reports "Out of bounds memory access" in 5 of 320 fresh instances, without in none
  };
  const child = spawn(driver, [`--port=${port}`], { env, detached: true, stdio: 'ignore' });
  const kill = () => {
    screen.kill();
    try {
      process.kill(-child.pid); // the whole group: driver and browser
    } catch { /* it has ended */ }
  };
  process.once('exit', kill);
  /** @param {string} method @param {string} path @param {object} [body] */
  async function ask(method, path, body) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, ...(body ? { body: JSON.stringify(body) } : {}) });
    const { value } = await response.json();
    if (value?.error) throw new Error(`${value.error}: ${value.message}`);
    return value;
  }
  for (let tries = 0; ; tries++) {
    try {
      await ask('GET', '/status');
      break;
    } catch (error) {
      if (tries === 100) throw error;
      await wait(200);
    }
  }
  const { sessionId, capabilities } = await ask('POST', '/session', { capabilities: {} });
  const session = (method, path, body) => ask(method, `/session/${sessionId}${path}`, body);
  await session('POST', '/timeouts', { script: 120_000, pageLoad: 120_000 });
  await session('POST', '/window/rect', { width: 1280, height: 900 });
  const find = async selector => ({ [ELEMENT]: (await session('POST', '/element', { using: 'css selector', value: selector }))[ELEMENT] });
  return {
    version: `${capabilities.browserName} ${capabilities.browserVersion}`,
    told: [], // the driver does not say
    goto: url => session('POST', '/url', { url }),
    async evaluate(deed, argument = null) {
      const script = `const done = arguments[1];
        Promise.resolve(arguments[0]).then(${deed}).then(value => done({ value }), error => done({ error: error + ', ' + error?.stack }))`;
      const { value, error } = await session('POST', '/execute/async', { script, args: [argument] });
      if (error) throw new Error(error);
      return value;
    },
    async press(key) {
      const value = KEYS[key] ?? key;
      await session('POST', '/actions', { actions: [{ type: 'key', id: 'keys', actions: [{ type: 'keyDown', value }, { type: 'keyUp', value }] }] });
    },
    async click(selector) {
      const { [ELEMENT]: id } = await find(selector);
      await session('POST', `/element/${id}/click`, {});
    },
    screenshot: async () => Buffer.from(await session('GET', '/screenshot'), 'base64'),
    async close() {
      await session('DELETE', '').catch(() => {});
      process.off('exit', kill);
      kill();
    },
  };
}
