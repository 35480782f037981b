// THIRD_PARTY.md names, with version and license, every package whose code or faces are in dist/.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (/** @type {string} */ name) => readFileSync(root + name, 'utf8');

/** Of the sources that a source map lists. @param {string} map */
const packagesIn = (map) =>
  JSON.parse(read(map)).sources.flatMap((/** @type {string} */ source) => {
    const [, name] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source) ?? [];
    return name ? [name] : [];
  });

test('the notice names all that is shipped', () => {
  const notice = read('THIRD_PARTY.md');
  const maps = ['dist', 'dist/js', 'dist/claims', 'dist/elements', 'dist/web'].flatMap((folder) =>
    readdirSync(root + folder).flatMap((file) => (file.endsWith('.map') ? [`${folder}/${file}`] : [])),
  );
  const faces = [...read('src/tools/faces.mjs').matchAll(/from: '([^']+)'/g)].map(([, name]) => name);
  const shipped = new Set([...maps.flatMap(packagesIn), ...faces]);
  assert.ok(shipped.has('lit-html') && faces.length === 3, [...shipped].join());
  for (const name of shipped) {
    const { version, license } = JSON.parse(read(`node_modules/${name}/package.json`));
    const row = notice.split('\n').find((line) => line.includes(`${name} ${version}`));
    assert.ok(row?.includes(license), `${name} ${version}, ${license}: ${row}`);
  }
});

test('the notice is packed and goes with the page, with the licenses that it names', () => {
  const { files } = JSON.parse(read('package.json'));
  assert.ok(files.includes('THIRD_PARTY.md') && files.includes('dist/js'));
  assert.equal(read('dist/web/THIRD_PARTY.md'), read('THIRD_PARTY.md'));
  assert.equal(read('dist/web/LICENSE'), read('LICENSE'));
});
