// Chats with models of three families that have learned to answer: each answer ends by itself, and the next one reads
// all of the chat, in Node and in a worker. The package for Jinja reads the templates.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Template } from '@huggingface/jinja';
import { load } from 'glassformer';
import { FAMILIES, TALK, answering } from './chat-folders.js';

const gf = await load({ variant: 'simd' });
const there = await load({ variant: 'simd', worker: true });
after(() => there.terminate());

/** Of an answer that does not end by itself. */
const LONGEST = 60;

for (const [name, { variables, first }] of Object.entries(FAMILIES)) {
  test(`${name}: three answers of a chat end by themselves`, async () => {
    const { files, ends } = await answering(gf, name);
    const folder = await mkdtemp(join(tmpdir(), 'glassformer-'));
    after(() => rm(folder, { recursive: true }));
    for (const [file, bytes] of Object.entries(files)) await writeFile(join(folder, file), bytes);

    for (const engine of [gf, there]) {
      const opened = await /** @type {any} */ (engine).loadModel(`${folder}/`);
      const prompt = await opened.tokenizer.chat([{ role: 'user', content: 'Who' }], {
        ...{ jinja: Template, variables },
        addGenerationPrompt: false,
      });
      assert.ok(opened.tokenizer.decode(prompt, { special: true }).startsWith(`${first}Who`));
      const messages = [];
      for (const [content, answer] of TALK) {
        messages.push({ role: 'user', content });
        const ids = await opened.tokenizer.chat(messages, { jinja: Template, variables });
        const { newText, newIds } = await opened.model.generate(ids, { maxTokens: LONGEST });
        assert.equal(newText.trim(), answer);
        assert.ok(newIds.length < LONGEST && ends.includes([...newIds].at(-1)));
        messages.push({ role: 'assistant', content: newText });
      }
      await opened.model.free();
    }
  });
}
