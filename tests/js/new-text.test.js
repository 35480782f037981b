// The text of what is new: it follows the prompt's text, ends with what stopped it, and is the same in a loop.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { Vocabulary, load } from 'glassformer';
import { loadTokenizer } from 'glassformer/tokenizers';

const SIZES = { kind: 'decoder', d_model: 4, heads: 1, layers: 1, d_ff: 4, head: 'tied', seed: 1 };
const added = (/** @type {string} */ content, /** @type {number} */ id) => ({
  ...{ id, content, single_word: false, lstrip: false, rstrip: false, normalized: false },
  special: true,
});
const byte = (/** @type {number} */ at) => `<0x${at.toString(16).toUpperCase().padStart(2, '0')}>`;
const bytes = Array.from({ length: 256 }, (_, at) => byte(at));
const LIST = ['<unk>', '<s>', '</s>', ...bytes, '▁', ...'abcdefghijklmnopqrstuvwxyzAQ:.!', '<|im_end|>'];
/** Letters, and bytes for all others, as Llama 2, TinyLlama and the first Mistral have them. */
const FALLBACK = {
  ...{ version: '1.0', truncation: null, padding: null, pre_tokenizer: null, post_processor: null },
  added_tokens: ['<unk>', '<s>', '</s>', '<|im_end|>'].map((each) => added(each, LIST.indexOf(each))),
  normalizer: {
    type: 'Sequence',
    normalizers: [
      { type: 'Prepend', prepend: '▁' },
      { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
    ],
  },
  decoder: {
    type: 'Sequence',
    decoders: [
      { type: 'Replace', pattern: { String: '▁' }, content: ' ' },
      { type: 'ByteFallback' },
      { type: 'Fuse' },
      { type: 'Strip', content: ' ', start: 1, stop: 0 },
    ],
  },
  model: {
    ...{ type: 'BPE', unk_token: '<unk>', fuse_unk: true, byte_fallback: true, merges: [] },
    vocab: Object.fromEntries(LIST.slice(0, -1).map((each, id) => [each, id])),
  },
};
const WORDS = new Vocabulary(['[PAD]', '[BOS]', '[EOS]', 'the', 'dog', 'creek', 'was', 'cold', 'and', '.']);

/** @type {Record<string, any>} */
const TOKENIZERS = { words: WORDS, 'byte fallback': await loadTokenizer(FALLBACK) };
const folder = new URL('../checkpoints/', import.meta.url);
for (const { name } of readdirSync(folder, { withFileTypes: true }).filter((each) => each.isDirectory())) {
  const file = new URL(`${name}/tokenizer.json`, folder);
  if (!existsSync(file)) continue; // Marian's is of other files
  TOKENIZERS[name] = await loadTokenizer(JSON.parse(readFileSync(file, 'utf8')));
}

/** @type {Record<string, any>} */
const engines = {};
before(async () =>
  Object.assign(engines, { here: await load({ variant: 'simd' }), worker: await load({ worker: true }) }),
);
after(() => engines.worker.terminate());

/** The output of a model that is made to write a text. */
function forced(tokenizer, text, options) {
  const model = engines.here.createModel({ ...SIZES, vocabulary: tokenizer });
  const prompt = tokenizer.encode('a').ids;
  const said = tokenizer.encode(text).ids.filter((id) => id !== tokenizer.special.start);
  const logits = (row, all) => {
    row.fill(-50);
    row[said[all.length - prompt.length]] = 50;
  };
  const given = { maxTokens: said.length, logits, ...options };
  const result = model.generateSync({ ids: prompt }, given);
  return { model, result, again: () => model.generate({ ids: prompt }, given), said };
}

/** @param {AsyncIterable<{text: string}>} tokens */
async function joined(tokens) {
  let text = '';
  for await (const token of tokens) text += token.text;
  return text;
}

for (const [name, tokenizer] of Object.entries(TOKENIZERS)) {
  test(`${name}: the prompt and what is new make the text, in a loop too`, async () => {
    for (const place of ['here', 'worker']) {
      const model = await engines[place].createModel({ ...SIZES, vocabulary: tokenizer });
      const prompts =
        name === 'words'
          ? fc
              .array(fc.constantFrom(...WORDS.words.slice(3)), { minLength: 1, maxLength: 5 })
              .map((all) => all.join(' '))
          : fc.string({ unit: fc.constantFrom(...'ab the creek.\né龘😀'), minLength: 1, maxLength: 9 });
      const draws = fc.record({ prompt: prompts, seed: fc.nat(1e6), maxTokens: fc.integer({ min: 0, max: 9 }) });
      await fc.assert(
        fc.asyncProperty(draws, async ({ prompt, ...draw }) => {
          const { ids } = tokenizer.encode(prompt);
          fc.pre(ids.length > 0 && ids.length < 40);
          const given = { ...draw, temperature: 50 };
          const { text, newText, ids: all } = await model.generate({ ids }, given);
          const bounds = name === 'words' ? [WORDS.id('[BOS]'), WORDS.id('[EOS]')] : [];
          assert.equal(text, tokenizer.decode(all.filter((id) => !bounds.includes(id))));
          const before = tokenizer.decode(ids);
          // Bytes behind the prompt's may make its last letters no text any more.
          if (text.startsWith(before)) assert.equal(before + newText, text);
          else assert.match(text.slice(-newText.length), /^\ufffd+/);
          assert.equal(await joined(model.generate({ ids }, given)), newText);
        }),
        { numRuns: place === 'here' ? 60 : 15 },
      );
      await model.free();
    }
  });
}

test('a text that bytes write stops at once, and ends what is new', async () => {
  const tokenizer = TOKENIZERS['byte fallback'];
  const cases = [
    ['line\nnext', '\n'],
    ['line\n\n\n\nnext', '\n'],
    ['a\n', '\n'],
    ['Q:a\nA:b\nQ:c', '\nQ:'],
    ['x龘y', '龘'],
    ['hi😀😀 ok', '😀'],
  ];
  for (const [text, stop] of cases) {
    const whole = text.slice(0, text.indexOf(stop) + stop.length);
    const { result, again, said, model } = forced(tokenizer, text, { stop });
    assert.deepEqual([result.newText, result.text, result.endedBy], [` ${whole}`, `a ${whole}`, 'stop']);
    assert.deepEqual([...result.newIds], said.slice(0, result.newIds.length));
    assert.equal(tokenizer.decode(result.newIds), whole, 'no token comes behind it');
    assert.equal(await joined(again()), result.newText);
    model.free();
  }
});

test('a model that was trained to end its lines stops at the line end, in a worker too', async () => {
  const tokenizer = TOKENIZERS['byte fallback'];
  const block = { positions: 'learned', embeddingScale: false, norm: 'pre', finalNorm: true, activation: 'gelu-tanh' };
  const sizes = { d_model: 16, heads: 2, layers: 2, head: 'tied', headBias: false, maxLength: 24, seed: 4, ...block };
  const model = engines.here.createModel({ kind: 'decoder', vocabulary: tokenizer, ...sizes });
  const row = tokenizer.encode('the cat\nthe cat\nthe cat').ids;
  const trainer = model.trainer({ learningRate: 0.01 });
  for (let step = 0; step < 200; step++) trainer.step({ ids: row.slice(0, -1), labels: row.slice(1) });
  const { model: there } = await engines.worker.loadModel(await model.save());
  for (const one of [model, there]) {
    for (const maxTokens of [5, 12]) {
      const { newText, endedBy } = await one.generate('the', { maxTokens, stop: '\n' });
      assert.deepEqual([newText, endedBy], [' cat\n', 'stop']);
    }
  }
  model.free();
  await there.free();
});

test('a text of stop is compared with special tokens too, which the text leaves out', async () => {
  const tokenizer = TOKENIZERS['byte fallback'];
  for (const [text, stop, said] of [
    ['ab<|im_end|>cd', '<|im_end|>', ' ab'],
    ['ab<|im_end|>cd', 'b<|im_end|>', ' ab'],
    ['ab</s>cd', 'b</s> c', ' ab c'],
  ]) {
    const { result, again, model } = forced(tokenizer, text, { stop: ['zz', stop] });
    assert.deepEqual([result.newText, result.endedBy], [said, 'stop'], stop);
    assert.equal(await joined(again()), result.newText);
    model.free();
  }
  // A part of a special token's name is no text that the model said.
  assert.equal(forced(tokenizer, 'ab<|im_end|>cd', { stop: ['im_', '<|', '>'] }).result.endedBy, 'maxTokens');
});

test('a stop text inside a token cuts the text behind it; the ids are whole', async () => {
  const vocabulary = new Vocabulary(['[BOS]', 'a', 'stopping', 'b']);
  const { result, again, model } = forced(vocabulary, 'b stopping a', { stop: 'stop' });
  assert.deepEqual([result.text, result.newText], ['a b stop', ' b stop']);
  assert.deepEqual([[...result.newIds], result.endedBy], [[3, 2], 'stop']);
  assert.equal(await joined(again()), result.newText);
  model.free();
});

describe('a stop text of a model without tokenizer', () => {
  for (const place of ['here', 'worker']) {
    test(`is refused with what to do: ${place}`, async () => {
      const model = await engines[place].createModel({ ...SIZES, vocabulary: 9 });
      for (const stop of ['end', ['end'], [[1], 'end']]) {
        await assert.rejects(async () => model.generate([1], { stop }), {
          code: 'type',
          parameter: stop.length === 2 ? 'stop[1]' : 'stop[0]',
          message:
            /needs the model's tokenizer, and this model knows none: give ids, or vocabulary: new Vocabulary\(words\)/,
        });
      }
      await model.free();
    });
  }
});

test('the space between a prompt and what continues it is there', async () => {
  const { model } = await engines.here.loadModel(import.meta.resolve('glassformer/models/continue'));
  const { text, newText } = await model.generate('One day a hungry fox', { maxTokens: 5 });
  assert.equal(`One day a hungry fox${newText}`.toLowerCase(), text.toLowerCase());
  assert.match(newText, /^ \S/);
  model.free();
});
