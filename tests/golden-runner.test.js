// The runner of the reference cases would notice if they did not pass.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { compare, place } from './golden-compare.js';

const here = fileURLToPath(new URL('.', import.meta.url));
const golden = join(here, 'golden');

/** @param {string} [folder] */
function run(...folder) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(here, 'golden.mjs'), ...folder], {
    encoding: 'utf8',
  });
  return { status, text: stdout + stderr, last: stdout.trimEnd().split('\n').at(-1) };
}

/** The parts of a safetensors file. @param {string} path */
function parse(path) {
  const bytes = readFileSync(path);
  const n = Number(bytes.readBigUInt64LE(0));
  return { header: JSON.parse(bytes.toString('utf8', 8, 8 + n)), data: bytes.subarray(8 + n) };
}

/** @param {string} path @param {{header: object, data: Buffer}} parts */
function write(path, { header, data }) {
  const text = Buffer.from(JSON.stringify(header));
  const pad = Buffer.alloc(-text.length & 7, ' ');
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(text.length + pad.length));
  writeFileSync(path, Buffer.concat([size, text, pad, data]));
}

/** Runs the runner on one case after `change`. @param {string} name @param {(parts: any) => void} change */
function runChanged(name, change) {
  const folder = mkdtempSync(join(tmpdir(), 'golden-'));
  try {
    const parts = parse(join(golden, `${name}.safetensors`));
    change(parts);
    write(join(folder, `${name}.safetensors`), parts);
    return run(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Adds to the first entry of an F64 tensor. @param {any} parts @param {string} name @param {number} tolerances */
function shift({ header, data }, name, tolerances) {
  const at = header[name].data_offsets[0];
  const { tol, rtol } = header.__metadata__;
  const truth = data.readDoubleLE(at);
  data.writeDoubleLE(truth + tolerances * (JSON.parse(tol)[name].atol + Number(rtol) * Math.abs(truth)), at);
}

test('a truth moved beyond its tolerance fails by name, in both variants', () => {
  const { status, text, last } = runChanged('mha_self', (parts) => shift(parts, 'output.concat', 3));
  assert.equal(status, 1);
  assert.match(text, /FAIL mha_self \(simd\)/);
  assert.match(text, /FAIL mha_self \(relaxed\)/);
  assert.match(text, /output\.concat at \[0,0,0\] got \S+, truth \S+: error \S+, tolerance \S+; 1 of 80 outside/);
  assert.match(last, /^2 passed, 2 failed/); // its gradients are checks of their own
});

test('a gradient moved beyond its tolerance fails by name', () => {
  const { status, text, last } = runChanged('ffn_relu', (parts) => shift(parts, 'grad.linear1.bias', 3));
  assert.equal(status, 1);
  assert.match(text, /FAIL ffn_relu gradients \(simd\):\n\s+grad\.linear1\.bias at \[0\]/);
  assert.match(last, /^2 passed, 2 failed/);
});

test('a training run that ends elsewhere fails by name', () => {
  const { status, text } = runChanged('train_gpt2_20', (parts) => shift(parts, 'output.final.ln_f.bias', 3));
  assert.equal(status, 1);
  assert.match(text, /FAIL train_gpt2_20 \(simd\):\n\s+output\.final\.ln_f\.bias at \[0\]/);
});

test('a changed integer output fails', () => {
  const { status, text } = runChanged('gpt2_tiny', ({ header, data }) => {
    const at = header['output.greedy'].data_offsets[1] - 4;
    data.writeInt32LE((data.readInt32LE(at) + 1) % 13, at);
  });
  assert.equal(status, 1);
  assert.match(text, /output\.greedy at \[5\] .* must be equal/);
});

test('an output, an op and a tolerance that the runner does not know fail', () => {
  const rename = runChanged('relu_big', ({ header }) => {
    header['output.why'] = header['output.y'];
    delete header['output.y'];
    header.__metadata__.tol = header.__metadata__.tol.replace('output.y', 'output.why');
  });
  assert.equal(rename.status, 1);
  assert.match(rename.text, /output\.why the runner does not know how to get it/);
  const op = runChanged('relu_big', ({ header }) => (header.__metadata__.op = 'swish'));
  assert.equal(op.status, 1);
  assert.match(op.text, /no way to run op swish/);
  const tol = runChanged('relu_big', ({ header }) => (header.__metadata__.tol = '{}'));
  assert.equal(tol.status, 1);
  assert.match(tol.text, /output\.y the case gives no tolerance/);
});

test('a parameter and an input that the runner does not read fail by name', () => {
  /** @param {string} name @param {object} params @param {RegExp} expected */
  const refuses = (name, params, expected) => {
    const { status, text } = runChanged(name, ({ header: { __metadata__: meta } }) => {
      meta.params = JSON.stringify({ ...JSON.parse(meta.params), ...params });
    });
    assert.equal(status, 1, text);
    assert.match(text, expected);
  };
  refuses('matmul_1x1x1', { alpha: 2 }, /FAIL matmul_1x1x1 \(simd\): the runner does not read params\.alpha/);
  refuses('rope_half_positions', { start_pos: 3 }, /the runner does not read params\.start_pos$/m);
  refuses('gqa_mha', { start_pos: 3 }, /params\.start_pos: 3 is not computed here/);
  refuses('gqa_mha', { rope_layout: 'interleaved' }, /params\.rope_layout: "interleaved" is not computed here/);
  refuses('gqa_past_window', { qk_norm: true }, /params\.qk_norm: true is not computed here/);
  refuses('gqa_past_window', { rope_layout: 'interleaved' }, /\n +output\.q_rot at/);
  refuses(
    'rope_table_llama3',
    { rope_scaling: { rope_type: 'linear', factor: 1, by: 2 } },
    /params\.rope_scaling\.by$/m,
  );
  const input = runChanged('sdpa_key_padding', ({ header }) => {
    header['input.hidden'] = header['input.key_padding_mask'];
    delete header['input.key_padding_mask'];
  });
  assert.match(input.text, /FAIL sdpa_key_padding \(simd\): the runner does not read input\.hidden/);
});

test('an empty folder, an absent one and a cut file fail', () => {
  const folder = mkdtempSync(join(tmpdir(), 'golden-'));
  try {
    const empty = run(folder);
    assert.equal(empty.status, 1);
    assert.match(empty.text, /no \*\.safetensors file/);
    assert.equal(empty.last, '0 passed, 1 failed');
    const absent = run(join(folder, 'absent'));
    assert.equal(absent.status, 1);
    assert.match(absent.text, /ENOENT/);
    copyFileSync(join(golden, 'softmax_len1.safetensors'), join(folder, 'good.safetensors'));
    writeFileSync(join(folder, 'cut.safetensors'), readFileSync(join(folder, 'good.safetensors')).subarray(0, -1));
    const cut = run(folder);
    assert.equal(cut.status, 1);
    assert.match(cut.text, /FAIL cut\.safetensors: not a case/);
    assert.match(cut.last, /^4 passed, 1 failed/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('compare holds the pass rule', () => {
  const truth = (/** @type {number[]} */ ...data) => ({ dtype: 'F64', shape: [data.length], data });
  const got = (/** @type {number[]} */ ...data) => ({ shape: [data.length], data });
  const rule = { atol: 0.5, rtol: 0.25 };
  const ok = (/** @type {any} */ t, /** @type {any} */ g, more = {}) =>
    compare(t, g, { ...rule, ...more }).problem === '';
  assert(ok(truth(4), got(5.5)), 'atol + rtol * |truth| is allowed');
  assert(!ok(truth(4), got(5.6)));
  assert(ok(truth(-4), got(-2.5)));
  assert(!ok(truth(4), got(NaN)), 'NaN never passes');
  assert(!ok(truth(4), got(Infinity)));
  assert(ok(truth(-Infinity), got(-Infinity)));
  assert(!ok(truth(-Infinity), got(-1e30)), 'an infinite truth is met exactly');
  assert(ok(truth(NaN), got(7)), 'an undefined row may hold any finite number');
  assert(!ok(truth(NaN), got(NaN)));
  assert(!ok(truth(NaN), got(1e-30), { zero: true }), 'but attention weights there are 0');
  assert(ok(truth(NaN), got(0), { zero: true }));
  assert(ok(truth(NaN), got(NaN), { mean: true }), 'the mean over no target is NaN');
  assert(!ok(truth(4), { shape: [1, 1], data: [4] }), 'shapes are compared');
  assert(!ok(truth(4), undefined));
  assert(!ok({ dtype: 'I32', shape: [1], data: [4] }, got(4.1)), 'integers are exact');
  assert(ok({ dtype: 'F64', shape: [], data: [1] }, 1.1), 'a number is a scalar');
  assert.equal(
    compare(truth(0, 0, 0), got(0.6, 9, 0), rule).problem,
    'at [1] got 9, truth 0: error 9.00, tolerance 0.500; 2 of 3 outside',
  );
  assert.equal(place(17, [2, 3, 4]), '[1,1,1]');
});
