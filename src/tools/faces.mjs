// Writes the faces of the page, with their licences: subsets of published fonts, of the letters that the page uses, so
// that every figure measures the same on every machine. node src/tools/faces.mjs FOLDER NOTE SOURCE...; NOTE is a file
// that holds the letters of the last run, as subsetting takes seconds.
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import subsetFont from 'subset-font';

const { resolve } = createRequire(import.meta.url);
const FACES = {
  sans: {
    from: 'inter-ui',
    file: 'variable/InterVariable.woff2',
    licence: 'LICENSE.txt',
    axes: { wght: { min: 400, max: 700 }, opsz: 14 },
  },
  serif: {
    from: '@fontsource-variable/source-serif-4',
    file: 'files/source-serif-4-latin-wght-normal.woff2',
    licence: 'LICENSE',
    axes: { wght: { min: 400, max: 600 } },
  },
};
const FEATURES = ['kern', 'tnum', 'ccmp', 'mark', 'locl'];

const [folder, note, ...sources] = process.argv.slice(2);
const letters = (/** @type {number} */ first, /** @type {number} */ last) =>
  String.fromCharCode(...Array.from({ length: last + 1 - first }, (_, i) => first + i));
// What readers type in Latin letters, and every letter of the page's own texts.
const used = letters(32, 126) + letters(160, 255) + sources.map((source) => readFileSync(source, 'utf8')).join('');
const text = [...new Set(used)].sort().join('');
if (existsSync(note) && existsSync(folder) && readFileSync(note, 'utf8') === text) process.exit();

mkdirSync(folder, { recursive: true });
for (const [name, { from, file, licence, axes }] of Object.entries(FACES)) {
  const root = dirname(resolve(`${from}/package.json`));
  const options = { targetFormat: /** @type {const} */ ('woff2'), variationAxes: axes, keepFeatures: FEATURES };
  writeFileSync(join(folder, `${name}.woff2`), await subsetFont(readFileSync(join(root, file)), text, options));
  copyFileSync(join(root, licence), join(folder, `${name}.txt`));
}
writeFileSync(note, text);
