// The bundled page: what only has an effect, and exports nothing, is still in it.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';

const root = fileURLToPath(new URL('../../', import.meta.url));

test('each style sheet that a script imports is in the bundle', async () => {
  const names = readdirSync(`${root}web`, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
  const sheets = names.flatMap((name) =>
    [...readFileSync(`${root}web/${name}`, 'utf8').matchAll(/^import \w+ from '(\.[^']*\.css)'/gm)].map(([, sheet]) =>
      join(dirname(name), sheet),
    ),
  );
  assert(sheets.length > 15, String(sheets.length));
  const built = readdirSync(`${root}dist/web`).filter((name) => name.endsWith('.js'));
  const scripts = built.map((name) => readFileSync(`${root}dist/web/${name}`, 'utf8')).join('\n');
  for (const sheet of sheets.filter((name) => !name.startsWith('elements'))) {
    const { code } = await transform(readFileSync(`${root}web/${sheet}`), { loader: 'css', minify: true });
    const [first] = code.split('}'); // a rule without quotes, which a script would escape
    assert(!/["'`\\]/.test(first) && scripts.includes(first), `${sheet}: ${first}`);
  }
});
