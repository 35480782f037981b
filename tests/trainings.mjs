// Whether the trainings passed as things stand. The engine gives the same bits everywhere, so these decide their
// numbers: the module, its JavaScript that computes, the tasks, the claims, the tests. When all pass, their digest is
// noted.
//
//   node tests/trainings.mjs     runs them with all seeds, and notes the digest when all pass: npm run
//                                trainings
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';
import { isTraining } from './long.js';

const NOTE = 'tests/trainings.txt';
const FOLDERS = ['src/js/arrays', 'src/js/engine', 'src/tasks', 'src/claims', 'tests/tasks', 'tests/claims'];

/** The digest of all that decides the numbers of a training. */
function digest() {
  const hash = createHash('sha256').update(readFileSync('dist/simd.wasm'));
  for (const folder of FOLDERS) {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
    for (const name of files.sort()) {
      const code = readFileSync(`${folder}/${name}`, 'utf8');
      hash.update(transformSync(code, { minifyWhitespace: true, legalComments: 'none' }).code);
    }
  }
  for (const name of ['turned.js', 'turns.js']) hash.update(readFileSync(`web/claims/${name}`));
  return hash.digest('hex');
}

export const trainingsPassed = () => readFileSync(NOTE, 'utf8').trim() === digest();

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = readdirSync('tests', { recursive: true, encoding: 'utf8' })
    .map((path) => `tests/${path}`)
    .filter(isTraining);
  const before = digest();
  const env = { ...process.env, GLASSFORMER_SEEDS: 'all' };
  const { status } = spawnSync(process.execPath, ['tests/run.mjs', ...files], { stdio: 'inherit', env });
  if (status === 0 && digest() === before) writeFileSync(NOTE, `${before}\n`);
  process.exitCode = status ?? 1;
}
