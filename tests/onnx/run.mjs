// Exported models in onnxruntime-web beside ours: node tests/onnx/run.mjs [COUNT [SEED]]      (npm run onnx)
// COUNT random models of each kind, default 100, from SEED on, default 1; exits with 1 when one is off.
import { parseArgs } from 'node:util';
import { load } from '../../dist/js/node.js';
import { KINDS, caseOf } from './cases.js';
import { TOLERANCE, judge } from './compare.js';

const { positionals } = parseArgs({ allowPositionals: true });
const [count = 100, first = 1] = positionals.map(Number);
if (!(Number.isInteger(count) && count > 0 && Number.isInteger(first))) {
  console.error('npm run onnx -- [COUNT [SEED]], two integers');
  process.exit(2);
}
const gf = await load();
let [passed, failed] = [0, 0];
for (const kind of KINDS) {
  let worst = 0;
  for (let seed = first; seed < first + count; seed++) {
    try {
      worst = Math.max(worst, await judge(gf, kind, seed));
      passed++;
    } catch (error) {
      failed++;
      const { config, inputs } = caseOf(kind, seed);
      console.log(`FAIL ${kind} ${seed}: ${error}\n     ${JSON.stringify({ ...config, inputs })}`);
    }
  }
  console.log(`${kind}: at most ${worst.toExponential(1)} of the largest number off, ${TOLERANCE} is allowed`);
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;
