// The faces that the page brings have every character of its own texts: none waits for an installed font.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import fontverter from 'fontverter';
import { parseAst } from 'rolldown/parseAst';

const web = fileURLToPath(new URL('../../dist/web/', import.meta.url));
const read = (/** @type {string} */ name) => readFileSync(web + name, 'utf8');

/** The code points that a font maps to a glyph, by its table of format 4 or 12. @param {string} name */
async function charactersOf(name) {
  const font = await fontverter.convert(readFileSync(`${web}faces/${name}.woff2`), 'truetype');
  const view = new DataView(font.buffer, font.byteOffset, font.byteLength);
  const u16 = (/** @type {number} */ at) => view.getUint16(at);
  const u32 = (/** @type {number} */ at) => view.getUint32(at);
  const tables = Array.from({ length: u16(4) }, (_, i) => 12 + 16 * i);
  const cmap = u32(tables.find((at) => font.toString('latin1', at, at + 4) === 'cmap') + 8);
  /** @type {Set<number>} */
  const found = new Set();
  for (let i = 0; i < u16(cmap + 2); i++) {
    const at = cmap + u32(cmap + 8 + 8 * i);
    if (u16(at) === 12)
      for (let group = at + 16; group < at + 16 + 12 * u32(at + 12); group += 12)
        for (let code = u32(group); code <= u32(group + 4); code++) found.add(code);
    if (u16(at) !== 4) continue;
    const size = u16(at + 6); // of each of four arrays: ends, starts, differences, offsets
    for (let end = at + 14; end < at + 14 + size; end += 2) {
      const [start, delta, offset] = [end + size + 2, end + 2 * size + 2, end + 3 * size + 2];
      for (let code = u16(start); code <= u16(end) && code < 0xffff; code++) {
        const glyph = u16(offset) ? u16(offset + u16(offset) + 2 * (code - u16(start))) : code + u16(delta);
        if (glyph & 0xffff) found.add(code);
      }
    }
  }
  return found;
}

/** The texts of a script: its strings and templates. @param {any} node @returns {string[]} */
function textsOf(node) {
  if (Array.isArray(node)) return node.flatMap(textsOf);
  if (!node || typeof node !== 'object') return [];
  if (node.type === 'Literal' && typeof node.value === 'string') return [node.value];
  if (node.type === 'TemplateElement') return [node.value.cooked ?? ''];
  return Object.values(node).flatMap(textsOf);
}

/** Characters that a tokenizer reads and never writes: the last two are also s and k, in either case. */
const READ_ONLY = '～\u017f\u212a';

test('each character of the page is in Inter or, if Inter lacks it, in the face of signs', async () => {
  const faces = [];
  for (const name of ['sans', 'sans-accents', 'signs']) faces.push(await charactersOf(name)); // one memory for all
  const texts = new Map();
  for (const name of readdirSync(web)) {
    if (name.endsWith('.js')) texts.set(name, textsOf(parseAst(read(name))).join(''));
    if (name.endsWith('.css') || name.endsWith('.html')) texts.set(name, read(name));
  }
  // Style sheets name characters by their number, also those within scripts.
  for (const [name, text] of texts)
    texts.set(
      name,
      text.replace(/\\([\da-f]{4}) ?/g, (_, code) => String.fromCodePoint(parseInt(code, 16))),
    );
  const all = [...texts.values()].join('');
  for (const known of ['√', '‖', '⇄', '✎', 'ᵀ', '▾']) assert(all.includes(known), known);
  const lacking = [...texts].flatMap(([name, text]) =>
    [...new Set(/** @type {string} */ (text))]
      .filter((each) => /[\p{L}\p{N}\p{P}\p{S}]/u.test(each) && !READ_ONLY.includes(each))
      .filter((each) => !faces.some((face) => face.has(Number(each.codePointAt(0)))))
      .map((each) => `${each} (U+${each.codePointAt(0)?.toString(16)}) of ${name}`),
  );
  assert.deepEqual(lacking, []);
});

test('each family falls back on these two faces before it asks the machine, and no rule names another', () => {
  const sources = new URL('../../web/', import.meta.url);
  const sheet = (/** @type {string} */ name) => readFileSync(new URL(name, sources), 'utf8');
  const families = new Map(
    [...sheet('app/base.css').matchAll(/--(sans|serif|mono): ([^;]*);/g)].map(([, name, list]) => [name, list]),
  );
  assert.match(families.get('sans'), /^'Glass Sans', 'Glass Signs', [\w-]/);
  assert.match(families.get('serif'), /^'Glass Serif', 'Glass Sans', 'Glass Signs', \w/);
  assert.match(families.get('mono'), /^'Glass Mono', 'Glass Sans', 'Glass Signs', \w/);
  const names = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.css'));
  assert(names.length > 50, String(names.length));
  // The element is for pages of others, which have their own faces.
  for (const name of names.filter((each) => !/^(elements|app\/base)/.test(each)))
    for (const [rule, value] of sheet(name).matchAll(/^\s*font(?:-family)?:([^;]*);/gm))
      assert.match(value, /var\(--(sans|serif|mono)\)|^ inherit$/, `${name}: ${rule}`);
});
