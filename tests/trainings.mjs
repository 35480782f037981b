// Whether the trainings passed as things stand. The engine gives the same bits everywhere, so these decide their
// numbers: the module, all code that the tests import, and the models that come with the package. When all pass, the
// digest of these is noted.
//
//   node tests/trainings.mjs     runs them with all seeds and notes the digest: npm run trainings
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { TRAININGS } from './long.js';

const NOTE = 'tests/trainings.txt';

/** The digest of all that decides the numbers of a training. */
async function digest() {
  const { outputFiles } = await build({
    entryPoints: TRAININGS,
    bundle: true,
    minifyWhitespace: true, // without comments
    legalComments: 'none',
    format: 'esm',
    platform: 'node',
    external: ['*.wasm.js', '*.text.js'],
    outdir: 'none',
    write: false,
    logLevel: 'error',
  });
  const hash = createHash('sha256').update(readFileSync('dist/simd.wasm'));
  for (const { contents } of outputFiles) hash.update(contents);
  for (const name of readdirSync('web/models')
    .filter((each) => each.endsWith('.safetensors'))
    .sort())
    hash.update(readFileSync(`web/models/${name}`));
  return hash.digest('hex');
}

export const trainingsPassed = async () => readFileSync(NOTE, 'utf8').trim() === (await digest());

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const before = await digest();
  const env = { ...process.env, GLASSFORMER_SEEDS: 'all' };
  const { status } = spawnSync(process.execPath, ['tests/run.mjs', ...TRAININGS], { stdio: 'inherit', env });
  if (status === 0 && (await digest()) === before) writeFileSync(NOTE, `${before}\n`);
  process.exitCode = status ?? 1;
}
