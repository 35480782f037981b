// Loaded into each process and worker of a test: keeps on disk which mutants its code has passed.
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';

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
