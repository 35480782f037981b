// The README as npm can show it, while the package is packed: node src/tools/readme.mjs pack, and then unpack.
// npm has no folder to resolve a relative link in, so what the package holds gets its address in the package's own
// CDN, and of the rest a picture is left out and a link becomes its text.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const CDN = 'https://cdn.jsdelivr.net/npm/';

/**
 * @param {string} text
 * @param {{name: string, version: string, files: string[]}} manifest
 */
export function forNpm(text, { name, version, files }) {
  const packed = [...files, 'package.json', 'LICENSE'];
  return text.replace(/(!?)\[([^\]]*)\]\((?!\w+:|#)([^)]+)\)\n?/g, (whole, picture, label, path) => {
    const end = whole.endsWith('\n') ? '\n' : '';
    if (packed.some((each) => path === each || path.startsWith(`${each}/`)))
      return `${picture}[${label}](${CDN}${name}@${version}/${path})${end}`;
    return picture ? '' : `${label}${end}`;
  });
}

const action = process.argv[1] === fileURLToPath(import.meta.url) ? process.argv[2] : '';
const at = (/** @type {string} */ path) => new URL(`../../${path}`, import.meta.url);
const [readme, original] = [at('README.md'), at('dist/obj/README.md')];
if (action === 'pack') {
  const manifest = JSON.parse(readFileSync(at('package.json'), 'utf8'));
  const now = readFileSync(readme, 'utf8');
  const left = existsSync(original) ? readFileSync(original, 'utf8') : ''; // of a packing that was broken off
  const text = left && forNpm(left, manifest) === now ? left : now;
  mkdirSync(at('dist/obj/'), { recursive: true });
  writeFileSync(original, text);
  writeFileSync(readme, forNpm(text, manifest));
} else if (action === 'unpack' && existsSync(original)) {
  writeFileSync(readme, readFileSync(original));
  rmSync(original);
}
