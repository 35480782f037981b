// Small chat models of three families, which have learned to answer three questions; as folders of Hugging Face's.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { Template } from '@huggingface/jinja';

const CHATML =
  "{%- for message in messages %}{{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}" +
  "{%- endfor %}{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{%- endif %}";

/**
 * A folder with the family's shape and special tokens. `first` and `prompt`: a chat's texts before and behind a
 * question; `template` in its own words; `ends`: the tokens at which generation_config.json has its texts end.
 */
export const FAMILIES = {
  'llama3-2l': {
    said: { bos_token: '<|begin_of_text|>', eos_token: '<|eot_id|>' },
    ends: ['<|end_of_text|>', '<|eot_id|>'],
    template:
      '{{- bos_token }}{%- for message in messages %}' +
      "{{ '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n' }}" +
      "{{ message['content'] | trim + '<|eot_id|>' }}" +
      '{%- endfor %}' +
      "{%- if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{%- endif %}",
    first: '<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\n',
    prompt: '<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n',
  },
  'qwen3-2l': {
    said: { eos_token: '<|im_end|>' },
    ends: ['<|im_end|>', '<|endoftext|>'],
    template: CHATML.replace(
      "assistant\\n' }}",
      "assistant\\n' }}{%- if enable_thinking is defined and enable_thinking is false %}" +
        "{{ '<think>\\n\\n</think>\\n\\n' }}{%- endif %}",
    ),
    variables: { enable_thinking: false },
    first: '<|im_start|>user\n',
    prompt: '<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n',
  },
  'smollm-2l-bf16': {
    said: { bos_token: '<|im_start|>', eos_token: '<|im_end|>' },
    ends: ['<|im_end|>'],
    template:
      "{%- if messages[0]['role'] != 'system' %}{{ '<|im_start|>system\\nBe kind<|im_end|>\\n' }}{%- endif %}" + CHATML,
    first: '<|im_start|>system\nBe kind<|im_end|>\n<|im_start|>user\n',
    prompt: '<|im_end|>\n<|im_start|>assistant\n',
  },
};

/** Questions, and the only right answers. */
export const TALK = [
  ['Who ran?', 'The dog.'],
  ['Where?', 'To the creek, as it was warm.'],
  ['Why?', 'It was tired.'],
];
const root = new URL('../checkpoints/', import.meta.url);

/**
 * Teaches a family's model to answer.
 * @param {import('glassformer').Engine} gf
 * @param {keyof typeof FAMILIES} name
 * @returns {Promise<{files: Record<string, Uint8Array>, ends: number[]}>} ends: ids
 */
export async function answering(gf, name) {
  const { said, template, variables, ends } = /** @type {any} */ (FAMILIES[name]);
  const source = new URL(`${name}/`, root);
  const { model, tokenizer } = await gf.loadModel(source, { weights: 'f32' });
  const options = { jinja: Template, template, variables };
  const turns = TALK.flatMap(([question, answer]) => [
    { role: 'user', content: question },
    { role: 'assistant', content: answer },
  ]);
  // It learns what it writes after each prompt: the answer and its end.
  const rows = [];
  for (let i = 1; i < turns.length; i += 2) {
    const prompt = [...(await tokenizer.chat(turns.slice(0, i), options))];
    const answer = tokenizer.encode(`${turns[i].content}${said.eos_token}`, { special: false }).ids;
    const ids = [...prompt, ...answer];
    rows.push({ ids: ids.slice(0, -1), labels: ids.slice(1).map((id, at) => (at < prompt.length - 1 ? -100 : id)) });
  }
  const trainer = model.trainer({ learningRate: 0.01, clip: 1 });
  for (let step = 0, loss = 1; loss > 0.02; step++) {
    assert.ok(step < 600, `still ${loss} nats`);
    const losses = rows.map((row) => trainer.step(row).loss);
    loss = Math.max(...losses);
  }
  const end = ends.map((token) => tokenizer.encode(token, { special: false }).ids[0]);
  const json = (/** @type {object} */ each) => new TextEncoder().encode(JSON.stringify(each));
  const files = {
    ...(await model.save({ format: 'huggingface' })),
    'tokenizer.json': await readFile(new URL('tokenizer.json', source)),
    'tokenizer_config.json': json({ ...said, chat_template: template }),
    'generation_config.json': json({ eos_token_id: end }),
  };
  model.free();
  return { files, ends: end };
}
