// The page’s styles, as a browser reads them. Of all rules `X:has(…) Y` it keeps a list of possible Y, and restyles
// these after each change that a :has() looks at. One Y that can be any element makes that the whole page.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';

const web = fileURLToPath(new URL('../../web', import.meta.url));

/** Its parts between a separator that no bracket encloses. @param {string} text @param {RegExp} separator */
function split(text, separator) {
  const parts = [''];
  let depth = 0;
  for (const each of text) {
    depth += Number('(['.includes(each)) - Number(')]'.includes(each));
    if (!depth && separator.test(each)) parts.push('');
    else parts[parts.length - 1] += each;
  }
  return parts.filter(Boolean);
}

/** Whether the last compound of a selector names a class, id, attribute or type. @param {string} selector */
function isNamed(selector) {
  const last = /** @type {string} */ (split(selector, /[\s>~+]/).at(-1));
  const [, alternatives] = /:(?:is|where)\((.*)\)/.exec(last) ?? [];
  if (alternatives && split(alternatives, /,/).every(isNamed)) return true;
  return /^[a-z]|[.#[]/.test(last.replace(/:[a-z-]+\(.*\)/, ''));
}

/** Selectors `X:has(…) Y` whose Y can be any element. @param {string} css without nested rules */
const universal = (css) =>
  [...css.matchAll(/(?<=^|[{};])[^{};@]+(?=\{)/g)]
    .flatMap(([selectors]) => split(selectors, /,/))
    .filter((selector) =>
      split(selector, /[\s>~+]/)
        .slice(0, -1)
        .some((part) => part.includes(':has(')),
    )
    .filter((selector) => !isNamed(selector));

test('finds the selectors that reach any element', () => {
  const css =
    '.a:has(>.b) #c>:nth-child(2){d:e}@media (f){.a:has(.b) *,.a:has(.b) .c{d:e}}.a>:has(.b){d:e}' +
    '.a:has(.b) :is(.c>:not(d),.e){f:g}.a:has(.b)~.c:not(.d){e:f}.a:has(.b) :is(.c,d){e:f}';
  assert.deepEqual(universal(css), ['.a:has(>.b) #c>:nth-child(2)', '.a:has(.b) *', '.a:has(.b) :is(.c>:not(d),.e)']);
});

test('no rule lets a change restyle all of the page', async () => {
  const found = [];
  for (const file of readdirSync(web, { encoding: 'utf8', recursive: true })) {
    if (!file.endsWith('.css')) continue;
    const { code } = await transform(readFileSync(`${web}/${file}`, 'utf8'), {
      loader: 'css',
      minify: true,
      target: 'chrome110', // which knows no nested rules
    });
    found.push(...universal(code).map((selector) => `${file}: ${selector}`));
  }
  assert.deepEqual(found, []);
});
