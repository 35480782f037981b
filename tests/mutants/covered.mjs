// Loaded into each process and worker of a test: keeps on disk which mutants its code has passed.
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import threads from 'node:worker_threads';

const file = `${process.env.GLASSFORMER_COVERED}/${randomUUID()}.json`;
let length = 0;
function keep() {
  const { mutantCoverage } = Reflect.get(globalThis, '__stryker__') ?? {};
  const ids = Object.keys(mutantCoverage?.static ?? {});
  if (ids.length > length) writeFileSync(file, JSON.stringify(ids));
  length = ids.length;
}
setInterval(keep, 100).unref(); // a worker that is terminated has no exit
process.on('exit', keep);

// A worker that is made of text takes no --import.
const { Worker } = threads;
threads.Worker = class extends Worker {
  /** @param {any} script @param {any} [options] */
  constructor(script, options) {
    super(options?.eval ? `import(${JSON.stringify(import.meta.url)});${script}` : script, options);
  }
};
syncBuiltinESMExports();
