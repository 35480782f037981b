// node tests/golden.mjs [FOLDER]     checks the reference cases of a folder (tests/golden)
//
// Every *.safetensors file in the format of tests/golden/README.md, through the public API, in both
// builds of the module. It counts all outputs of one case in one variant, and once more all of its
// gradients. The last line is `N passed, N failed`; the exit code is 1 when anything failed.
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { load, readSafetensors } from 'glassformer';
import { generate, readCase } from './golden/check_format.mjs';
import { forward as before } from './golden-cases.js';
import { compare } from './golden-compare.js';
import { forward as ofFamilies } from './golden-families.js';
import { forward as modern } from './golden-modern.js';
import { gradients } from './golden-gradients.js';
import { forward as ofT5 } from './golden-t5.js';
import { FORWARD_ONLY, watched } from './golden-read.js';
import { training } from './golden-training.js';

const VARIANTS = ['simd', 'relaxed'];
const FLAG = '--experimental-wasm-relaxed-simd'; // Node 20 needs it, later ones do not know it

const forward = { ...before, ...modern, ...ofFamilies, ...ofT5 };
const count = { passed: 0, failed: 0 };
const closest = new Map(); // variant -> the tensor that used most of its tolerance

const say = (/** @type {string} */ text) => console.log(text);
const fail = (/** @type {string} */ text) => {
  count.failed++;
  say(`FAIL ${text}`);
};

await main(process.argv[2] ?? fileURLToPath(new URL('golden', import.meta.url)));

/** @param {string} folder */
async function main(folder) {
  const engines = new Map(); // variant -> engine
  for (const variant of VARIANTS) {
    try {
      engines.set(variant, await load({ variant }));
    } catch (error) {
      if (variant === 'relaxed' && !process.execArgv.includes(FLAG)) {
        const again = spawnSync(process.execPath, [FLAG, ...process.execArgv, ...process.argv.slice(1)], {
          stdio: 'inherit',
        });
        if (again.status !== 9) process.exit(again.status ?? 1); // 9: this Node does not know the flag
      }
      fail(`the ${variant} variant cannot run on Node ${process.version}: ${message(error)}`);
    }
  }
  for (const file of list(folder)) {
    let test;
    try {
      test = open(join(folder, file));
    } catch (error) {
      fail(`${file}: not a case: ${message(error)}`);
      continue;
    }
    for (const [variant, gf] of engines) {
      const trapped = check(gf, variant, test);
      if (trapped) engines.set(variant, await load({ variant })); // its memory is in an unknown state
    }
  }
  for (const [variant, c] of closest)
    say(`${variant}: nearest to its tolerance is ${c.name}, ${(100 * c.used).toFixed(0)} % used`);
  say(`${count.passed} passed, ${count.failed} failed`);
  process.exitCode = count.failed ? 1 : 0;
}

/** The case files of a folder; a folder without any is a failure. @param {string} folder */
function list(folder) {
  try {
    const files = readdirSync(folder)
      .filter((name) => name.endsWith('.safetensors'))
      .sort();
    if (!files.length) fail(`${folder}: no *.safetensors file`);
    return files;
  } catch (error) {
    fail(`${folder}: ${message(error)}`);
    return [];
  }
}

/**
 * One case: inputs and weights read by the package, truths by the format's own reader, because
 * the package makes float32 of F64.
 * @param {string} path
 */
function open(path) {
  const { meta, tensors } = readCase(path);
  for (const key of ['case', 'op', 'params', 'tol', 'rtol'])
    if (meta[key] === undefined) throw new Error(`metadata lacks ${key}`);
  const named = (/** @type {Iterable<[string, any]>} */ entries, /** @type {string} */ kind) =>
    [...entries]
      .filter(([name]) => name.startsWith(`${kind}.`))
      .map(([name, t]) => /** @type {[string, any]} */ ([name.slice(kind.length + 1), t]));
  const given = readSafetensors(readFileSync(path)).tensors;
  const generated = Object.entries(meta.generated ?? {}).map(
    ([name, g]) => /** @type {[string, any]} */ ([name, { data: generate(g), shape: g.shape }]),
  );
  const truths = named(Object.entries(tensors), 'output');
  if (!truths.length) throw new Error('no output.* tensor');
  return {
    meta,
    truths,
    op: meta.op,
    params: meta.params,
    input: Object.fromEntries(named(given, 'input')),
    weights: new Map([...named(given, 'weight'), ...generated]),
    cotangent: Object.fromEntries(named(given, 'cotangent')),
    gradients: Object.entries(tensors).filter(([name]) => /^grad(l2|sample)?\./.test(name)),
  };
}

/**
 * Runs one case in one variant; true when the module trapped.
 * @param {any} gf
 * @param {string} variant
 * @param {any} test
 */
function check(gf, variant, test) {
  const { op, meta } = test,
    name = `${meta.case} (${variant})`;
  if (!forward[op] && !training[op]) return fail(`${name}: no way to run op ${op}`);
  let results, slopes;
  const passedOver = [];
  try {
    const of = watched(test);
    ({ results, gradients: slopes } = training[op] ? training[op](gf, of) : { results: forward[op](gf, of) });
    passedOver.push(...of.unread());
    if (test.gradients.length && !slopes) {
      const again = watched(test, FORWARD_ONLY);
      slopes = gradients(gf, op, again);
      passedOver.push(...again.unread().map((name) => `${name} (gradients)`));
    }
  } catch (error) {
    fail(`${name}: ${message(error)}`);
    return error instanceof WebAssembly.RuntimeError;
  }
  if (passedOver.length) return fail(`${name}: the runner does not read ${[...new Set(passedOver)].join(', ')}`);
  // K's bias has gradient 0 in theory: Adam blows its rounding noise up, so it is held only to be there
  const held = ([/** @type {string} */ output]) =>
    !output.endsWith('.kbias') || !results[output]?.data.every(Number.isFinite);
  judge(
    name,
    variant,
    meta,
    test.truths.filter(held).map(([output, truth]) => [`output.${output}`, truth, results[output]]),
  );
  if (!test.gradients.length) return;
  judge(
    `${meta.case} gradients (${variant})`,
    variant,
    meta,
    test.gradients.map(([full, truth]) => {
      const [, kind, of] = /^(grad(?:l2|sample)?)\.(.*)$/.exec(full);
      const got = slopes?.get(of);
      return [full, truth, got && (kind === 'gradl2' ? norm(got) : kind === 'gradsample' ? sample(got) : got)];
    }),
  );
}

/**
 * One check: tensors of a case against their truths.
 * @param {string} name @param {string} variant @param {any} meta @param {[string, any, any][]} tensors
 */
function judge(name, variant, meta, tensors) {
  const problems = [];
  for (const [tensor, truth, got] of tensors) {
    const rule = {
      atol: meta.tol[tensor]?.atol,
      rtol: meta.rtol,
      zero: tensor === 'output.weights',
      mean: tensor === 'output.loss',
    };
    const { problem, used } = compare(truth, got, rule);
    if (problem) problems.push(`${tensor} ${problem}`);
    else if (used > (closest.get(variant)?.used ?? -1)) closest.set(variant, { name: `${meta.case} ${tensor}`, used });
  }
  if (problems.length) fail(`${name}:\n${problems.map((p) => `     ${p}`).join('\n')}`);
  else count.passed++;
}

/** A large gradient is kept as its L2 norm and 32 of its entries. @param {any} t */
function norm({ data }) {
  return { data: [Math.sqrt(data.reduce((sum, x) => sum + x * x, 0))], shape: [1] };
}

/** @param {any} t */
function sample({ data }) {
  return {
    data: Array.from({ length: 32 }, (_, k) => data[(Math.imul(k, 2654435761) >>> 0) % data.length]),
    shape: [32],
  };
}

/** @param {any} error */
function message(error) {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
