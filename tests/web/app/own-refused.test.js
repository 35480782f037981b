// Files that are no model, opened as the reader's own: each is refused in words, and nothing is added.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { writeSafetensors } from 'glassformer';
import { gf } from '../explore/table.js';
import { JSONS, bert, sharded } from './bert.js';
import { endsThreads, openFiles } from './opening.js';

endsThreads();

const NAMES = ['config.json', 'model.safetensors', 'tokenizer.json'];
/** @param {string} path @param {string | Uint8Array} bytes */
const asFile = (path, bytes) =>
  Object.assign(new File([/** @type {any} */ (bytes)], path.split('/').at(-1) ?? ''), {
    webkitRelativePath: path.includes('/') ? path : '',
  });

/** @param {File[]} files @param {RegExp} why */
async function isRefused(files, why) {
  const {
    data: { refused },
    added,
  } = await openFiles(files);
  assert.match(refused, why);
  assert.match(refused, /^“[^”]+” was not opened: .*\. The model shown is as it was\.$/s);
  assert.deepEqual(added, []);
}

test('files of a checkpoint that lie, are damaged or too large', async () => {
  const config = JSON.parse(bert('config.json').toString());
  const json = (/** @type {object} */ value) => Buffer.from(JSON.stringify(value));
  /** The files with one in place of its own. @param {string} file @param {Buffer} other */
  const withOther = (file, other) => NAMES.map((each) => asFile(each, each === file ? other : bert(each)));
  const good = bert('model.safetensors');
  const start = 8 + Number(good.readBigUInt64LE(0));
  const header = JSON.parse(good.subarray(8, start).toString());
  const name = 'bert.encoder.layer.1.output.dense.weight';
  /** The weights with another header. @param {string} text */
  const said = (text) => {
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(Buffer.byteLength(text)));
    return Buffer.concat([length, Buffer.from(text), good.subarray(start)]);
  };
  const other = (/** @type {object} */ entry) =>
    said(JSON.stringify({ ...header, [name]: { ...header[name], ...entry } }));
  const noNumber = Buffer.from(good);
  noNumber.writeFloatLE(NaN, start + header[name].data_offsets[0] + 8);
  const lying = Buffer.from(good);
  lying.writeBigUInt64LE(10_000_000_000n);
  const deep = Buffer.alloc(1e6, '[');
  const tokens = JSON.parse(bert('tokenizer.json').toString());
  const [from, to] = header[name].data_offsets;
  /** @type {[File[], RegExp][]} */
  const cases = [
    [withOther('config.json', deep), /config\.json is no JSON/],
    [withOther('config.json', Buffer.alloc(5e6, ' ')), /config\.json has 5,000,000 bytes/],
    [withOther('config.json', json({ ...config, num_hidden_layers: 1e9 })), /num_hidden_layers.*1000000000/],
    [withOther('config.json', json({ ...config, vocab_size: 2 ** 31 })), /vocab_size.*2147483648/],
    [withOther('config.json', json({ ...config, num_attention_heads: '4' })), /num_attention_heads.*"4"/],
    [withOther('tokenizer.json', deep), /tokenizer.*nested too deep/],
    [withOther('tokenizer.json', bert('tokenizer.json').subarray(0, 400)), /tokenizer.*is no JSON/],
    [withOther('tokenizer.json', json({ ...tokens, post_processor: { type: 'TemplateProcessing' } })), /tokenizer/],
    [withOther('model.safetensors', lying), /no safetensors file/],
    [withOther('model.safetensors', said('['.repeat(1e6))), /header cannot be read/],
    [withOther('model.safetensors', other({ data_offsets: [from + 4, to + 4] })), /data must begin/],
    [withOther('model.safetensors', other({ shape: [2 ** 31, 2 ** 31] })), /shape has a product/],
    [withOther('model.safetensors', other({ shape: [...header[name].shape].reverse() })), /output\.dense\.weight/],
    [withOther('model.safetensors', noNumber), /output\.dense\.weight\[0\]\[2\] must be finite, got NaN/],
    [withOther('config.json', json({ ...config, model_type: 'llama' })), /llama/],
    [withOther('config.json', json({ ...config, hidden_size: 48 })), /48/],
    [withOther('config.json', Buffer.from('{')), /config\.json is no JSON/],
    [withOther('tokenizer.json', Buffer.from('{}')), /tokenizer/],
    [withOther('model.safetensors', bert('model.safetensors').subarray(0, 60000)), /file/],
  ];
  for (const [files, why] of cases) await isRefused(files, why);
});

test('files that are no model of this project', async () => {
  const file = Buffer.from(await gf.createModel({ kind: 'encoder', vocabulary: 11, d_model: 16, head: 'tied' }).save());
  const huge = Buffer.concat([Buffer.from(BigUint64Array.of(10n ** 10n).buffer), Buffer.from('{"a":1}')]);
  const holes = Buffer.from(file);
  holes.write('x', 8); // in place of the header's brace
  const config = JSON.stringify({ kind: 'encoder', vocabulary: 7 });
  for (const [name, bytes, why] of [
    ['cut.safetensors', file.subarray(0, file.length - 100), /file|header|bytes/],
    ['huge.safetensors', huge, /no safetensors file/],
    ['text.safetensors', Buffer.from('hello'), /no safetensors file/],
    ['header.safetensors', holes, /header cannot be read/],
    ['notes.txt', Buffer.from('hello'), /no file of weights \(\.safetensors\) among notes\.txt/],
    ['pytorch_model.bin', Buffer.from('PK'), /needs the config\.json of its folder/],
    ['bare.safetensors', Buffer.from(writeSafetensors({ a: { data: [1], shape: [1] } })), /configuration/],
    [
      'other.safetensors',
      Buffer.from(
        writeSafetensors(
          { a: { data: [1], shape: [1] } },
          { metadata: { 'glassformer.version': '1', 'glassformer.config': config } },
        ),
      ),
      /missing|lacks|a\b/,
    ],
  ])
    await isRefused([asFile(/** @type {string} */ (name), /** @type {Buffer} */ (bytes))], /** @type {RegExp} */ (why));
});

test('folders that are no model, or two', async () => {
  const weights = bert('model.safetensors');
  const halved = Object.fromEntries(Object.entries(sharded()).filter(([name]) => !name.startsWith('model-00002')));
  /** @type {[Record<string, string | Uint8Array>, RegExp][]} */
  const cases = [
    [{ ...JSONS, 'pytorch_model.bin': 'PK, and nothing of a zip' }, /the zip has no directory at its end/],
    [
      { 'a/model.safetensors': weights, 'b/model.safetensors': weights, 'a/config.json': JSONS['config.json'] },
      /2 files of weights \(no model 1\/a\/model\.safetensors, no model 1\/b\/model\.safetensors\): choose one/,
    ],
    [halved, /model-00002-of-00002\.safetensors.*not among/s],
    [{ 'a/model.safetensors': weights, 'b/config.json': JSONS['config.json'] }, /configuration/],
    [{ 'README.md': '# A model' }, /no file of weights/],
  ];
  for (const [i, [files, why]] of cases.entries())
    await isRefused(
      Object.entries(files).map(([path, bytes]) => asFile(`no model ${i}/${path}`, bytes)),
      why,
    );
});

test('an XLM-R opens, with its tokenizer', async () => {
  const folderOf = (/** @type {string} */ name) => {
    const folder = new URL(`../../checkpoints/${name}/`, import.meta.url);
    const names = readdirSync(folder).filter((file) => !/^(case|expected)/.test(file));
    return names.map((file) => asFile(`${name}/${file}`, readFileSync(new URL(file, folder))));
  };
  assert.equal((await openFiles(folderOf('xlm-roberta-2l'))).added.length, 1);
});
