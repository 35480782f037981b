// Reads the prompt of `generate`: ids or rows of ids, without padding.
import { isArray, isList } from '../arrays/arrays.js';
import { isNamed } from '../arrays/names.js';
import { GlassformerError } from '../errors.js';
import { namedInput } from './named.js';

/** @param {import('./config.js').Config} config @returns {'ids' | 'targetIds'} the input that goes on */
export const promptOf = ({ kind }) => (kind === 'decoder' ? 'ids' : 'targetIds');

/**
 * The tokenizer of a model's new tokens, where it is known.
 * @param {{config: import('./config.js').Config, texts?: import('./named.js').Texts}} model
 */
export const writerOf = ({ config, texts = {} }) =>
  config.kind === 'decoder' ? texts.tokenizer : texts.targetTokenizer;

/**
 * The tokens that end a new text: those of the model's files, else its own vocabulary's, as [EOS].
 * @param {{config: import('./config.js').Config, texts?: import('./named.js').Texts}} model
 * @returns {readonly number[] | undefined}
 */
export function endsOf(model) {
  const { words, special } = /** @type {Partial<import('../text/vocabulary.js').Vocabulary>} */ (writerOf(model) ?? {});
  return model.texts?.endIds ?? (words && special?.end != null ? [special.end] : undefined);
}

/**
 * Inputs and options by name. Without a target, its tokenizer's start token begins it.
 * @param {{config: import('./config.js').Config, texts?: import('./named.js').Texts}} model
 * @param {unknown} input
 * @param {unknown} options
 * @returns {any}
 */
export function promptInput(model, input, options) {
  const named = namedInput(model, input, options);
  if (!isNamed(named)) return named;
  /** @type {Record<string, any>} */
  const given = { ...named };
  const prompt = promptOf(model.config);
  const { rules, targetTokenizer } = model.texts ?? {};
  const start = given.rules?.start ?? rules?.start ?? targetTokenizer?.special?.start ?? undefined;
  if (prompt === 'targetIds' && start !== undefined) {
    const { sourceIds: source } = given;
    given.targetIds ??= isArray(source) && isList(source[0]) ? source.map(() => [start]) : [start];
  }
  const name = prompt === 'ids' ? 'padding' : 'targetPadding';
  const { [prompt]: ids, [name]: padding } = given;
  if (padding === undefined) return given;
  delete given[name];
  const isRows = isArray(ids) && isList(ids[0]);
  given[prompt] = isRows
    ? ids.map((row, at) => shown(row, padding?.[at], `${name}[${at}]`))
    : shown(ids, padding, name);
  return given;
}

/** @param {any} ids @param {any} padding @param {string} name @returns {unknown[]} the ids that are not hidden */
function shown(ids, padding, name) {
  const fits = isList(ids) && isList(padding) && ids.length === padding.length;
  const flags = fits ? Array.from(padding, Number) : [];
  if (!fits || flags.some((flag) => flag !== 0 && flag !== 1)) {
    throw new GlassformerError('type', name, padding, 'must have 0 or 1 for each id, 1 = hidden');
  }
  return Array.from(ids).filter((_, at) => !flags[at]);
}

/** Inputs of an encoder-decoder's source. */
export const SOURCE = ['sourceIds', 'sourceTypeIds', 'sourcePadding', 'memoryPadding'];

/**
 * The options of a row of ids: names in errors say which it is.
 * @param {any} given
 * @param {'ids' | 'targetIds'} prompt
 * @param {number} row
 */
export function ofRow(given, prompt, row) {
  const own = { ...given };
  for (const name of prompt === 'ids' ? [prompt] : [prompt, ...SOURCE]) {
    const rows = given[name];
    delete own[name];
    if (rows) own[`${name}[${row}]`] = rows[row];
    if (rows && rows.length !== given[prompt].length)
      throw new GlassformerError('type', name, rows, `must be as many rows as ${prompt}`);
  }
  return own;
}

/**
 * The ids of a row that `generate` has taken.
 * @param {{config: import('./config.js').Config}} model
 * @param {any} given by name
 * @param {number} row
 * @returns {number[]}
 */
export function promptIds({ config }, given, row) {
  const { [promptOf(config)]: ids } = given;
  const one = isArray(ids) && isList(ids[0]) ? ids[row] : ids;
  return Array.from(one.data ?? one, Number); // without the readers of tensors, which a worker's client does without
}
