// The README as npm can show it, while the package is packed: node src/tools/readme.mjs pack, and then unpack.
// It lacks what stands between <!-- repository --> and <!-- /repository -->: commands of the source tree. npm has no
// folder to resolve a relative link in: what the package holds gets its address in the package's own CDN, the rest,
// with the picture, its address in the repository; while package.json has a placeholder (src/tools/release.mjs), none.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const CDN = 'https://cdn.jsdelivr.net/npm/';
/** In an address that is none yet. */
const PLACEHOLDER = '/OWNER/';

/**
 * @param {string} text
 * @param {{name: string, version: string, repository: {url: string}}} manifest
 * @param {string[]} packed paths
 */
export function forNpm(text, { name, version, repository }, packed) {
  const home = repository.url.replace(/^git\+|\.git$/g, '');
  const parts = /<!-- repository -->([^]*?)<!-- \/repository -->/g;
  return text
    .replace(parts, (_, part) => (part.includes('\n\n') ? '\n\n' : ''))
    .replace(/(:\n\n)?(!?)\[([^\]]*)\]\((?!\w+:|#)([^)]+)\)/g, (_, before = '', picture, label, path) => {
      const inside = packed.includes(path);
      if (!inside && home.includes(PLACEHOLDER)) return picture ? before && '.' : before + label;
      const outside = `${home}/${picture ? 'raw' : 'blob'}/v${version}/`;
      return `${before}${picture}[${label}](${inside ? `${CDN}${name}@${version}/` : outside}${path})`;
    })
    .replace(/\n{3,}/g, '\n\n');
}

const action = process.argv[1] === fileURLToPath(import.meta.url) ? process.argv[2] : '';
const at = (/** @type {string} */ path) => new URL(`../../${path}`, import.meta.url);

/** @returns {string[]} the paths that npm would pack */
export function packedPaths() {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const stdio = /** @type {const} */ (['ignore', 'pipe', 'ignore']);
  const [{ files }] = JSON.parse(execFileSync('npm', args, { cwd: at(''), encoding: 'utf8', stdio }));
  return files.map((/** @type {{path: string}} */ { path }) => path);
}

const [readme, original] = [at('README.md'), at('dist/obj/README.md')];
if (action === 'pack') {
  const manifest = JSON.parse(readFileSync(at('package.json'), 'utf8'));
  const shown = (/** @type {string} */ text) => forNpm(text, manifest, packedPaths());
  const now = readFileSync(readme, 'utf8');
  const left = existsSync(original) ? readFileSync(original, 'utf8') : ''; // of a packing that was broken off
  const text = left && shown(left) === now ? left : now;
  mkdirSync(at('dist/obj/'), { recursive: true });
  writeFileSync(original, text);
  writeFileSync(readme, shown(text));
} else if (action === 'unpack' && existsSync(original)) {
  writeFileSync(readme, readFileSync(original));
  rmSync(original);
}
