import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { serve } from '../../src/tools/serve.mjs';

let folder, site;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'glassformer-'));
  for (const name of ['index.html', 'main.js', 'style.css', 'm.wasm']) {
    writeFileSync(join(folder, name), name);
  }
  site = await serve({ port: 0, folder });
});
after(async () => {
  await site?.close();
  rmSync(folder, { recursive: true });
});

test('files carry their type and the policy', async () => {
  const types = {
    '': 'text/html',
    'main.js': 'text/javascript',
    'style.css': 'text/css',
    'm.wasm': 'application/wasm',
  };
  for (const [name, type] of Object.entries(types)) {
    const response = await fetch(site.url + name);
    assert.equal(response.status, 200, name);
    assert.equal(response.headers.get('content-type').split(';')[0], type);
    assert.equal(response.headers.get('cache-control'), 'no-cache');
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
    assert.equal(response.headers.get('referrer-policy'), 'no-referrer');
    const policy = response.headers.get('content-security-policy');
    assert.match(policy, /^default-src 'none'; script-src 'self' 'wasm-unsafe-eval';/);
    assert.match(policy, / connect-src 'self' https:\/\/huggingface\.co https:\/\/\*\.hf\.co;/, 'models by name');
    assert.doesNotMatch(policy.replace('*.hf.co', ''), /unsafe-inline|'unsafe-eval'|\*/);
    assert.equal(await response.text(), name || 'index.html');
  }
});

test('the page itself has the same policy, for a server that sends none', async () => {
  const policy = (await fetch(site.url)).headers.get('content-security-policy');
  const page = readFileSync(new URL('../../web/index.html', import.meta.url), 'utf8');
  const [, own] = /<meta\s+http-equiv="Content-Security-Policy"\s+content="([^"]*)"/.exec(page);
  const directives = own.trim().replace(/\s+/g, ' ');
  assert.equal(directives, policy);
  assert.match(policy, /; require-trusted-types-for 'script'; trusted-types lit-html glassformer$/);
  assert(page.indexOf(own) < page.search(/<(link|script)\b/), 'before anything that it governs');
});

test('any article may frame the page, none the reference', async () => {
  for (const [path, frames] of Object.entries({ '': null, 'main.js': null, 'docs/': "frame-ancestors 'none'" })) {
    const { headers } = await fetch(site.url + path);
    const [said = null] = /frame-ancestors[^;]*/.exec(headers.get('content-security-policy')) ?? [];
    assert.equal(said, frames, path);
    assert.equal(headers.get('x-frame-options'), null, path);
  }
});

test('the reference stands at /docs/ with a policy of its own; what builds it, where it is missing', async () => {
  const docs = mkdtempSync(join(tmpdir(), 'glassformer-'));
  const other = await serve({ port: 0, folder, docs });
  try {
    const missing = await fetch(`${other.url}docs/`);
    assert.equal(missing.status, 404);
    assert.match(await missing.text(), /npm run docs/);
    writeFileSync(join(docs, 'index.html'), 'reference');
    const response = await fetch(`${other.url}docs`);
    assert.equal(response.url, `${other.url}docs/`);
    assert.equal(await response.text(), 'reference');
    const policy = response.headers.get('content-security-policy');
    assert.match(policy, /^default-src 'none'; script-src 'self' 'wasm-unsafe-eval';/);
    assert.match(policy, / style-src 'self' 'unsafe-inline';/);
    assert.doesNotMatch(policy, /(?<!wasm-)unsafe-eval|\*/);
    assert.equal((await fetch(`${other.url}docs/nope.html`)).status, 404);
  } finally {
    await other.close();
    rmSync(docs, { recursive: true });
  }
});

test('nothing outside the folder is served', async () => {
  for (const path of ['nope.js', '%2e%2e/%2e%2e/etc/passwd', '..%2fpackage.json']) {
    assert.equal((await fetch(site.url + path)).status, 404, path);
  }
});

test('it listens on this machine only', () => assert.match(site.url, /^http:\/\/127\.0\.0\.1:\d+\/$/));

/** The status line and the body that answer a request with these lines. @param {string[]} lines */
const raw = async (...lines) => {
  const socket = connect(Number(new URL(site.url).port), '127.0.0.1');
  socket.write([...lines, 'Connection: close', '', ''].join('\r\n'));
  const answer = Buffer.concat(await socket.toArray()).toString();
  return { status: Number(answer.split(' ')[1]), body: answer.slice(answer.indexOf('\r\n\r\n') + 4) };
};

test('it answers to names of this machine only, so that no other site can read it by a name of its own', async () => {
  const own = ['localhost', 'LOCALHOST:1', 'page.localhost:8080', '127.0.0.1', '127.255.0.9:80', '[::1]', '[::1]:8080'];
  const others = ['evil', 'evil:8080', 'localhost.evil', '127.0.0.1.evil', 'evil127.0.0.1', '127.0.0.256', '0.0.0.0'];
  for (const host of own) {
    const { status, body } = await raw('GET / HTTP/1.1', `Host: ${host}`);
    assert.deepEqual([status, body], [200, 'index.html'], host);
  }
  for (const host of [...others, '127.0.0.1@evil', 'localhost:x', '[::2]', '::1', '', '192.168.0.1', 'x localhost']) {
    for (const path of ['/', '/docs', '/nope']) {
      const { status, body } = await raw(`GET ${path} HTTP/1.1`, `Host: ${host}`);
      assert([400, 421].includes(status), `${host} ${path}: ${status}`);
      if (status === 421) assert.match(body, /answers only to localhost/);
    }
  }
  assert.equal((await raw('GET / HTTP/1.0')).status, 421, 'without a name');
  assert.equal((await raw('GET / HTTP/1.1')).status, 400, 'where the protocol wants one');
});

test('a port that is given and taken is an error; without one the next free port is used', async () => {
  const first = await serve({ folder });
  const port = Number(new URL(first.url).port);
  try {
    await assert.rejects(serve({ port, folder }), { code: 'EADDRINUSE' });
    const second = await serve({ folder });
    assert.ok(Number(new URL(second.url).port) > port);
    await second.close();
  } finally {
    await first.close();
  }
});

test('a closed server frees its port', async () => {
  const first = await serve({ port: 0, folder });
  const port = Number(new URL(first.url).port);
  await first.close();
  const again = createServer();
  await new Promise((resolve, reject) => again.once('error', reject).listen(port, '127.0.0.1', resolve));
  again.close();
});
