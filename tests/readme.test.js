// The README is short, and counts in it and in the guides are those of the data. Other tests check its names
// (tests/docs/names.test.js), programs (tests/docs/guides.test.js) and kB (tests/size.test.js).
import assert from 'node:assert/strict';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { test } from 'node:test';
import { load } from 'glassformer';
import { makeText, reverse } from '../src/tasks/index.js';
import { lessons } from '../web/lessons/index.js';
import { MOST_BYTES } from './bytes.js';
import { programsOf } from './docs/examples.js';

const read = (/** @type {string} */ path) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const guides = readdirSync(new URL('../src/docs/guides', import.meta.url)).map((name) => `src/docs/guides/${name}`);
const pages = new Map(
  ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...guides].map((path) => [path, read(path).replace(/\s+/g, ' ')]),
);

test('README.md is read in three minutes, its programs have at most 13 lines', () => {
  const readme = read('README.md');
  assert.ok(readme.split('\n').length <= 150);
  for (const code of programsOf(readme)) assert.ok(code.trim().split('\n').length <= 13);
});

const kinds = (/** @type {string[]} */ ...some) => lessons.filter(({ kind }) => some.includes(kind)).length;
const megabytes = (/** @type {number} */ bytes) => Number((bytes / 1e6).toFixed(1));
const oldest = (/** @type {string} */ path) => /\d+\.\d+/.exec(JSON.parse(read(path)).engines.node)?.[0];
const WORDS =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen'.split(' ');

/** Words of a page around a count, and what it counts. @type {[string, string, number | string | undefined][]} */
const STATED = [
  ['README.md', 'a textbook of # pages', kinds('page', 'today', 'features', 'superposition')],
  ['README.md', 'and # puzzles', kinds('puzzle')],
  ['README.md', 'the package # MB packed', megabytes(MOST_BYTES['the packed package'])],
  ['README.md', 'Node ≥ #, Deno', oldest('package.json')],
  ['README.md', 'with Node ≥ #, make', oldest('node_modules/rolldown/package.json')],
  ['CONTRIBUTING.md', 'Node # or later, make', oldest('node_modules/rolldown/package.json')],
  ['src/docs/guides/bundlers.md', 'in Node ≥ #, Deno', oldest('package.json')],
  ['src/docs/guides/workers.md', 'in Node ≥ #, Deno', oldest('package.json')],
  ['src/docs/guides/start.md', 'The model reads # digits', parseInt(reverse.about.input)],
  ['src/docs/guides/start.md', 'austen.safetensors` (# MB)', megabytes(statSync('web/models/austen.safetensors').size)],
  [
    'src/docs/guides/onnx-pytorch.md',
    'some # lines in the package',
    Math.round(read('src/docs/continue.py').split('\n').length / 50) * 50,
  ],
];

test('a count is that of the data', () => {
  for (const [page, around, count] of STATED) {
    const form = around.replace(/[^\w\s#]/g, '\\$&').replace('#', '([\\w.]+)');
    const [, said = 'nothing'] = new RegExp(form).exec(pages.get(page) ?? '') ?? [];
    const number = WORDS.includes(said) ? WORDS.indexOf(said) : said;
    assert.equal(`${number}`, `${count}`, `${page}: ${around}`);
  }
});

test('no page counts what the data may change, but where it is compared', () => {
  const nouns =
    'pages|puzzles|lessons|challenges|claims|cards|tasks|families|settings|operations|tests|guides|MB packed';
  for (const [page, text] of pages) {
    const found = text.match(new RegExp(`(?<![\\w.,])(\\d[\\d.,]*|${WORDS.join('|')}) (${nouns})\\b`, 'g')) ?? [];
    const held = STATED.filter(([where, around]) => where === page && new RegExp(`# (${nouns})`).test(around));
    assert.equal(found.length, held.length, `${page}: ${found}`);
  }
});

test('README.md says which calls answer at once, which give promises, and the axes of weights', async () => {
  const [, once, later, last, axes] =
    /^((?:`[\w.]+`(?:, | and )?)+) answer at once; (.*) and a trace's\n(.*) give promises\..* are \[(.*)\]\.$/m.exec(
      read('README.md'),
    ) ?? [];
  const names = (/** @type {string} */ text) => [...text.matchAll(/`(?:trainer\.)?(\w+)`/g)].map(([, name]) => name);
  const gf = await load({ variant: 'simd' });
  const { model } = await gf.loadModel(import.meta.resolve('glassformer/models/continue'));
  const [text, batch] = ['a hungry fox', { ids: [1, 2], labels: [2, 3] }];
  const trace = model.trace(text);
  const trainer = model.trainer();
  /** @type {Record<string, () => any>} */
  const calls = {
    forward: () => model.forward(text, { capture: true }),
    trace: () => trace,
    tensor: () => trace.tensor('decoder.layers.0.self_attn.weights'),
    step: () => trainer.step(batch),
    loadModel: () => gf.loadModel(import.meta.resolve('glassformer/models/creek')),
    save: () => model.save(),
    generate: () => model.generate(text, { maxTokens: 1 }),
    embed: () => model.embed(text),
    classify: () => model.classify(text),
    gradients: () => model.gradients(text, { logit: { at: 1, id: 3 }, of: ['decoder.embedding'] }),
    lens: () => trace.lens(0),
    attribution: () => trace.attribution(1),
  };
  assert.deepEqual([...names(once), ...names(later), ...names(last)].sort(), Object.keys(calls).sort());
  for (const [name, call] of Object.entries(calls)) {
    const given = call();
    assert.equal(typeof given.then === 'function', !names(once).includes(name), name);
    await Promise.resolve(given).catch(({ code }) => assert.equal(`${name} ${code}`, 'classify config'));
  }
  assert.equal(axes, 'batch, heads, queries, keys');
  assert.deepEqual(calls.tensor().shape, [1, model.config.heads, 3, 3]);
});

/**
 * Whether a value has the form that a cell says: a name in it is a size, or anything that there is.
 * @param {any} value @param {any} form @param {symbol} any
 * @returns {boolean}
 */
function fits(value, form, any) {
  if (form === any || typeof value === 'function') return value !== undefined;
  if (Array.isArray(form)) {
    const each = (/** @type {unknown} */ one, /** @type {number} */ i) => fits(one, form[form.length > 1 ? i : 0], any);
    return Array.isArray(value) && value.length >= form.length && value.every(each);
  }
  if (typeof form !== 'object') return value === form;
  return Object.entries(form).every(([name, one]) => fits(value?.[name], one, any));
}

/**
 * The value of code in which the names of a scope stand for its members, and all others for `other`.
 * @param {string} code @param {Record<string, any>} scope @param {unknown} [other]
 */
function evaluated(code, scope, other) {
  const seen = new Proxy(scope, {
    has: (_, name) => typeof name === 'string',
    get: (all, name) => (name in all ? all[/** @type {string} */ (name)] : other),
  });
  return new Function('scope', `with (scope) return (${code});`)(seen);
}

/** Writes the messages one behind the other. */
class Template {
  /** @param {{messages: {content: string}[]}} values */
  render({ messages }) {
    return messages.map(({ content }) => content).join(' ');
  }
}

test("README.md's table of calls: each call of a row runs, and gives what the row says", async () => {
  const gf = await load({ variant: 'simd' });
  const file = (/** @type {string} */ name) =>
    readFileSync(new URL(`../dist/checkpoints/gpt2/${name}`, import.meta.url));
  const [config, weights, words] = ['config.json', 'model.safetensors', 'tokenizer.json'].map(file);
  const folder = { config, weights, tokenizer: words, tokenizerConfig: { chat_template: 'any' } };
  const { model, tokenizer } = await gf.loadModel(folder);
  const opened = async (/** @type {string} */ name) => (await gf.loadModel(`dist/${name}`)).model;
  const layer = { kind: 'decoder', vocabulary: 9, d_model: 8, heads: 2, layers: 1, head: 'tied' };
  const text = 'The creek was cold';
  const scope = {
    ...{ gf, load, model, tokenizer, text, prompt: 'The dog', texts: [text, 'The dog'], id: 5, Template },
    makeText: (/** @type {string} */ given, /** @type {any} */ options) => makeText(`${given}. `.repeat(20), options),
    ...{ bert: await opened('checkpoints/bert/'), classifier: await opened('checkpoints/bert-classes/') },
    ...{ translator: await opened('models/translate.safetensors'), trace: model.trace(text), heatmap: {} },
    ...{ trainer: gf.createModel(/** @type {any} */ (layer)).trainer(), messages: [{ role: 'user', content: text }] },
    ...{ vector: new Float32Array(model.config.d_model), name: 'decoder.layers.1.self_attn.weights' },
    ...{ batch: { ids: [1, 2, 3], labels: [2, 3, 4] }, bytes: await model.save(), ids: tokenizer.encode(text) },
    ...{ console: { log() {} } },
  };
  const tokens = tokenizer.encode(text).length;
  const { heads } = model.config;
  const sizes = { ...model.config, batch: 1, tokens, queries: tokens, keys: tokens, heads, texts: 2 };
  const codesOf = (/** @type {string} */ cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code);
  const isForm = (/** @type {string} */ code) => /^[[{]/.test(code);
  const isCall = (/** @type {string} */ code) => code.includes('(') && !isForm(code);
  const rows = [...read('README.md').matchAll(/^\| .* \| (`.*) \| (.*) \|$/gm)];
  assert.ok(rows.length > 20);
  for (const [row, calls, gives] of rows) {
    model.forward(text, { capture: true });
    const results = [];
    for (const call of [...codesOf(calls), ...codesOf(gives)].filter(isCall)) {
      const code = call.startsWith('for ') ? `{ ${call} }` : `(${call})`;
      const result = await evaluated(`async () => ${code}`, scope)();
      results.push(result);
      Object.assign(scope, { gradients: result?.gradients });
    }
    for (const [i, form] of codesOf(gives).filter(isForm).entries()) {
      const any = Symbol('any');
      const result = results[i];
      assert.ok(fits(result, evaluated(form, sizes, any), any), `${row} gives ${JSON.stringify(result)}`);
    }
    for (const each of results) /** @type {any} */ (each)?.terminate?.();
  }
});
