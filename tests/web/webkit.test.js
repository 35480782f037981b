// WebKitGTK's processes end with the one that started them, however that ends.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { engines } from './engines.js';

const skip = engines().present.includes('webkit') ? false : 'WebKitWebDriver or Xvfb is not installed';

/** All processes: number, name, parent. */
const processes = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((id) => {
      try {
        const [, name, state, parent] = readFileSync(`/proc/${id}/stat`, 'utf8').match(/\((.*)\) (\S) (\d+)/) ?? [];
        return state === 'Z' ? [] : [{ id: Number(id), name, parent: Number(parent) }];
      } catch {
        return []; // it has ended meanwhile
      }
    });

for (const signal of /** @type {const} */ (['SIGTERM', 'SIGKILL'])) {
  test(`nothing is left after ${signal}`, { skip }, async () => {
    const script = `
      const { startWebKit } = await import(${JSON.stringify(new URL('webkit.js', import.meta.url))});
      const { send } = await startWebKit(process.env.WEBKIT || 'WebKitWebDriver');
      await send('POST', '/url', { url: 'data:text/html,<title>page</title>' });
      console.log('ready');`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    const all = processes();
    const below = (parent) => all.filter((each) => each.parent === parent).flatMap((each) => [each, ...below(each.id)]);
    const started = below(child.pid);
    for (const name of ['Xvfb', 'WebKitWebDriver', 'MiniBrowser'])
      assert(
        started.some((each) => each.name === name),
        `${name} in ${started.map((each) => each.name)}`,
      );
    child.kill(signal);
    let left = started;
    for (let tries = 0; left.length && tries < 100; tries++) {
      await wait(100);
      const now = new Map(processes().map(({ id, name }) => [id, name]));
      left = left.filter(({ id, name }) => now.get(id) === name);
    }
    assert.deepEqual(left, []);
  });
}
