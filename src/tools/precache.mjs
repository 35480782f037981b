// Prints what esbuild puts into the service worker: the files of a built page, each with its hash, and a version that
// changes with any of them; large files, which the worker keeps on first use, stand apart. FOLDER is the argument.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.argv[2];
const names = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && !/\.map$|^service-worker\.js$/.test(entry.name))
  .map((entry) =>
    join(entry.parentPath ?? entry.path, entry.name)
      .slice(join(folder, '/').length)
      .replaceAll('\\', '/'),
  )
  .sort();
const files = Object.fromEntries(
  names.map((name) => [
    name,
    `sha256-${createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('base64')}`,
  ]),
);
const LATER = ['models/austen.safetensors'];
const later = Object.fromEntries(LATER.map((name) => [name, files[name]]));
for (const name of LATER) delete files[name];
const version = createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 16);
console.log(
  `--define:FILES=${JSON.stringify(files)}\n--define:LATER=${JSON.stringify(later)}\n--define:VERSION="${version}"`,
);
