// Writes the faces of the page, with their licences: subsets of published fonts, of the letters that the page uses, so
// that every figure measures the same on every machine. node src/tools/faces.mjs FOLDER NOTE SOURCE...; NOTE is a file
// that says what the last run made, as subsetting takes seconds.
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import subsetFont from 'subset-font';

const { resolve } = createRequire(import.meta.url);
/** @param {number} first @param {number} last */
const letters = (first, last) => String.fromCharCode(...Array.from({ length: last + 1 - first }, (_, i) => first + i));

const DEJAVU = { from: 'dejavu-fonts-ttf', licence: 'LICENSE', noHinting: true }; // its hints outweigh its outlines
/**
 * `letters`: which, if not all that the page uses.
 * @typedef {{from: string, file: string, licence: string, axes?: object, letters?: string, noHinting?: boolean}} Face
 */
/** @type {Face} */
const SANS = {
  from: 'inter-ui',
  file: 'variable/InterVariable.woff2',
  licence: 'LICENSE.txt',
  axes: { wght: { min: 400, max: 700 }, opsz: 14 },
};
/** @type {Face} */
const SERIF = {
  from: '@fontsource-variable/source-serif-4',
  file: 'files/source-serif-4-latin-wght-normal.woff2',
  licence: 'LICENSE',
  axes: { wght: { min: 400, max: 600 } },
};
/**
 * Letters and signs that readers type and the page does not, fetched where some are shown: 15 kB less to open the page.
 * base.css has their ranges.
 */
const ACCENTS = letters(0xa1, 0xff).replace(/[°±²³·¹¼½×÷]/g, '');

/** @type {Record<string, Face>} */
const FACES = {
  sans: SANS,
  'sans-accents': { ...SANS, letters: ACCENTS },
  serif: SERIF,
  'serif-accents': { ...SERIF, letters: ACCENTS },
  // The signs of formulas that grow, the operators beside them, the table that places their parts, and Greek. Without
  // the space browsers would not take the table from it; WebKit paints no minus that is in another face.
  math: { ...DEJAVU, file: 'ttf/DejaVuMathTeXGyre.ttf', letters: ' ()√‖∑+−=≠αβγεμσ' },
  // Signs that Inter lacks, and WebKit's triangle before unfolding sections.
  signs: { ...DEJAVU, file: 'ttf/DejaVuSans.ttf', letters: 'ᵀ⇄⋯⍽▁☐▸▾◐✎\ufffd' },
  // Of code, fetched where some is shown.
  mono: { ...DEJAVU, file: 'ttf/DejaVuSansMono.ttf', letters: letters(32, 126) + '·–—‘’“”…−×' },
};
const FEATURES = ['kern', 'tnum']; // those that place marks have none to place: no face has combining ones

const [folder, note, ...sources] = process.argv.slice(2);
// Latin letters that readers type, and every letter of the page's own texts.
const used = letters(32, 126) + letters(0xa0, 0xbf) + sources.map((source) => readFileSync(source, 'utf8')).join('');
const text = [...new Set(used)]
  .filter((each) => !ACCENTS.includes(each))
  .sort()
  .join('');
const made = text + readFileSync(new URL(import.meta.url), 'utf8');
if (existsSync(note) && existsSync(folder) && readFileSync(note, 'utf8') === made) process.exit();

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const [name, { from, file, licence, axes, letters: own = text, noHinting }] of Object.entries(FACES)) {
  const root = dirname(resolve(`${from}/package.json`));
  const options = {
    targetFormat: /** @type {const} */ ('woff2'),
    variationAxes: axes,
    keepFeatures: FEATURES,
    noHinting,
  };
  writeFileSync(join(folder, `${name}.woff2`), await subsetFont(readFileSync(join(root, file)), own, options));
  copyFileSync(join(root, licence), join(folder, `${from === DEJAVU.from ? 'dejavu' : name.split('-')[0]}.txt`));
}
writeFileSync(note, made);
