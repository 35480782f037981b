// The data that src/tools/settings.mjs makes from the C headers equal those that the module reflects, and
// a malformed row is refused with its name.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import * as generated from '../../dist/generated/settings.js';
import { readSettings, readTrainerSettings } from '../../src/js/engine/config.js';
import { Memory, STRUCT_BYTES } from '../../src/js/arrays/memory.js';
import { moduleOf, parseTable, readHeaders } from '../../src/tools/settings.mjs';
import { engines } from './engines.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The columns that the module has. */
const reflected = (/** @type {any} */ { name, type, choices, fallback, low, high }) => ({
  name,
  type,
  choices,
  fallback,
  low,
  high,
});

for (const { variant } of engines) {
  test(`the data are those of ${variant}.wasm`, async () => {
    const bytes = readFileSync(`${root}dist/${variant}.wasm`);
    const env = { emscripten_notify_memory_growth() {} };
    const { instance } = await WebAssembly.instantiate(bytes, { env });
    const functions = /** @type {any} */ (instance.exports);
    functions._initialize();
    const memory = new Memory(functions.memory, functions);
    const core = /** @type {any} */ ({ functions, memory, struct: memory.allocate(STRUCT_BYTES) });
    assert.deepEqual(generated.MODEL.map(reflected), readSettings(core, 0).map(reflected));
    assert.deepEqual(generated.TRAINER.map(reflected), readTrainerSettings(core).map(reflected));
    // causal and finalNorm are documented as depending on the kind; no other default does
    const kinds = generated.MODEL[0].choices;
    const differing = kinds.flatMap((_, kind) =>
      readSettings(core, kind).filter(({ fallback }, i) => fallback !== generated.MODEL[i].fallback),
    );
    assert.deepEqual(new Set(differing.map(({ name }) => name)), new Set(['kind', 'causal', 'finalNorm']));
  });
}

test('the built module is made of the present headers', () => {
  assert.equal(readFileSync(`${root}dist/generated/settings.js`, 'utf8'), moduleOf(readHeaders(root)));
});

describe('a table', () => {
  const constants = new Map([
    ['ONE', 1],
    ['KINDS', 3],
  ]);
  const GOOD = 'X(size, "size", i, ONE, 0, 9, "", "Size", "", "how " "large")';
  const KIND = 'X(kind, "kind", c, 0, 0, KINDS - 1, "a|b|c-d", "Kind", "A|B|C (d)", "which")';
  const parse = (/** @type {string} */ rows) =>
    parseTable(
      `#define FIELDS(X) \\\n${rows.replaceAll('\n', ' \\\n')}\n\n#define OTHER 1\n`,
      'FIELDS',
      constants,
      'a.h',
    );

  test('is read row by row', () => {
    assert.deepEqual(parse(`${GOOD}\n${KIND}`), [
      {
        name: 'size',
        type: 'i',
        choices: [],
        labels: [],
        label: 'Size',
        low: 0,
        high: 9,
        fallback: 1,
        doc: 'how large',
      },
      {
        name: 'kind',
        type: 'c',
        choices: ['a', 'b', 'c-d'],
        labels: ['A', 'B', 'C (d)'],
        label: 'Kind',
        low: 0,
        high: 2,
        fallback: 0,
        doc: 'which',
      },
    ]);
    const number = (/** @type {string} */ text) => parse(GOOD.replace('0, 9', `${text}, 1e30`))[0].low;
    assert.deepEqual(['-2.5', '1e-5', '-100', 'KINDS - 2 - ONE', '.5'].map(number), [-2.5, 1e-5, -100, 0, 0.5]);
  });

  const refusals = /** @type {[RegExp, string][]} */ ([
    [/^a\.h: FIELDS: row "size": 9 columns, needed are field, name,/, GOOD.replace(', "Size"', '')],
    [/row "size": 11 columns/, GOOD.replace('"Size"', '"Size", "Size"')],
    [/row "size": label must be a string, got Size/, GOOD.replace('"Size"', 'Size')],
    [/row "size": label must be a string, got nothing/, GOOD.replace('"Size"', '')],
    [/row "size": fallback: TWO is not defined/, GOOD.replace('ONE', 'TWO')],
    [/row "size": high must be a number, got "9"/, GOOD.replace('9', '"9"')],
    [/row "size": high must be a number, got nothing/, GOOD.replace('9', '')],
    [/row "size": default 1 is outside 2\.\.9/, GOOD.replace('0, 9', '2, 9')],
    [/row "size": type must be i, b, c or f, got z/, GOOD.replace(' i,', ' z,')],
    [/row "size": the range of a boolean is 0\.\.1/, GOOD.replace(' i,', ' b,')],
    [/row "size": label and documentation must not be empty/, GOOD.replace('"how " "large"', '""')],
    [/row "size": documentation must not hold/, GOOD.replace('large', '*/')],
    [/row "si ze": name must be an identifier/, GOOD.replace('"size"', '"si ze"')],
    [/row "size": only type c has choices/, GOOD.replace('9, ""', '9, "a|b"')],
    [/row "size": no choices/, GOOD.replace(' i,', ' c,')],
    [/row "kind": 3 choices, 2 labels/, KIND.replace('A|B|C (d)', 'A|B')],
    [/row "kind": 3 choices, 3 labels/, KIND.replace('A|B|C (d)', 'A||C')],
    [/row "kind": 2 choices, but the range is 0\.\.2/, KIND.replace('a|b|c-d', 'a|b').replace('|C (d)', '')],
    [/row "kind": a choice stands there twice/, KIND.replace('c-d', 'a')],
    [/row "kind": a choice must be letters/, KIND.replace('c-d', "c'd")],
    [/row "size" stands there twice/, `${GOOD}\n${GOOD}`],
    [/X\( expected at Y \(/, `${GOOD} Y(a)`],
    [/no \) ends the row X \( size ,/, GOOD.slice(0, -1)],
    [/no rows/, ''],
  ]);
  for (const [message, rows] of refusals) {
    test(`is refused: ${message.source}`, () => assert.throws(() => parse(rows), { message }));
  }

  test('that is absent, and two types of one name, are refused', () => {
    assert.throws(() => parseTable('', 'FIELDS', constants, 'a.h'), { message: 'a.h: FIELDS: no such table' });
    const [kind] = parse(KIND);
    assert.throws(() => moduleOf({ model: [kind], trainer: [kind] }), /two settings with choices are called kind/);
  });
});

test('a setting that does not fit the others says which and why', () => {
  const [gf] = engines;
  const rotary = { vocabulary: 5, d_model: 8, heads: 2, positions: 'rotary' };
  const beside = { vocabulary: 5, norm: 'pre', parallel: true };
  for (const [config, message] of [
    [{ heads: 3, d_model: 8 }, 'heads: must divide d_model = 8, got 3'],
    [{ kind: 'feed-forward', d_ff: 0 }, 'd_ff: kind feed-forward needs at least 1, got 0'],
    [{ kind: 'attention', vocabulary: 5 }, 'vocabulary: kind attention takes vectors: leave it out, got 5'],
    [
      { kind: 'decoder', vocabulary: 5, targetVocabulary: 4 },
      'targetVocabulary: needs an encoder-decoder with a vocabulary, got 4',
    ],
    [{ kind: 'decoder', vocabulary: 5, types: 2 }, 'types: needs an encoder with a vocabulary, got 2'],
    [{ vocabulary: 0, embeddingNorm: true }, 'embeddingNorm: needs a vocabulary, got true'],
    [{ vocabulary: 0, head: 'tied' }, 'head: needs an encoder or decoder with a vocabulary, got "tied"'],
    [{ vocabulary: 5, headTransform: true }, 'headTransform: needs a head, or outputWidth, got true'],
    [{ kind: 'feed-forward', d_ff: 4, window: 2 }, 'window: kind feed-forward has no attention, got 2'],
    [{ vocabulary: 5, head: 'tied', outputVocabulary: 3 }, "outputVocabulary: needs head: 'linear', got 3"],
    [{ vocabulary: 5, tiedEmbeddings: true }, 'tiedEmbeddings: needs an encoder-decoder with one vocabulary, got true'],
    [{ kind: 'attention', heads: 0 }, "heads: kind 'attention' needs heads, got 0"],
    [{ vocabulary: 5, heads: 0, d_ff: 0 }, 'd_ff: a layer without heads needs neurons, got 0'],
    [{ vocabulary: 5, heads: 0, window: 2 }, 'window: a layer without heads has no attention, got 2'],
    [{ vocabulary: 5, inputWidth: 3 }, 'inputWidth: needs vocabulary: 0, got 3'],
    [{ kind: 'attention', inputWidth: 3 }, 'inputWidth: kind attention takes d_model numbers, got 3'],
    [{ vocabulary: 5, head: 'linear', outputWidth: 3 }, "outputWidth: needs head: 'none', got 3"],
    [{ kind: 'attention', outputWidth: 3 }, 'outputWidth: kind attention gives d_model numbers, got 3'],
    [{ vocabulary: 5, d_model: 8, heads: 4, keyValueHeads: 3 }, 'keyValueHeads: must divide heads = 4, got 3'],
    [{ vocabulary: 5, heads: 0, keyValueHeads: 2 }, 'keyValueHeads: a layer without heads has no attention, got 2'],
    [{ vocabulary: 5, heads: 0, headWidth: 4 }, 'headWidth: a layer without heads has no attention, got 4'],
    [{ vocabulary: 5, heads: 0, qkNorm: true }, 'qkNorm: a layer without heads has no attention, got true'],
    [{ vocabulary: 5, relativeBuckets: 3 }, 'relativeBuckets: must be 0, or at least 4, got 3'],
    [
      { kind: 'feed-forward', d_ff: 4, relativeBuckets: 8 },
      'relativeBuckets: kind feed-forward has no attention, got 8',
    ],
    [{ vocabulary: 5, relativeBuckets: 16, relativeDistance: 4 }, 'relativeDistance: must be above 4, got 4'],
    [{ vocabulary: 5, headScale: true }, 'headScale: needs a head, or outputWidth, got true'],
    [{ ...rotary, headWidth: 3 }, 'positions: rotary needs heads of an even width, got "rotary"'],
    [{ ...rotary, ropeWidth: 3 }, 'ropeWidth: must be even, and at most 4, got 3'],
    [{ ...rotary, ropeWidth: 6 }, 'ropeWidth: must be even, and at most 4, got 6'],
    [{ vocabulary: 5, ropeWidth: 2 }, "ropeWidth: needs positions: 'rotary', got 2"],
    [{ vocabulary: 5, parallel: true }, "parallel: needs norm: 'pre' and residual: true, got true"],
    [{ ...beside, residual: false }, "parallel: needs norm: 'pre' and residual: true, got true"],
    [{ ...beside, d_ff: 0 }, 'parallel: needs heads and neurons, got true'],
    [{ ...beside, heads: 0 }, 'parallel: needs heads and neurons, got true'],
    [
      { ...beside, kind: 'encoder-decoder' },
      'parallel: kind encoder-decoder has no attention and FFN in one stack, got true',
    ],
    [{ ...rotary, heads: 0 }, 'positions: a layer without heads has no attention, got "rotary"'],
    [
      { ...rotary, ropeScaling: 'llama3', ropeLowFrequency: 4, ropeHighFrequency: 4 },
      'ropeHighFrequency: must be above ropeLowFrequency = 4, got 4',
    ],
    [
      { vocabulary: 5, d_model: 8, heads: 2, weights: 'int8' },
      'weights: 8 and 16 bits need d_model, and the widths of all queries and of all keys, to be ' +
        'multiples of 16, got "int8"',
    ],
  ]) {
    assert.throws(() => gf.createModel(config), { code: 'config', message });
  }
  const model = gf.createModel({ kind: 'decoder', vocabulary: 5, head: 'tied' });
  for (const [settings, message] of [
    [{ schedule: 'cosine', warmup: 9, steps: 5 }, 'steps: schedule cosine needs more than warmup = 9, got 5'],
    [{ schedule: 'noam' }, 'warmup: schedule noam needs at least 1, got 0'],
  ]) {
    assert.throws(() => model.trainer(settings), { code: 'config', message });
  }
  model.free();
});
