// Messages to the text that a chat model was trained to read, by its folder's template. Fetched with the first chat.
import { GlassformerError } from '../errors.js';
import { isNamed } from '../arrays/names.js';
import { readNames } from './texts.js';

/**
 * @typedef {object} Message
 * @property {string} role 'system', 'user', 'assistant' or 'tool'
 * @property {string} [content] its text
 */

/**
 * Options of `chat`.
 * @typedef {object} ChatOptions
 * @property {new (template: string) => {render: (values: Record<string, unknown>) => string}} jinja the class
 *   `Template` of the package `@huggingface/jinja`, or one that reads Jinja as it does
 * @property {readonly object[]} [tools] that the model may call, as its template takes them
 * @property {boolean} [addGenerationPrompt] default true: the model's answer is to follow
 * @property {Record<string, unknown>} [variables] more that the template knows, as `{ enable_thinking: false }`
 * @property {string} [template] instead of that of the folder
 */

/**
 * Files of a folder that say how its chats are written.
 * @typedef {object} ChatFiles
 * @property {string} [template] chat_template.jinja
 * @property {Record<string, any>} [said] tokenizer_config.json
 */

/** Tokens that templates name. */
const TOKENS = ['bos_token', 'eos_token', 'pad_token', 'unk_token', 'sep_token', 'cls_token', 'mask_token'];

/**
 * @template {import('./tokenizer.js').Tokenizer} T
 * @param {T} tokenizer
 * @param {(() => Promise<ChatFiles>) | undefined} find
 * @param {unknown} messages
 * @param {unknown} options
 * @returns {Promise<import('./texts.js').Encoding>}
 */
export async function chat(tokenizer, find, messages, options) {
  const names = ['jinja', 'tools', 'addGenerationPrompt', 'variables', 'template'];
  const { jinja, tools, addGenerationPrompt = true, variables, template } = readNames(options ?? {}, names);
  expectMessages(messages);
  if (jinja === undefined) {
    const why = 'needed: npm install @huggingface/jinja, and give its class Template';
    throw new GlassformerError('missing', 'jinja', undefined, why);
  }
  const wrong = (/** @type {string} */ name, /** @type {unknown} */ value, /** @type {string} */ why) =>
    new GlassformerError('type', name, value, why);
  if (typeof jinja !== 'function' || !jinja.prototype)
    throw wrong('jinja', jinja, 'must be the class Template of @huggingface/jinja');
  if (typeof addGenerationPrompt !== 'boolean')
    throw wrong('addGenerationPrompt', addGenerationPrompt, 'must be true or false');
  if (tools !== undefined) expectObjects(tools, 'tools', 'an array of objects, as JSON Schema describes tools');
  if (variables !== undefined && !isNamed(variables))
    throw wrong('variables', variables, 'must be an object, as { enable_thinking: false }');
  if (template !== undefined && typeof template !== 'string') throw wrong('template', template, 'must be a string');
  const files = (await find?.()) ?? {};
  const said = files.said ?? {};
  const chosen = template ?? files.template ?? templateIn(said.chat_template, tools !== undefined);
  if (chosen === undefined) {
    const why = 'the folder of this tokenizer has none: it is no chat model, or give { template }';
    throw new GlassformerError('missing', 'template', undefined, why);
  }
  const tokens = TOKENS.map((name) => [name, said[name]?.content ?? said[name]]).filter(([, token]) => token);
  const values = { ...Object.fromEntries(tokens), messages, tools, add_generation_prompt: addGenerationPrompt };
  return tokenizer.encode(rendered(jinja, chosen, { ...values, ...variables }), { special: false });
}

/** @param {unknown} messages */
function expectMessages(messages) {
  expectObjects(messages, 'messages', 'an array of { role, content }');
  if (!messages.length) throw new GlassformerError('shape', 'messages', undefined, 'must not be empty');
  messages.forEach(({ role }, i) => {
    if (typeof role === 'string') return;
    throw new GlassformerError('type', `messages[${i}].role`, role ?? null, 'must be a string, as user');
  });
}

/**
 * By place, as holes are no objects.
 * @param {unknown} list @param {string} name @param {string} expected
 * @returns {asserts list is Record<string, unknown>[]}
 */
function expectObjects(list, name, expected) {
  if (!Array.isArray(list)) throw new GlassformerError('type', name, list, `must be ${expected}`);
  for (let i = 0; i < list.length; i++) {
    if (!isNamed(list[i])) throw new GlassformerError('type', `${name}[${i}]`, list[i] ?? null, 'must be an object');
  }
}

/**
 * The template of tokenizer_config.json: one, or some with names.
 * @param {unknown} given @param {boolean} hasTools
 * @returns {string | undefined}
 */
function templateIn(given, hasTools) {
  if (typeof given === 'string') return given;
  const named = Object.fromEntries((Array.isArray(given) ? given : []).map((each) => [each?.name, each?.template]));
  const chosen = (hasTools && named.tool_use) || named.default;
  return typeof chosen === 'string' ? chosen : undefined;
}

/** @param {ChatOptions['jinja']} Template @param {string} template @param {Record<string, unknown>} values */
function rendered(Template, template, values) {
  try {
    return `${new Template(template).render(values)}`;
  } catch (error) {
    const why = `cannot be read: ${/** @type {any} */ (error)?.message ?? error}`;
    throw new GlassformerError('format', 'template', undefined, why, error);
  }
}
