// Which build is chosen, and what is refused: a variant or a module that cannot run.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { GlassformerError, load } from 'glassformer';

const file = (name) => readFileSync(new URL(`../../dist/${name}.wasm`, import.meta.url));
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

/** The build itself says whether this engine takes it: no probe of the loader's is trusted. */
const validates = (name) => WebAssembly.validate(file(name));

const X = { data: [1, 2, 3], shape: [3] };

/** @param {unknown} options @param {string} code @param {string} parameter */
async function refused(options, code, parameter) {
  await assert.rejects(load(/** @type {any} */ (options)), (error) => {
    assert.ok(error instanceof GlassformerError, `${error}`);
    assert.deepEqual([error.code, error.parameter], [code, parameter], error.message);
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
    const y = gf.matmul({ a: { data: [1, 2], shape: [1, 2] }, b: { data: [3, 4], shape: [2, 1] } });
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

test(
  'operations and generating hold in the relaxed build too',
  { skip: validates('relaxed') && 'those tests run it themselves' },
  () => {
    const env = { ...process.env };
    delete env.NODE_TEST_CONTEXT; // else the child reports to our runner
    for (const name of ['ops', 'generate']) {
      const path = fileURLToPath(new URL(`${name}.test.js`, import.meta.url));
      const { status, stdout } = spawnSync(process.execPath, ['--experimental-wasm-relaxed-simd', path], {
        env,
        encoding: 'utf8',
      });
      assert.equal(status, 0, stdout);
      assert.match(stdout, /\(relaxed\)/);
    }
  },
);

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
  // Node's Response compiles a module of its own.
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
        [...(await own.load({ variant: 'simd' })).softmax({ x: { data: [0, 0], shape: [2] } }).data],
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
  a.softmax({ x: { data: new Float32Array(1 << 21), shape: [1 << 21] } });
  assert.ok(a.memoryBytes > before);
  assert.equal(b.memoryBytes, before);
});

test('a module can be given as bytes, Module or Response', async () => {
  const bytes = file('simd');
  const sources = [
    bytes,
    new Uint8Array(bytes).buffer,
    new DataView(new Uint8Array(bytes).buffer),
    await WebAssembly.compile(bytes),
    new Response(bytes),
  ];
  const [first, ...others] = await Promise.all(
    sources.map(async (wasm) => {
      const gf = await load({ wasm });
      assert.equal(gf.variant, 'simd');
      assert.match(gf.reason, /caller gave/);
      return gf.softmax({ x: X }).data;
    }),
  );
  for (const other of others) assert.deepEqual(other, first);
});

test('what is no module of ours is refused', async () => {
  await refused({ wasm: 3 }, 'type', 'wasm');
  await refused({ wasm: 'simd.wasm' }, 'format', 'wasm');
  await refused({ wasm: null }, 'type', 'wasm');
  await refused({ wasm: Uint8Array.of(1, 2, 3) }, 'format', 'wasm');
  await refused({ wasm: Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0) }, 'format', 'wasm');
  await refused({ wasm: file('simd').subarray(0, -5) }, 'format', 'wasm');
  await refused({ wasm: new Response('', { status: 404 }) }, 'format', 'wasm');
});

test('options are checked', async () => {
  await refused({ varient: 'simd' }, 'unknown', 'varient');
  await refused({ variant: 'fast' }, 'range', 'variant');
  await refused({ variant: 1 }, 'type', 'variant');
  await refused('simd', 'type', 'options');
  await refused(null, 'type', 'options');
});

test('an engine that does not compile our module is told apart from a bad module', async () => {
  const { validate } = WebAssembly;
  WebAssembly.validate = () => false;
  try {
    await refused({}, 'unsupported', 'WebAssembly');
    await refused({ variant: 'simd' }, 'unsupported', 'WebAssembly');
  } finally {
    WebAssembly.validate = validate;
  }
  const kept = globalThis.WebAssembly;
  globalThis.WebAssembly = /** @type {any} */ (undefined);
  try {
    await refused({}, 'unsupported', 'WebAssembly');
  } finally {
    globalThis.WebAssembly = kept;
  }
});
