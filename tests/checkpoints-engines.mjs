// node tests/checkpoints-engines.mjs [FOLDER]     the checkpoints of a folder (tests/checkpoints) in each engine
//
// As tests/checkpoints.mjs, on a bare page of each engine that is installed: every case from its folder. The last line
// is `N passed, N failed`; the exit code is 1 when anything failed.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { engines, launchEngine, serveWatched, until } from './web/engines.js';

const folder = process.argv[2] ?? fileURLToPath(new URL('checkpoints', import.meta.url));
const PATIENCE = 120_000; // ms

const PAGE = `
import { load } from './package/js/index.js';
import { check, readExpected } from './checkpoints-check.js';
const gf = await load();
const read = async (url) => (await fetch(url)).arrayBuffer();
async function one(name) {
  const folder = new URL('cases/' + name + '/', location.href);
  const [said, expected] = await Promise.all(['case.json', 'expected.safetensors'].map((file) => read(folder + file)));
  const given = { said: JSON.parse(new TextDecoder().decode(said)), expected: readExpected(new Uint8Array(expected)) };
  return (await check(gf, given, [folder.href])).map(({ used, ...rest }) => ({ ...rest, used: String(used) }));
}
self.ask = (name) => {
  delete self.answer;
  one(name).then((results) => (self.answer = { results }), (error) => (self.answer = { error: String(error) }));
};`;

/** The files of the cases, by their place on the site. @param {string[]} names */
const filesOf = (names) =>
  names.flatMap((name) =>
    readdirSync(join(folder, name)).map((file) => [`cases/${name}/${file}`, readFileSync(join(folder, name, file))]),
  );

const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'case.json')));
const site = await serveWatched({
  'checkpoints-check.js': readFileSync(new URL('checkpoints-check.js', import.meta.url)),
  'checkpoints-page.js': PAGE,
  'checkpoints.html':
    '<!doctype html><script src="watch.js"></script><script type="module" src="checkpoints-page.js"></script>' +
    '<link rel="icon" href="data:,"><title>Checkpoints</title>',
  ...Object.fromEntries(filesOf(names)),
});
const { present, absent } = engines();
let [passed, failed] = [0, Number(!names.length)];
for (const engine of present) {
  const page = await launchEngine(engine);
  await page.goto(`${site.url}checkpoints.html`);
  await until(page, () => 'ask' in self);
  for (const name of names) {
    await page.evaluate((asked) => Reflect.get(self, 'ask')(asked), name);
    const { results, error } = await until(page, () => Reflect.get(self, 'answer'), null, PATIENCE);
    /** @type {{name: string, used: string, why?: string}[]} */
    const all = results ?? [{ name: 'opens', used: 'Infinity', why: error }];
    const wrong = all.filter(({ used }) => !(Number(used) <= 1));
    for (const { name: tensor, used, why } of wrong)
      console.log(`FAIL ${name} in ${page.version}, ${tensor}: ${why ?? `${used} times the tolerance`}`);
    passed += all.length - wrong.length;
    failed += wrong.length;
    console.log(`${name} in ${page.version}: ${all.length - wrong.length} of ${all.length}`);
  }
  await page.close();
}
await site.close();
if (absent.length) console.log(`not installed: ${absent}`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;
