// Prints what esbuild puts into the service worker: the files of a built page, each with its hash, and a version that
// changes with any of them; large files, which the worker keeps on first use, stand apart. FOLDER is the argument. The
// page is given a mark that changes with any other file, so that the worker tells one build's page from another's.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
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
const hashOf = (/** @type {string} */ name) =>
  `sha256-${createHash('sha256')
    .update(readFileSync(join(folder, name)))
    .digest('base64')}`;
const files = Object.fromEntries(names.map((name) => [name, hashOf(name)]));
const PAGE = 'index.html';
const mark = createHash('sha256')
  .update(JSON.stringify({ ...files, [PAGE]: '' }))
  .digest('hex')
  .slice(0, 16);
const page = readFileSync(join(folder, PAGE), 'utf8').replace(/\n\s+/g, '\n'); // without indents
const marked = page.replace(/(<meta name="glassformer-build" content=")\w*"/, `$1${mark}"`);
if (!marked.includes(`"${mark}"`)) throw new Error(`${PAGE} has no place for the mark of its build`);
writeFileSync(join(folder, PAGE), marked);
files[PAGE] = hashOf(PAGE);
const LATER = names.filter((name) => /^models\/(features\/)?(austen|spanish)\./.test(name));
const later = Object.fromEntries(LATER.map((name) => [name, files[name]]));
for (const name of LATER) delete files[name];
const version = createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 16);
console.log(
  `--define:FILES=${JSON.stringify(files)}\n--define:LATER=${JSON.stringify(later)}\n--define:VERSION="${version}"`,
);
