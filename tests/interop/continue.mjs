// node tests/interop/continue.mjs PYTHON: continues runs in PyTorch, compares with this engine, and writes the names,
// shapes and losses that PyTorch has to continue.json, which continue.test.js reads.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { load, readSafetensors, writeSafetensors } from 'glassformer';
import { CASES, STEPS, continued } from './continue.js';

const script = fileURLToPath(new URL('../../src/docs/continue.py', import.meta.url));
const NAMES = `import json, sys, torch
model = torch.load(sys.argv[1])["model"]
print(json.dumps({name: [list(each.shape), each.flatten().tolist()] for name, each in model.items()}))`;
const [python = 'python3'] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'glassformer-'));
const gf = await load({ variant: 'simd' });
/** @type {Record<string, {losses: number[], names: Record<string, number[]>}>} */
const found = {};
const tell = (/** @type {string[]} */ args) =>
  execFileSync(python, args, { cwd: folder, encoding: 'utf8', maxBuffer: 1e9 });
try {
  for (const name of Object.keys(CASES)) {
    const { run, rows, losses, after, batchSize } = await continued(gf, name);
    writeFileSync(join(folder, 'run.safetensors'), run);
    writeFileSync(join(folder, 'rows.safetensors'), writeSafetensors(rows));
    const said = tell([script, 'run.safetensors', 'rows.safetensors', String(batchSize), String(STEPS), 'out.pt']);
    const theirs = [...said.matchAll(/loss (\S+)/g)].map(([, loss]) => Number(loss));
    const model = Object.entries(JSON.parse(tell(['-c', NAMES, 'out.pt'])));
    const ours = readSafetensors(after).tensors;
    const far = model.map(([each, [, data]]) => {
      const own = ours.get(each)?.data ?? [];
      // A bias of keys changes no weight of attention: its gradient is rounding alone, which Adam scales up.
      const isKey = (/** @type {number} */ i) => /in_proj_bias$/.test(each) && Math.floor((3 * i) / data.length) === 1;
      return Math.max(
        ...data.map((/** @type {number} */ value, /** @type {number} */ i) =>
          isKey(i) ? 0 : Math.abs(value - own[i]),
        ),
      );
    });
    const apart = Math.max(...theirs.map((loss, i) => Math.abs(loss - losses[i])));
    console.log(
      `${name}: losses within ${apart.toExponential(1)}, weights within ${Math.max(...far).toExponential(1)}`,
    );
    if (theirs.length !== STEPS || !(apart < 1e-6)) process.exitCode = 1;
    found[name] = { losses: theirs, names: Object.fromEntries(model.map(([each, [shape]]) => [each, shape])) };
  }
  if (!process.exitCode) writeFileSync(new URL('continue.json', import.meta.url), `${JSON.stringify(found)}\n`);
} finally {
  rmSync(folder, { recursive: true });
}
