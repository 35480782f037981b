// WebKitGTK by plain W3C WebDriver: its driver starts a browser, and takes HTTP.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

// Keys that are no character have code points of their own in WebDriver.
const KEYS = {
  Backspace: '\uE003',
  Tab: '\uE004',
  Enter: '\uE007',
  Shift: '\uE008',
  Control: '\uE009',
  Escape: '\uE00C',
  PageUp: '\uE00E',
  PageDown: '\uE00F',
  End: '\uE010',
  Home: '\uE011',
  ArrowLeft: '\uE012',
  ArrowUp: '\uE013',
  ArrowRight: '\uE014',
  ArrowDown: '\uE015',
};

/** A port that nobody listens at. @returns {Promise<number>} */
const freePort = () =>
  new Promise((resolve, reject) => {
    const server = createServer()
      .once('error', reject)
      .listen(0, '127.0.0.1', () => {
        const { port } = server.address();
        server.close(() => resolve(port));
      });
  });

/**
 * A program that cannot outlive this one, however that ends: a shell waits for the end of a pipe from here,
 * then ends the whole group.
 * @param {string} program @param {string[]} args @param {Record<string, string | undefined>} env @param {'pipe'[]}
 *   pipes from 3 on
 */
function tied(program, args, env, ...pipes) {
  const shell = spawn('sh', ['-c', '"$0" "$@" & read end; kill 0', program, ...args], {
    env,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore', ...pipes],
  });
  const end = async () => {
    const ended = once(shell, 'exit');
    shell.stdin?.end();
    await ended;
  };
  return { shell, end };
}

/**
 * Starts driver and browser on their own screen.
 * @param {string} driver path of WebKitWebDriver
 * @param {Record<string, string>} [env] what they find in the environment besides
 * @param {object} [wanted] capabilities
 */
export async function startWebKit(driver, env = {}, wanted = {}) {
  const port = await freePort();
  const screen = tied(
    'Xvfb',
    ['-displayfd', '3', '-nolisten', 'tcp', '-screen', '0', '1280x1000x24'],
    process.env,
    'pipe',
  );
  const [display] = await once(screen.shell.stdio[3], 'data');
  const browser = tied(driver, [`--port=${port}`], {
    ...process.env,
    DISPLAY: `:${display}`.trim(),
    LANG: 'en_US.UTF-8',
    LIBGL_ALWAYS_SOFTWARE: '1',
    ...env,
  });
  /** @param {string} method @param {string} path @param {object} [body] */
  async function ask(method, path, body) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
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
  const { sessionId, capabilities } = await ask('POST', '/session', { capabilities: { alwaysMatch: wanted } });
  /** Asks the session. @param {string} method @param {string} path @param {object} [body] */
  const send = (method, path, body) => ask(method, `/session/${sessionId}${path}`, body);
  await send('POST', '/timeouts', { script: 600_000, pageLoad: 120_000 });
  return {
    capabilities,
    send,
    /**
     * Runs a function in the page, with one argument.
     * @param {((argument: any) => any) | string} action
     * @param {any} [argument]
     */
    async evaluate(action, argument = null) {
      const script = `const done = arguments[1];
        const failed = error => done({ error: error + ', ' + error?.stack });
        Promise.resolve(arguments[0]).then(${action}).then(value => done({ value }), failed)`;
      const { value, error } = await send('POST', '/execute/async', { script, args: [argument] });
      if (error) throw new Error(error);
      return value;
    },
    async close() {
      await send('DELETE', '').catch(() => {});
      await browser.end();
      await screen.end();
    },
  };
}

/**
 * Runs in the page: the middle of an element, once it rests in sight with nothing above it. The driver's own click
 * neither waits for that nor scrolls what lies in a scroller.
 * @param {string} selector
 */
async function whereToClick(selector) {
  let before = '';
  for (const end = performance.now() + 10_000; performance.now() < end; await new Promise(requestAnimationFrame)) {
    const element = document.querySelector(selector);
    element?.scrollIntoView({ block: 'center', behavior: 'instant' });
    const { left, top, width, height } = element?.getBoundingClientRect() ?? new DOMRect();
    const now = [left, top, width, height].join();
    const [x, y] = [left + width / 2, top + height / 2];
    const above = document.elementFromPoint(x, y);
    if (width && now === before && (element?.contains(above) || above?.closest('label')?.contains(element ?? null))) {
      Reflect.set(self, 'clicked', false);
      element?.addEventListener('click', () => Reflect.set(self, 'clicked', true), { capture: true, once: true });
      return { x, y };
    }
    before = now;
  }
  throw new Error(`${selector} cannot be clicked`);
}

/**
 * Starts a browser; the page it gives is that of engines.js.
 * @param {string} driver path of WebKitWebDriver
 * @param {{dark?: boolean, proxy?: import('./network.js').Proxy, fonts?: import('./engines.js').Fonts}} [options]
 */
export async function launchWebKit(driver, { dark = false, proxy, fonts } = {}) {
  const { capabilities, send, evaluate, close } = await startWebKit(
    driver,
    {
      GTK_THEME: dark ? 'Adwaita:dark' : 'Adwaita',
      WEBKIT_DISABLE_COMPOSITING_MODE: '1', // without a GPU layers take half of all its time
      ...(proxy && { https_proxy: proxy.server, no_proxy: proxy.bypass }),
      ...(fonts && { FONTCONFIG_FILE: fonts.env.FONTCONFIG_FILE }),
    },
    { acceptInsecureCerts: Boolean(proxy) },
  );
  await send('POST', '/window/rect', { width: 1280, height: 900 });
  /** @param {number} x @param {number} y in the window @param {boolean} [press] */
  async function point(x, y, press = false) {
    const button = ['pointerDown', 'pointerUp'].map((type) => ({ type, button: 0 }));
    const actions = [
      { type: 'pointerMove', x: Math.round(x), y: Math.round(y), duration: 0 },
      ...(press ? button : []),
    ];
    await send('POST', '/actions', {
      actions: [{ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions }],
    });
  }
  /** A page that writes its address can end a navigation that had just begun: then it is asked for again. */
  async function goto(/** @type {string} */ url) {
    const [file] = url.split('#');
    for (let tries = 0; tries < 100; tries++) {
      if (tries % 20 === 0) await send('POST', '/url', { url });
      const shown = await evaluate(() => location.href).catch(() => ''); // the page is being left
      if (shown.split('#')[0] === file) return;
      await wait(50);
    }
    throw new Error(`${url} is not opened`);
  }
  return {
    version: `${capabilities.browserName} ${capabilities.browserVersion}`,
    messages: [], // the driver does not say
    goto,
    evaluate,
    async press(key) {
      const values = key.split('+').map((name) => KEYS[name] ?? name);
      const actions = [
        ...values.map((value) => ({ type: 'keyDown', value })),
        ...values.reverse().map((value) => ({ type: 'keyUp', value })),
      ];
      await send('POST', '/actions', { actions: [{ type: 'key', id: 'keys', actions }] });
    },
    point,
    async click(selector) {
      // Once more where the page has moved the element away in between.
      for (let tries = 0; tries < 4; tries++) {
        const { x, y } = await evaluate(whereToClick, selector);
        await point(x, y, true);
        if (await evaluate(() => Reflect.get(self, 'clicked') !== false)) return;
      }
      throw new Error(`${selector} gets no click`);
    },
    screenshot: async () => Buffer.from(await send('GET', '/screenshot'), 'base64'),
    close,
  };
}
