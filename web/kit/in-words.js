// Errors in a reader's words: they name neither the argument of a call nor the code of a browser.

/** The engine's refusals that name no setting, by their code. @type {Record<string, string>} */
const REFUSED = {
  memory: 'This needs more memory than a page has. Choose a smaller model or a shorter text.',
  limit: 'This takes too long to compute. Choose a smaller model or a shorter text.',
  number: 'A number is too large for 32-bit floats. Undo the last change.',
  freed: 'The part of the page that computes this has stopped. Try again.',
  token: 'The model does not know a word of this text. Choose another text.',
};
const OTHER = 'The model cannot compute this. Undo the last change or choose another text.';
const FAULT = 'Something on this page went wrong. Undo the last change or reload the page.';
const OFFLINE = 'A file of the page could not be fetched. Check the connection and try again.';

/** @type {Record<string, string>} */
const ARGUMENTS = { text: 'The text', seed: 'The seed', steps: 'The steps' };

/**
 * @param {any} error one of the package, also as a worker sent it; one that the page has put in words stays as it is
 * @param {(parameter: string) => string | undefined} [labelOf] a setting as the reader knows it
 * @returns {string}
 */
export function inWords(error, labelOf = () => undefined) {
  const { name, code, parameter, message } = error;
  if (name === 'GlassformerError') {
    const label = labelOf(parameter) ?? ARGUMENTS[parameter];
    const rest = message.startsWith(`${parameter}: `) ? message.slice(parameter.length + 2) : '';
    if (/^(format|notFound|network|unsupported)$/.test(code)) return rest || message;
    return label && rest
      ? `${label} ${rest.replace(', got NaN', ', not empty').replace(', got ', ', not ')}.`
      : (REFUSED[code] ?? OTHER);
  }
  if (/fetch|network|load failed/i.test(message) && name === 'TypeError') return OFFLINE; // as each browser has it
  const isFault = /^(Type|Reference|Syntax|Eval|URI)Error$/.test(name) || /invalid|maximum call/i.test(message);
  return isFault ? FAULT : message;
}
