// Tokenizers of Llama, Qwen, SmolLM and Mistral beside the library in Rust: ids, types, decoded texts, in parts too.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import fc from 'fast-check';
import { loadTokenizer } from 'glassformer/tokenizers';
import { compare } from '../tokenizers/compare.js';
import { textsOf } from '../tokenizers/grid.js';
import { TODAY } from '../tokenizers/today.js';

const { Tokenizer } = createRequire(new URL('../tokenizers/', import.meta.url))('tokenizers');

const OWN = [
  'Die größte Straße, für Fußgänger: schön!',
  "  don't  DON'T we'LL  ",
  'x\u0301\u0323 e\u0301 \u00e9 \u212b',
  '👩‍👩‍👧‍👦🇬🇧 🙂🙂\u200d 👍🏽',
  ' '.repeat(70),
  `a${' '.repeat(33)}b\n\n\n  c\t\td \r\n`,
  'if (x) {\n\treturn [1, 22, 333, 4444, 55555];\n}\n',
  '12345678901234567890',
  '1 000 000,00 € und 3.14159',
  '中文漢字かな한국어 العربية नमस्ते',
  '\u0000\u0001\ufeff\ufffd\u00a0\u3000',
  '<0x41><0xE4>▁▁Ġ',
  '<s>[INST] Hi [/INST]</s><|im_start|>user\nHi<|im_end|>\n<|eot_id|> <|endoftext|><think>no</think>',
  '<s> <|eot_id |> < s> [INST',
  'Wordunseenstraight Word unseen straight',
];
/** The parts of texts, special tokens among them. */
const parts = fc.oneof(
  fc.constantFrom(...OWN, ...textsOf().filter((text) => text.length < 9), '<s>', '</s>', '<|im_end|>', '[INST]'),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 6 }),
);
/** The tokens that begin and end a text, by the first word of a kind's name. @type {Record<string, string[]>} */
const ENDS = {
  Llama: ['<s>', '</s>'],
  'Llama 3': ['<|begin_of_text|>', '<|end_of_text|>'],
  Qwen: ['', '<|endoftext|>'],
  SmolLM: ['', '<|endoftext|>'],
};
const anyText = fc.array(parts, { maxLength: 6 }).map((some) => some.join(''));

for (const [name, json] of TODAY) {
  const theirs = Tokenizer.fromString(JSON.stringify(json));

  test(`${name}: ids, types and decoded texts are those of the library in Rust`, async () => {
    assert.deepEqual(await compare(json, [...OWN, ...textsOf()]), { is: 'right', why: '' });
    const property = fc.asyncProperty(fc.array(anyText, { minLength: 1, maxLength: 8 }), async (texts) => {
      assert.deepEqual(await compare(json, texts), { is: 'right', why: '' });
    });
    await fc.assert(property, { numRuns: 15, seed: 42 });
  });

  test(`${name}: any ids, decoded in any parts, are the whole text`, async () => {
    const ours = await loadTokenizer(json);
    const ids = fc.array(fc.nat(ours.size - 1), { maxLength: 24 });
    const cuts = fc.array(fc.nat(24), { maxLength: 5 });
    const property = fc.asyncProperty(ids, cuts, fc.boolean(), async (all, at, special) => {
      const whole = ours.decode(all, { special });
      assert.equal(whole, await theirs.decode(all, !special));
      const { push, end } = ours.decoder({ special });
      const places = [0, ...at.map((each) => Math.min(each, all.length)).sort((a, b) => a - b), all.length];
      const streamed = places.slice(1).map((to, i) => push(all.slice(places[i], to)));
      assert.equal(streamed.join('') + end(), whole);
      // A stream takes no text back and splits no character.
      for (const each of streamed) assert.equal(each.isWellFormed?.() ?? true, true);
    });
    await fc.assert(property, { numRuns: 200, seed: 42 });
  });

  // Those of Llama 1 are found in what the normalizer makes, and decoded so: the library in Rust keeps them.
  if (name === 'Llama 1') continue;

  test(`${name}: a text comes back, its letters whole, without one space in front`, async () => {
    const ours = await loadTokenizer(json);
    const isSpaced = json.decoder.type === 'Sequence';
    for (const text of ['größer 🙂', ' größer', '  größer 👩‍👩‍👧', '日本語 text']) {
      const { ids } = ours.encode(text);
      const { push, end } = ours.decoder();
      const streamed = ids.map((id) => push([id]));
      assert.equal(streamed.join('') + end(), ours.decode(ids));
      assert.ok(!streamed.join('').includes('\ufffd'), streamed.join('|'));
      // With “first” the space that a text begins with stands for the one that is prepended.
      const isFirst = json.pre_tokenizer?.type === 'Metaspace' && text.startsWith(' ');
      assert.equal(ours.decode(ids), isSpaced && isFirst ? text.slice(1) : text, name);
    }
  });

  test(`${name}: special tokens are the library's, and shown as such`, async () => {
    const ours = await loadTokenizer(json);
    for (const { content, id, special } of json.added_tokens) {
      assert.deepEqual([ours.id(content), ours.label(id)], [id, content]);
      assert.ok(ours.encode(`a${content}b`, { special: false }).ids.includes(id), content);
      const almost = `${content.slice(0, -1)} ${content.at(-1)}`;
      assert.ok(!ours.encode(almost, { special: false }).ids.includes(id), almost);
      assert.equal(ours.decode([id]), special ? '' : content);
    }
    const { start, end } = ours.special;
    const names = [start, end].map((id) => (id === null ? '' : ours.token(id)));
    assert.deepEqual(names, ENDS[name] ?? ENDS[name.split(' ')[0]] ?? ENDS.Llama);
    assert.equal(ours.label(ours.encode(' dog', { special: false }).ids[0])[0], '␣');
  });
}

test('a chat template is no program: it is passed over', async () => {
  const [json] = TODAY.values();
  const chat_template = "{% for message in messages %}{{ raise_exception('run') }}{% endfor %}";
  const { ids } = (await loadTokenizer({ ...json, chat_template })).encode('Hi');
  assert.deepEqual(ids, (await loadTokenizer(json)).encode('Hi').ids);
});
