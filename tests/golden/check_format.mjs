// node check_format.mjs [folder ...]   reads every golden case (no dependencies), checks the format, prints a summary.
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SIZE = { F64: 8, F32: 4, I32: 4, BOOL: 1 };
const VIEW = { F64: Float64Array, F32: Float32Array, I32: Int32Array, BOOL: Uint8Array };

export function readCase(path) {
  const raw = readFileSync(path);
  const buf = raw.buffer.slice(raw.byteOffset, raw.byteOffset + raw.byteLength); // own, 8-aligned memory
  const n = Number(new DataView(buf).getBigUint64(0, true));
  if (!(n > 0 && n % 8 === 0 && 8 + n <= buf.byteLength)) throw new Error(`header length ${n}`);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buf, 8, n)));
  const { __metadata__: text, ...entries } = header;
  const meta = {};
  for (const [k, v] of Object.entries(text)) {
    if (typeof v !== 'string') throw new Error(`metadata ${k} is not a string`);
    meta[k] = /^(params|tol|generated|rtol|undefined)$/.test(k) ? JSON.parse(v) : v;
  }
  const tensors = {},
    spans = [];
  for (const [
    name,
    {
      dtype,
      shape,
      data_offsets: [a, b],
    },
  ] of Object.entries(entries)) {
    const numel = shape.reduce((x, y) => x * y, 1);
    if (!(dtype in SIZE)) throw new Error(`${name}: dtype ${dtype}`);
    if (!shape.every((x) => Number.isInteger(x) && x > 0)) throw new Error(`${name}: shape ${shape}`);
    if (b - a !== numel * SIZE[dtype]) throw new Error(`${name}: ${b - a} bytes for ${dtype}[${shape}]`);
    if ((8 + n + a) % SIZE[dtype]) throw new Error(`${name}: not aligned`);
    spans.push([a, b]);
    tensors[name] = { dtype, shape, data: new VIEW[dtype](buf, 8 + n + a, numel) };
  }
  spans.sort((x, y) => x[0] - y[0]);
  let end = 0;
  for (const [a, b] of spans) {
    if (a !== end) throw new Error(`hole or overlap at ${a}`);
    end = b;
  }
  if (8 + n + end !== buf.byteLength) throw new Error('file length');
  return { meta, tensors, bytes: buf.byteLength };
}

// the documented PRNG; check values tie this to golden_format.py (weightcheck.* of the generated encoders)
export function prng(seed, i) {
  let x = (seed + Math.imul(i, 0x9e3779b9)) >>> 0;
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d) >>> 0;
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b) >>> 0;
  return (x ^ (x >>> 16)) >>> 0;
}
export function generate({ seed, shape, scale, offset }, count = shape.reduce((x, y) => x * y, 1)) {
  const out = new Float32Array(count);
  for (let i = 0; i < count; i++) out[i] = offset + scale * (((prng(seed, i) >>> 8) - 8388608) / 8388608);
  return out;
}

function check({ meta, tensors }) {
  const eq = (a, b) => a.length === b.length && a.every((x, i) => x === b[i]);
  const bad = (m) => {
    throw new Error(m);
  };
  for (const k of ['case', 'op', 'params', 'tol', 'torch', 'rtol']) if (!(k in meta)) bad(`metadata lacks ${k}`);
  let nan = 0,
    worst = 0;
  const kinds = {};
  for (const [name, t] of Object.entries(tensors)) {
    const kind = name.slice(0, name.indexOf('.'));
    kinds[kind] = (kinds[kind] ?? 0) + 1;
    const infOk = name === 'input.attn_mask' || (meta.op === 'softmax' && name === 'input.x');
    const nanOk = /^(f32\.)?output\./.test(name) && meta.undefined > 0;
    for (const v of t.data) {
      if (Number.isFinite(v)) continue;
      if (Number.isNaN(v) && nanOk) {
        if (kind === 'output') nan++;
      } else if (!(v === -Infinity && infOk)) bad(`${name} holds ${v}`);
    }
    if (t.dtype === 'BOOL' && t.data.some((v) => v > 1)) bad(`${name}: bool above 1`);
    const rest = name.slice(kind.length + 1);
    if (kind === 'grad') {
      const of = tensors[`input.${rest}`] ?? tensors[`weight.${rest}`] ?? bad(`${name} has no input or weight`);
      if (!eq(of.shape, t.shape)) bad(`${name}: shape ${t.shape}, value has ${of.shape}`);
    }
    if (kind === 'cotangent' && !eq(tensors[`output.${rest}`].shape, t.shape)) bad(`${name}: shape`);
    if (kind === 'weightcheck' && !eq([...generate(meta.generated[rest], t.data.length)], [...t.data]))
      bad(`${name}: PRNG differs`);
    if (/^(output|grad|gradl2|gradsample)$/.test(kind)) {
      if (t.dtype === 'I32') continue;
      if (t.dtype !== 'F64') bad(`${name}: ${t.dtype}`);
      const tol = meta.tol[name] ?? bad(`${name} has no tol`);
      const f = tensors[`f32.${name}`];
      if (!f) continue;
      if (!eq(f.shape, t.shape)) bad(`f32.${name}: shape`);
      for (let i = 0; i < t.data.length; i++) {
        const d = Math.abs(f.data[i] - t.data[i]),
          lim = tol.atol + meta.rtol * Math.abs(t.data[i]);
        if (d > lim) bad(`${name}[${i}]: float32 off by ${d}, allowed ${lim}`);
        if (lim > 0 && d / lim > worst) worst = d / lim;
      }
    }
  }
  for (const k of Object.keys(meta.tol)) if (!tensors[k]) bad(`tol for absent ${k}`);
  if (nan !== meta.undefined) bad(`${nan} NaN, metadata says ${meta.undefined}`);
  return { kinds, nan, worst };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const here = dirname(fileURLToPath(import.meta.url));
  const folders = process.argv.length > 2 ? process.argv.slice(2) : [here];
  let failed = 0;
  for (const folder of folders) {
    const ops = new Map();
    let cases = 0,
      bytes = 0,
      tensors = 0;
    for (const f of readdirSync(folder)
      .filter((x) => x.endsWith('.safetensors'))
      .sort()) {
      try {
        const c = readCase(join(folder, f));
        const r = check(c);
        if (c.meta.case + '.safetensors' !== f) throw new Error('case name differs from the file name');
        const o = ops.get(c.meta.op) ?? { cases: 0, tensors: 0, outputs: 0, grads: 0, nan: 0, f32_of_tol: 0 };
        const n = Object.keys(c.tensors).length;
        o.cases++;
        o.tensors += n;
        o.outputs += r.kinds.output ?? 0;
        o.grads += (r.kinds.grad ?? 0) + (r.kinds.gradsample ?? 0);
        o.nan += r.nan;
        o.f32_of_tol = Math.max(o.f32_of_tol, +r.worst.toFixed(2));
        ops.set(c.meta.op, o);
        cases++;
        bytes += c.bytes;
        tensors += n;
      } catch (e) {
        failed++;
        console.log(`FAIL ${f}: ${e.message}`);
      }
    }
    console.log(
      `${folder.split(/[\\/]/).slice(-2).join('/')}: ${cases} cases, ${tensors} tensors, ${(bytes / 1e6).toFixed(2)} MB`,
    );
    console.table(Object.fromEntries(ops));
  }
  console.log(failed ? `${failed} failed` : 'all well-formed');
  process.exitCode = failed ? 1 : 0;
}
