// Prints what esbuild puts into the service worker: the files of a built page, each with its hash,
// and a version that changes with any of them. node src/tools/precache.mjs FOLDER
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
const version = createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 16);
console.log(`--define:FILES=${JSON.stringify(files)}\n--define:VERSION="${version}"`);
