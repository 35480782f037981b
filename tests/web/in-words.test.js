// Errors in a reader's words: a sentence, without the argument of a call or the code of a browser.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { load } from 'glassformer';
import { labelOf } from '../../web/engine/model-settings.js';
import { inWords } from '../../web/kit/in-words.js';

/** @type {Awaited<ReturnType<typeof load>>} */
let gf;
before(async () => {
  gf = await load();
});

const config = { kind: 'encoder', layers: 1, heads: 2, d_model: 8, d_ff: 8, vocabulary: 9, maxLength: 5 };
/** @param {() => unknown} call @param {string} [what] */
const refusal = (call, what = '') => {
  try {
    call();
  } catch (error) {
    return error;
  }
  return assert.fail(`not refused: ${what}`);
};
const RAW = /\w\[\d|^\w+: |undefined|NaN|, got|\bids\b|patches|d_k/;

test('a setting is named as its field is', () => {
  const error = refusal(() => gf.createModel({ ...config, heads: 3 }));
  assert.equal(inWords(error, labelOf), 'Heads must divide d_model = 8, not 3.');
  const own = { name: 'GlassformerError', code: 'range', parameter: 'text', message: 'text: must have 9 words, got 4' };
  assert.equal(inWords(own), 'The text must have 9 words, not 4.');
});

test('each refusal of a pass is a sentence about the model or the text, not about arguments', () => {
  const model = gf.createModel(config);
  const ids = [1, 2, 3];
  const patch = (/** @type {object} */ more) => ({ name: 'encoder.layers.0.out', index: [0, 0, 0], value: 1, ...more });
  const all = [
    { ids: [1, 2, 99] },
    { ids: [] },
    { ids: [1, 0.5] },
    ...[{ index: [0, 9, 0] }, { index: [0, NaN, 0] }, { index: [0, 'x', 0] }, { name: 'other' }, { value: 'x' }].map(
      (more) => ({ ids, capture: true, patches: [patch(more)] }),
    ),
    { ids, capture: true, temperature: -1 },
    { ids, capture: true, ablate: [{ layer: 7, head: 0 }] },
  ];
  for (const options of all) {
    const said = inWords(
      refusal(() => model.forward(/** @type {any} */ (options)), JSON.stringify(options)),
      labelOf,
    );
    assert.doesNotMatch(said, RAW, JSON.stringify(options));
    assert.match(said, /^[A-Z].*[.]$/);
  }
});

test('a fault of the page and a lost connection are said; what the page has put in words stays', () => {
  const fault = refusal(() => /** @type {any} */ (undefined).size);
  assert.equal(inWords(fault), 'Something on this page went wrong. Undo the last change or reload the page.');
  for (const message of ['Failed to fetch', 'NetworkError when attempting to fetch resource.', 'Load failed'])
    assert.match(inWords(new TypeError(message)), /could not be fetched. Check the connection/);
  assert.equal(inWords(new RangeError('There is no claim 99.')), 'There is no claim 99.');
  assert.equal(inWords({ message: 'Choose a folder.' }), 'Choose a folder.');
});

test('each error has its sentence: by its code, its setting, its kind', () => {
  const own = { name: 'GlassformerError', code: 'range', parameter: 'heads', message: 'heads: must be 1, got 2' };
  const label = (/** @type {string} */ name) => (name === 'heads' ? 'Heads' : undefined);
  const other = 'The model cannot compute this. Undo the last change or choose another text.';
  const fault = 'Something on this page went wrong. Undo the last change or reload the page.';
  const offline = 'A file of the page could not be fetched. Check the connection and try again.';
  for (const [error, said] of /** @type {[object, string][]} */ ([
    [{}, 'Heads must be 1, not 2.'],
    [{ message: 'heads: must be a number, got NaN' }, 'Heads must be a number, not empty.'],
    [{ parameter: 'seed', message: 'seed: must be whole, got 0.5' }, 'The seed must be whole, not 0.5.'],
    [{ parameter: 'steps', message: 'steps: must be whole' }, 'The steps must be whole.'],
    [{ message: 'they must be 1' }, other],
    [{ parameter: 'ids', message: 'ids: must be whole' }, other],
    [
      { code: 'memory', message: 'no' },
      'This needs more memory than a page has. Choose a smaller model or a shorter text.',
    ],
    [{ code: 'limit', message: 'no' }, 'This takes too long to compute. Choose a smaller model or a shorter text.'],
    [{ code: 'number', message: 'no' }, 'A number is too large for 32-bit floats. Undo the last change.'],
    [{ code: 'freed', message: 'no' }, 'The part of the page that computes this has stopped. Try again.'],
    [{ code: 'token', message: 'no' }, 'The model does not know a word of this text. Choose another text.'],
    ...['format', 'notFound', 'network', 'unsupported'].flatMap((code) => [
      [{ code, message: 'heads: it is cut short' }, 'it is cut short'],
      [{ code, message: 'It is cut short' }, 'It is cut short'],
    ]),
    [{ code: 'formats' }, 'Heads must be 1, not 2.'],
    [{ code: 'unformat' }, 'Heads must be 1, not 2.'],
    ...['Type', 'Reference', 'Syntax', 'Eval', 'URI'].map((name) => [
      { name: `${name}Error`, message: 'x is y' },
      fault,
    ]),
    [{ name: 'MyTypeError', message: 'x is y' }, 'x is y'],
    [{ name: 'TypeErrors', message: 'x is y' }, 'x is y'],
    [{ name: 'RangeError', message: 'Maximum call stack size exceeded' }, fault],
    [{ name: 'RangeError', message: 'Invalid array length' }, fault],
    [{ name: 'Error', message: 'Failed to fetch' }, 'Failed to fetch'],
    [{ name: 'TypeError', message: 'Failed to fetch' }, offline],
  ]))
    // prettier-ignore
    assert.equal(inWords({ ...own, ...error }, label), said, JSON.stringify(error));
});
