// The claims with what they found: a run of the same claim, seeds and switches is made once, by the test that comes
// first, and kept below dist/ until the module, the tasks, the claims or Node change.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deserialize, serialize } from 'node:v8';
import { claims as all, course as groups } from '../../src/claims/index.js';
import { settingsOf } from '../../src/claims/shared/claim.js';

export * from '../../src/claims/index.js';

/** Whether a run that tells its progress may be a kept one, which tells none: where a test looks at its end alone. */
export const watched = { mayBeKept: false };

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Hashes everything that affects the bits of a run; a mutant of `npm run mutate` is another program. */
function version() {
  const hash = createHash('sha256').update(`${process.version} ${process.env.__STRYKER_ACTIVE_MUTANT__}`);
  for (const folder of ['src/claims', 'dist/js', 'dist/tasks'])
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).sort())
      if (name.endsWith('.js')) hash.update(name).update(readFileSync(join(root, folder, name)));
  return hash
    .update(readFileSync(join(root, 'dist/simd.wasm')))
    .digest('hex')
    .slice(0, 16);
}

const runs = join(root, 'dist/claim-runs');
const folder = join(runs, version());
mkdirSync(folder, { recursive: true });
// Of other versions. Another process that begins now does the same, and may be quicker.
for (const name of readdirSync(runs))
  if (join(runs, name) !== folder) rmSync(join(runs, name), { recursive: true, force: true, maxRetries: 3 });

/** @param {import('../../src/claims/index.js').ClaimModule} module */
const kept = (module) => ({
  ...module,
  /** @type {typeof module.run} */
  async run(gf, params, onProgress, signal) {
    const { claim } = module;
    const { seeds, ...settings } = settingsOf(claim, params);
    const key = JSON.stringify([claim.number, gf.variant, claim.seeded && seeds, Object.entries(settings).sort()]);
    const path = join(folder, createHash('sha256').update(key).digest('hex'));
    if (existsSync(path) && (!onProgress || watched.mayBeKept)) return deserialize(readFileSync(path));
    const numbers = await module.run(gf, params, onProgress, signal);
    writeFileSync(`${path}.${process.pid}`, serialize(numbers)); // another process may write the same
    renameSync(`${path}.${process.pid}`, path);
    return numbers;
  },
});

const modules = new Map(all.map((module) => [module, kept(module)]));
export const claims = [...modules.values()];
export const course = groups.map(({ title, claims: own }) => ({
  title,
  claims: own.map((module) => modules.get(module) ?? module),
}));
