// tokenizer.chat: messages as the folder's template writes them, wherever the folder is, here and in a worker.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { load } from 'glassformer';
import { loadTokenizer } from 'glassformer/tokenizers';
import { startHub } from '../hub.js';

const gf = await load({ variant: 'simd' });
const there = await load({ variant: 'simd', worker: true });
const source = new URL('../checkpoints/gpt2-2l/', import.meta.url);
const NAMES = ['config.json', 'model.safetensors', 'tokenizer.json'];
const files = Object.fromEntries(NAMES.map((name) => [name, readFileSync(new URL(name, source))]));
const said = { bos_token: { content: '<|endoftext|>' }, eos_token: '<|endoftext|>', chat_template: 'of the config' };
const config = Buffer.from(JSON.stringify(said));
const hub = await startHub({
  'test/chat': { ...files, 'tokenizer_config.json': config },
  'test/jinja': { ...files, 'tokenizer_config.json': config, 'chat_template.jinja': Buffer.from('of its own file') },
});
after(() => {
  hub.close();
  there.terminate();
});

/** Templates that were rendered, with their values. @type {any[]} */
const seen = [];
/** Reads no Jinja, and writes each message behind the start token. */
class Template {
  /** @param {string} template */
  constructor(template) {
    this.template = template;
  }

  /** @param {any} values */
  render(values) {
    seen.push({ template: this.template, values });
    const answers = values.add_generation_prompt ? 'the dog' : '';
    return values.messages.map(({ content }) => `${values.bos_token ?? ''}${content}`).join('') + answers;
  }
}
const messages = [{ role: 'user', content: 'The creek was cold' }];

/** @param {Record<string, Buffer>} all */
async function inFolder(all) {
  const folder = await mkdtemp(join(tmpdir(), 'chat-'));
  after(() => rm(folder, { recursive: true, force: true }));
  for (const [name, bytes] of Object.entries(all)) await writeFile(join(folder, name), bytes);
  return `${folder}/`;
}

const all = { ...files, 'tokenizer_config.json': config };
const own = { ...all, 'chat_template.jinja': Buffer.from('of its own file') };
const picked = (/** @type {Record<string, any>} */ given) =>
  Object.entries(given).map(([name, bytes]) => new File([bytes], name));
/** @type {[string, any, any, string][]} */
const SOURCES = [
  ['a folder', await inFolder(all), {}, 'of the config'],
  ['a folder with a template of its own', await inFolder(own), {}, 'of its own file'],
  ['files', picked(all), {}, 'of the config'],
  ['files with a template of their own', picked(own), {}, 'of its own file'],
  [
    'files by name',
    {
      config: files['config.json'],
      weights: files['model.safetensors'],
      tokenizer: files['tokenizer.json'],
      tokenizerConfig: said,
    },
    {},
    'of the config',
  ],
  ['the hub', 'hub:test/chat', { endpoint: hub.endpoint, cache: false }, 'of the config'],
  ['the hub, a file of its own', 'hub:test/jinja', { endpoint: hub.endpoint, cache: false }, 'of its own file'],
];
for (const [where, given, options, template] of SOURCES) {
  test(`the template of ${where} writes the messages, here and in a worker`, async () => {
    for (const engine of [gf, there]) {
      const { model, tokenizer } = await /** @type {any} */ (engine).loadModel(given, options);
      const ids = await tokenizer.chat(messages, { jinja: Template });
      assert.deepEqual([...ids], tokenizer.encode('<|endoftext|>The creek was coldthe dog', { special: false }).ids);
      const last = seen.at(-1);
      assert.equal(last.template, template);
      assert.deepEqual(last.values, {
        bos_token: '<|endoftext|>',
        eos_token: '<|endoftext|>',
        messages,
        tools: undefined,
        add_generation_prompt: true,
      });
      assert.ok((await model.generate(ids, { maxTokens: 2 })).newText.length > 0);
      await model.free();
    }
  });
}

test('its files are asked for with the first chat alone, also after the signal of the opening', async () => {
  hub.asked.length = 0;
  const stop = new AbortController();
  const given = { endpoint: hub.endpoint, cache: false, signal: stop.signal };
  const { tokenizer } = await gf.loadModel('hub:test/jinja', given);
  assert.ok(!hub.asked.some((each) => each.includes('chat_template')));
  stop.abort();
  await tokenizer.chat(messages, { jinja: Template });
  assert.ok(hub.asked.some((each) => each.includes('chat_template')));
});

test('tools, named templates, more variables, and no prompt for an answer', async () => {
  const named = [
    { name: 'default', template: 'plain' },
    { name: 'tool_use', template: 'with tools' },
  ];
  const given = {
    config: files['config.json'],
    weights: files['model.safetensors'],
    tokenizer: files['tokenizer.json'],
  };
  const { tokenizer } = await gf.loadModel({ ...given, tokenizerConfig: { chat_template: named } });
  const tools = [{ type: 'function', function: { name: 'now' } }];
  await tokenizer.chat(messages, { jinja: Template });
  assert.equal(seen.at(-1).template, 'plain');
  await tokenizer.chat(messages, { jinja: Template, tools, variables: { enable_thinking: false } });
  assert.equal(seen.at(-1).template, 'with tools');
  assert.deepEqual([seen.at(-1).values.tools, seen.at(-1).values.enable_thinking], [tools, false]);
  const ids = await tokenizer.chat(messages, { jinja: Template, addGenerationPrompt: false, template: 'mine' });
  assert.equal(seen.at(-1).template, 'mine');
  assert.equal(tokenizer.decode(ids), 'The creek was cold');
});

test('a call that cannot be written says why', async () => {
  const tokenizer = await loadTokenizer(JSON.parse(String(files['tokenizer.json'])));
  const broken = class {
    render() {
      throw new Error('Conversation roles must alternate');
    }
  };
  /** @type {[any, any, string, RegExp][]} */
  const cases = [
    ['hello', { jinja: Template }, 'type', /^messages: must be an array of \{ role, content \}, got "hello"/],
    [[], { jinja: Template }, 'shape', /^messages: must not be empty/],
    [[{ content: 'a' }], { jinja: Template }, 'type', /^messages\[0\]\.role: must be a string, as user/],
    [[null], { jinja: Template }, 'type', /^messages\[0\]: must be an object, got null/],
    [messages, undefined, 'missing', /^jinja: needed: npm install @huggingface\/jinja, and give its class Template$/],
    [messages, { jinja: 'x' }, 'type', /^jinja: must be the class Template of @huggingface\/jinja/],
    [messages, { jinja: Template }, 'missing', /^template: the folder of this tokenizer has none: it is no chat model/],
    [messages, { jinja: Template, template: 5 }, 'type', /^template: must be a string, got 5/],
    [messages, { jinja: Template, template: '', tools: {} }, 'type', /^tools: must be an array of objects/],
    [messages, { jinja: Template, template: '', variables: [] }, 'type', /^variables: must be an object/],
    [
      messages,
      { jinja: Template, template: '', addGenerationPrompt: 1 },
      'type',
      /^addGenerationPrompt: must be true or false/,
    ],
    [
      messages,
      { jinja: Template, template: '', add_generation_prompt: true },
      'unknown',
      /^add_generation_prompt: unknown/,
    ],
    [messages, { jinja: broken, template: '' }, 'format', /^template: cannot be read: Conversation roles must alter/],
  ];
  for (const [given, options, code, message] of cases)
    await assert.rejects(tokenizer.chat(given, options), { name: 'GlassformerError', code, message });
});
