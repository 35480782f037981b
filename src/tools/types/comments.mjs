// The comments of JavaScript: what they say of types, and without them.

export const COMMENT = /\/\*\*(?:(?!\*\/)[^])*\*\//g;

/** @param {string} text */
export const withoutComments = (text) => text.replace(COMMENT, '').replace(/^\s*\/\/.*$/gm, '');

/**
 * The descriptions in the comments with @typedef, by type name.
 * @param {string} text
 * @returns {Map<string, string>}
 */
export function typedefComments(text) {
  const found = new Map();
  for (const [comment] of text.matchAll(COMMENT)) {
    if (!comment.includes('@typedef')) continue;
    const body = comment.slice(3, -2).replace(/^[ \t]*\*[ \t]?/gm, '');
    const tags = body.split(/^[ \t]*(?=@\w)|(?<=[.:;)]) (?=@typedef)/m).map((tag) => tag.trim());
    const lead = tags[0].startsWith('@') ? '' : tags.shift();
    let said = lead ?? '';
    for (const tag of tags.filter((one) => one.startsWith('@typedef'))) {
      const after = tag.slice(endOfType(tag)).trim();
      const [name] = /^\w+/.exec(after) ?? [''];
      const trail = after.slice(name.length).trim();
      const words = [said, trail].filter(Boolean).join('\n').trim();
      if (name && words) found.set(name, words);
      said = '';
    }
  }
  return found;
}

/**
 * The comments of functions with @overload, which tsc leaves out, by name in their order.
 * @param {string} text
 * @returns {Map<string, string[]>}
 */
export function overloadComments(text) {
  const found = new Map();
  for (const { 0: comment, index } of text.matchAll(COMMENT)) {
    if (!comment.includes('@overload') || text[index - 1] !== '\n') continue; // a method's
    const [, name] = /^export (?:async )?function (\w+)/m.exec(text.slice(index)) ?? [];
    if (name) found.set(name, [...(found.get(name) ?? []), comment.replace(/^ \* @overload\n/m, '')]);
  }
  return found;
}

/** Where the {type} of a tag ends. @param {string} tag */
function endOfType(tag) {
  let depth = 0;
  for (let at = 0; at < tag.length; at++) {
    if (tag[at] === '{') depth++;
    if (tag[at] === '}' && --depth === 0) return at + 1;
  }
  return '@typedef'.length;
}

/**
 * A comment without the types, which the declaration has, and without tags that say nothing else.
 * @param {string} comment
 * @returns {string} '' where no word is left
 */
export function withoutTypes(comment) {
  let text = comment;
  for (let from = 0; ;) {
    const tag = /@(?:param|returns|type|template|satisfies) (?=\{)/g;
    tag.lastIndex = from;
    if (!tag.exec(text)) break;
    from = tag.lastIndex;
    const rest = text
      .slice(from)
      .slice(endOfType(text.slice(from)))
      .replace(/^[ \t]*(?:\n[ \t]*\*(?=[ \t]*[^@\s/]))?[ \t]*/, '');
    text = text.slice(0, from) + rest;
  }
  text = text
    .replace(/@(?:type|satisfies)\b[ \t]*/g, '')
    .replace(/^([ \t]*)\* @(?:returns|template(?: const)? \w+|param \S+)[ \t]*\n(?=[ \t]*\*(?:\/|[ \t]*@))/gm, '')
    .replace(/@returns[ \t]*(?=\*\/)/, '');
  return /[^\s*/]/.test(text) ? text : '';
}
