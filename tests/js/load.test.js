// Which build is chosen, and what is refused: a variant or a module that cannot run.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { runInNewContext } from 'node:vm';
import { build } from 'esbuild';

import { GlassformerError, load } from 'glassformer';
import { load as loadGiven } from 'glassformer/core';

const file = (name) => readFileSync(new URL(`../../dist/${name}.wasm`, import.meta.url));
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

/** The build itself says whether this engine takes it: no probe of the loader's is trusted. */
const validates = (name) => WebAssembly.validate(file(name));

const X = { data: [1, 2, 3], shape: [3] };

/** Serves the modules, and an HTML page for one. */
let requests = 0;
let site = '';
const server = createServer(({ url }, response) => {
  requests++;
  if (url === '/page.wasm') response.end('<!doctype html>');
  else if (url === '/simd.wasm') response.end(file('simd'));
  else response.writeHead(404).end();
});
before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  site = `http://127.0.0.1:${/** @type {any} */ (server.address()).port}/`;
});
after(() => server.close());

/** @param {unknown} options @param {string} code @param {string} parameter @param {RegExp} [message] */
async function refused(options, code, parameter, message = /./) {
  await assert.rejects(load(/** @type {any} */ (options)), (error) => {
    assert.ok(error instanceof GlassformerError, `${error}`);
    assert.deepEqual([error.code, error.parameter], [code, parameter], error.message);
    assert.match(error.message, message);
    return true;
  });
}

test('auto takes relaxed where the engine validates it, unless its multiply-add is not fused', async () => {
  const gf = await load();
  if (!/not fused/.test(gf.reason)) assert.equal(gf.variant, validates('relaxed') ? 'relaxed' : 'simd');
  assert.match(gf.reason, /^[A-Z].* (validates|relaxed).*\.$/);
  assert.equal(gf.version, version);
  assert.ok(gf.memoryBytes >= 65536 && gf.memoryBytes % 65536 === 0);
});

test('simd can always be asked for', async () => {
  const gf = await load({ variant: 'simd' });
  assert.equal(gf.variant, 'simd');
  assert.match(gf.reason, /asked for simd/);
});

test('relaxed runs where it validates and is refused elsewhere', async () => {
  if (validates('relaxed')) assert.equal((await load({ variant: 'relaxed' })).variant, 'relaxed');
  else await refused({ variant: 'relaxed' }, 'unsupported', 'variant');
});

test('the relaxed build works in this Node, behind its flag where it has one', () => {
  const script = `
    import { load } from 'glassformer';
    const gf = await load();
    const y = gf.matmul({ data: [1, 2], shape: [1, 2] }, { data: [3, 4], shape: [2, 1] });
    console.log(gf.variant, y.data[0]);`;
  const run = (flags) =>
    spawnSync(process.execPath, [...flags, '--input-type=module', '-e', script], {
      cwd: new URL('../..', import.meta.url),
      encoding: 'utf8',
    });
  const flagged = run(['--experimental-wasm-relaxed-simd']);
  const { stdout, stderr } = flagged.status === 9 ? run([]) : flagged; // 9: the flag is no more
  assert.equal(stdout.trim(), 'relaxed 11', stderr);
});

test("the module's bytes are the same from its file, or unpacked by Node or by browsers, old and new", async () => {
  const { getBuiltinModule } = process;
  const { fromBase64 } = /** @type {any} */ (Uint8Array);
  const seen = [];
  const { compile } = WebAssembly;
  WebAssembly.compile = async (source) => {
    seen.push(Buffer.from(/** @type {ArrayBuffer} */ (source)));
    return compile(source);
  };
  try {
    await load({ variant: 'simd' });
    process.getBuiltinModule = /** @type {any} */ ((name) => (name === 'node:fs' ? undefined : getBuiltinModule(name)));
    await load({ variant: 'simd' });
    process.getBuiltinModule = /** @type {any} */ (undefined);
    for (const decode of [(text) => new Uint8Array(Buffer.from(text, 'base64')), undefined]) {
      Object.assign(Uint8Array, { fromBase64: decode });
      await load({ variant: 'simd' });
    }
  } finally {
    process.getBuiltinModule = getBuiltinModule;
    if (fromBase64) Object.assign(Uint8Array, { fromBase64 });
    else delete (/** @type {any} */ (Uint8Array).fromBase64);
    WebAssembly.compile = compile;
  }
  // Node's Response compiles its own module.
  assert.equal(seen.filter((bytes) => bytes.equals(file('simd'))).length, 4);
});

test('in Node the file beside the package is enough, and so is the package without it', async () => {
  for (const names of [['simd.wasm'], ['simd.wasm.js']]) {
    const folder = mkdtempSync(join(tmpdir(), 'glassformer-'));
    try {
      cpSync(new URL('../../dist/js', import.meta.url), join(folder, 'js'), { recursive: true });
      for (const name of names) copyFileSync(new URL(`../../dist/${name}`, import.meta.url), join(folder, name));
      writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
      const own = await import(pathToFileURL(join(folder, 'js/node.js')).href);
      assert.deepEqual(
        [...(await own.load({ variant: 'simd' })).softmax({ data: [0, 0], shape: [2] }).data],
        [0.5, 0.5],
        names[0],
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
});

test('two engines have two memories', async () => {
  const [a, b] = await Promise.all([load(), load()]);
  const before = b.memoryBytes;
  a.softmax({ data: new Float32Array(1 << 21), shape: [1 << 21] });
  assert.ok(a.memoryBytes > before);
  assert.equal(b.memoryBytes, before);
});

test('a module can be given in every form, and tells its variant itself', async () => {
  const bytes = file('simd');
  const address = new URL('simd.wasm', site);
  const sources = async () => [
    bytes,
    new Uint8Array(bytes).buffer,
    new DataView(new Uint8Array(bytes).buffer),
    await WebAssembly.compile(bytes),
    runInNewContext('new WebAssembly.Module(bytes)', { bytes }), // as edge runtimes have it
    new Response(bytes),
    new Blob([bytes]),
    address,
    address.href,
    fetch(address),
    Promise.resolve(address),
    WebAssembly.compile(bytes),
    new URL('../../dist/simd.wasm', import.meta.url), // of a file: Node has its own way
    import.meta.resolve('glassformer/simd.wasm'),
  ];
  for (const start of [load, loadGiven])
    for (const wasm of await sources()) {
      const gf = await start({ wasm });
      assert.deepEqual([gf.variant, gf.reason], ['simd', 'The caller gave simd.wasm.']);
      assert.deepEqual([...gf.softmax({ data: [0, 0], shape: [2] }).data], [0.5, 0.5]);
    }
  if (!validates('relaxed')) return;
  const gf = await load({ wasm: file('relaxed') });
  assert.deepEqual([gf.variant, gf.reason], ['relaxed', 'The caller gave relaxed.wasm.']);
  await refused({ wasm: file('relaxed'), variant: 'simd' }, 'range', 'variant', /is relaxed: leave variant out/);
});

test('what is no module of ours is refused', async () => {
  await refused({ wasm: 3 }, 'type', 'wasm', /must be a URL, Response, /);
  await refused({ wasm: null }, 'type', 'wasm');
  await refused({ wasm: Uint8Array.of(1, 2, 3) }, 'format', 'wasm');
  await refused({ wasm: Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0) }, 'format', 'wasm', /not a module of glassformer/);
  await refused({ wasm: file('simd').subarray(0, -5) }, 'format', 'wasm', /does not compile/);
  await refused({ wasm: file('simd'), variant: 'relaxed' }, 'range', 'variant', /is simd: leave variant out/);
});

test('an address without the file is not taken for a file', async () => {
  await refused({ wasm: 'simd.wasm' }, 'format', 'wasm', /could not be fetched.*simd\.wasm/);
  await refused({ wasm: new URL('file:///nowhere/simd.wasm') }, 'notFound', 'wasm', /there is no such file.*nowhere/);
  await refused({ wasm: Promise.reject(new TypeError('no net')) }, 'network', 'wasm', /could not be fetched.*no net/);
  await refused({ wasm: new URL('missing.wasm', site) }, 'notFound', 'wasm', /missing\.wasm.*404/);
  await refused({ wasm: new Response('', { status: 500 }) }, 'network', 'wasm', /500/);
  await refused({ wasm: `${site}page.wasm` }, 'format', 'wasm', /HTML/);
  const read = new Response(file('simd'));
  await read.arrayBuffer();
  await refused({ wasm: read }, 'format', 'wasm', /been read already/);
});

test('options are checked', async () => {
  await refused({ varient: 'simd' }, 'unknown', 'varient');
  await refused({ variant: 'fast' }, 'range', 'variant');
  await refused({ variant: 1 }, 'type', 'variant');
  await refused('simd', 'type', 'options');
  await refused(null, 'type', 'options');
});

/**
 * Runs with other functions in WebAssembly, or without it.
 * @param {object | undefined} change
 * @param {() => Promise<void>} run
 */
async function within(change, run) {
  const kept = globalThis.WebAssembly;
  // Not a copy: what is not changed stays what `instanceof` knows.
  const names = /** @type {any} */ (Object.getOwnPropertyNames(kept));
  const copy = Object.fromEntries(names.map((/** @type {keyof typeof kept} */ name) => [name, kept[name]]));
  globalThis.WebAssembly = /** @type {any} */ (change && { ...copy, ...change });
  try {
    await run();
  } finally {
    globalThis.WebAssembly = kept;
  }
}

/** As under a Content-Security-Policy without 'wasm-unsafe-eval'. */
const FORBIDDEN = {
  Module: new Proxy(WebAssembly.Module, {
    construct() {
      throw new WebAssembly.CompileError('violates the policy');
    },
  }),
  compile: () => Promise.reject(new WebAssembly.CompileError('violates the policy')),
};

test('where no module can run, it says so before one is fetched', async () => {
  const places = /** @type {const} */ ([
    [undefined, /WebAssembly: this engine has none.*turn it on/],
    [{ validate: () => false }, /WebAssembly: this engine has no SIMD: Chrome 91/],
    [
      FORBIDDEN,
      /WebAssembly: compiling is forbidden here.*'wasm-unsafe-eval'.*'glassformer\/core'.*violates the policy/,
    ],
  ]);
  for (const [change, message] of places) {
    requests = 0;
    await within(change, async () => {
      for (const options of [{}, { variant: 'simd' }, { variant: 'relaxed' }, { wasm: new URL('simd.wasm', site) }]) {
        await refused(options, 'unsupported', 'WebAssembly', message);
      }
      await assert.rejects(loadGiven({ wasm: `${site}simd.wasm` }), message);
    });
    assert.equal(requests, 0);
  }
});

test('relaxed SIMD is missed only where SIMD works, and where the probe fails simd runs', async () => {
  const bytes = file('simd');
  let tried = 0;
  const Module = new Proxy(WebAssembly.Module, {
    construct(target, given) {
      if (given[0].length > 40) tried++;
      if (given[0].length > 40) throw new WebAssembly.CompileError('unknown opcode');
      return new target(given[0]);
    },
  });
  await within({ Module }, async () => {
    await refused({ variant: 'relaxed' }, 'unsupported', 'variant', /no relaxed SIMD; simd and auto work/);
    const gf = await load();
    assert.deepEqual([gf.variant, tried], ['simd', 2]);
    assert.match(gf.reason, /missing/);
    await load({ wasm: bytes });
    assert.equal(tried, 2, 'no probe where a module is given');
  });
});

test('a compiled module runs where compiling is forbidden, also that of the entries for such hosts', async () => {
  const module = await WebAssembly.compile(file('simd'));
  const folder = mkdtempSync(join(tmpdir(), 'glassformer-'));
  try {
    cpSync(new URL('../../dist/js', import.meta.url), join(folder, 'js'), { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
    Object.assign(globalThis, { compiled: module });
    const calls = [() => load({ wasm: module }), () => loadGiven({ wasm: module })];
    for (const [name, from] of /** @type {[string, RegExp][]} */ ([
      ['workerd', /from ?"\.\.\/simd\.wasm";/],
      ['edge-light', /from ?"\.\.\/simd\.wasm\?module";/],
    ])) {
      const entry = join(folder, `js/${name}.js`);
      const [before, after, ...others] = readFileSync(entry, 'utf8').split(from);
      assert.deepEqual([typeof after, others], ['string', []], name);
      // As those hosts do it: the import is the module, compiled.
      writeFileSync(entry, `${before.replace(/import (\w+) $/, 'const $1 = globalThis.compiled;')}${after}`);
      const given = await import(pathToFileURL(entry).href);
      calls.push(given.load, () => given.load({ wasm: module, variant: 'simd' }));
      await assert.rejects(given.load({ variant: 'relaxed' }), /the module given as wasm is simd: leave variant out/);
    }
    await within(FORBIDDEN, async () => {
      for (const call of calls) {
        const gf = await call();
        assert.deepEqual([gf.variant, gf.softmax(X).data.length], ['simd', 3]);
      }
    });
  } finally {
    delete (/** @type {any} */ (globalThis).compiled);
    rmSync(folder, { recursive: true });
  }
});

test('core is bundled to one file, which service workers and classic workers need, and trains there', async () => {
  const { outputFiles, metafile } = await build({
    stdin: { contents: "export * from 'glassformer/core'", resolveDir: fileURLToPath(new URL('.', import.meta.url)) },
    bundle: true,
    splitting: true,
    format: 'esm',
    tsconfigRaw: '{}', // the project's paths lead to the sources
    metafile: true,
    outdir: 'out',
    write: false,
  });
  const later = Object.values(metafile.inputs).flatMap(({ imports }) =>
    imports.filter(({ kind }) => kind === 'dynamic-import').map(({ path }) => path),
  );
  assert.deepEqual(later, []);
  assert.equal(outputFiles.length, 1);
  const gf = await loadGiven({ wasm: file('simd') });
  const model = gf.createModel({ kind: 'decoder', vocabulary: 4, d_model: 4, heads: 1, layers: 1, head: 'tied' });
  const batch = { ids: [1, 2], labels: [2, 3] };
  const reports = await model.trainer().train([batch, batch]);
  assert.deepEqual(
    reports.map(({ step }) => step),
    [1, 2],
  );
});

test('core says that it carries no module, and where the embedded one cannot be imported core is named', async () => {
  for (const options of [undefined, {}, { variant: 'simd' }]) {
    await assert.rejects(loadGiven(/** @type {any} */ (options)), {
      code: 'missing',
      parameter: 'wasm',
      message: /glassformer\/core carries no module: load\(\{ wasm: /,
    });
  }
  const folder = mkdtempSync(join(tmpdir(), 'glassformer-'));
  try {
    cpSync(new URL('../../dist/js', import.meta.url), join(folder, 'js'), { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
    const alone = await import(pathToFileURL(join(folder, 'js/index.js')).href);
    const message = /service workers.*'glassformer\/core'/;
    await assert.rejects(alone.load(), { code: 'unsupported', message });
    // As in the sandbox of an edge runtime, whose bundler has not taken the entry for such.
    for (const variant of ['simd', 'relaxed']) {
      const name = `${variant}.wasm.js`;
      cpSync(new URL(`../../dist/${name}`, import.meta.url), join(folder, name));
    }
    const fresh = await import(`${pathToFileURL(join(folder, 'js/index.js')).href}?fresh`);
    const { getBuiltinModule } = process;
    try {
      process.getBuiltinModule = () => {
        throw new Error('a Node.js API is used');
      };
      await assert.rejects(fresh.load(), {
        code: 'unsupported',
        message: /'glassformer\/core'.*a Node\.js API is used/,
      });
    } finally {
      process.getBuiltinModule = getBuiltinModule;
    }
    assert.equal((await fresh.load({ variant: 'simd' })).variant, 'simd');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the one script for pages needs nothing beside it but for relaxed, for which simd steps in', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'glassformer-'));
  try {
    copyFileSync(new URL('../../dist/glassformer.global.js', import.meta.url), join(folder, 'a.mjs'));
    await import(pathToFileURL(join(folder, 'a.mjs')).href);
    const alone = Reflect.get(globalThis, 'glassformer');
    for (const options of [{ variant: 'simd' }, {}]) assert.equal((await alone.load(options)).variant, 'simd');
    await assert.rejects(alone.load({ variant: 'relaxed' }), { code: 'unsupported' });
    copyFileSync(new URL('../../dist/relaxed.wasm.js', import.meta.url), join(folder, 'relaxed.wasm.js'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    copyFileSync(join(folder, 'a.mjs'), join(folder, 'b.mjs'));
    await import(pathToFileURL(join(folder, 'b.mjs')).href);
    const given = Reflect.get(globalThis, 'glassformer');
    if (validates('relaxed')) assert.equal((await given.load({ variant: 'relaxed' })).variant, 'relaxed');
  } finally {
    delete (/** @type {any} */ (globalThis).glassformer);
    rmSync(folder, { recursive: true });
  }
});
