// The mutants of a C file: its text with one small fault each, as a programmer makes them.

/**
 * @typedef {object} Mutant
 * @property {string} key file, function, the line before and after: the same when other lines move
 * @property {number} line
 * @property {string} text the whole file
 */

const KEYWORDS =
  'auto break case const continue default do else enum extern for goto if inline register restrict return sizeof ' +
  'static struct switch typedef union volatile while';
const TYPES = 'void char short int long float double signed unsigned bool size_t const static struct enum extern';
const OPERATORS =
  '<<= >>= ... -> ++ -- << >> <= >= == != && || += -= *= /= %= &= |= ^= ## ' +
  '+ - * / % & | ^ ~ ! < > = ? : ; , . ( ) [ ] { } #';
const words = (/** @type {string} */ text) => new Set(text.split(' '));
const keywords = words(KEYWORDS);
const operators = OPERATORS.split(' ').sort((a, b) => b.length - a.length);
/** The replacements of binary operators. */
const BINARY = /** @type {Record<string, string[]>} */ ({
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '&': ['|'],
  '|': ['&'],
  '^': ['&'],
  '<<': ['>>'],
  '>>': ['<<'],
  '&&': ['||'],
  '||': ['&&'],
  '==': ['!='],
  '!=': ['=='],
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '+=': ['-='],
  '-=': ['+='],
  '*=': ['/='],
  '/=': ['*='],
  '|=': ['&='],
  '&=': ['|='],
  '^=': ['|='],
  '?': ['&& 0 ?', '|| 1 ?'],
});
const UNARY = words('- ! ~');
/** Calls whose arguments may be swapped without a difference. */
const COMMUTATIVE = words('v4_add v4_mul v4_fma smaller');
const SKIPPED = words('assert static_assert _Static_assert sizeof __asm__ __attribute__');

/** @typedef {{text: string, at: number, kind: 'name' | 'number' | 'string' | 'operator', define: string}} Token */

/** Tokens without comments; of directives only what #define stands for. @param {string} text */
function tokenize(text) {
  /** @type {Token[]} */
  const tokens = [];
  let define = '',
    end = 0;
  for (let at = 0; at < text.length;) {
    if (define && at >= end) define = '';
    const rest = text.slice(at, at + 400);
    const blank = /^(?:\s|\\\n)+/.exec(rest) ?? /^\/\/.*/.exec(rest);
    if (blank) {
      at += blank[0].length;
    } else if (rest.startsWith('/*')) {
      at = text.indexOf('*/', at) + 2;
    } else if (text[at] === '#' && !define) {
      const directive = /** @type {RegExpExecArray} */ (/^#(?:.*\\\n)*.*/.exec(text.slice(at)));
      const head = /^#\s*define\s+(\w+)(?:\([^)]*\))?/.exec(directive[0]);
      end = at + directive[0].length;
      define = head?.[1] ?? '';
      at = head ? at + head[0].length : end;
    } else {
      const name = /^[A-Za-z_]\w*/.exec(rest)?.[0];
      const number = /^\.?\d(?:[\w.]|(?<=[eEpP])[+-])*/.exec(rest)?.[0];
      const string = /^"(?:[^"\\]|\\.)*"|^'(?:[^'\\]|\\.)*'/.exec(rest)?.[0];
      const operator = operators.find((operator) => rest.startsWith(operator));
      const found = name ?? number ?? string ?? operator;
      if (!found) throw new Error(`cannot read ${rest.slice(0, 40)}`);
      const kind = name ? 'name' : number ? 'number' : string ? 'string' : 'operator';
      tokens.push({ text: found, at, kind, define });
      at += found.length;
    }
  }
  return tokens;
}

/** The other values of a constant. @param {string} text */
function constants(text) {
  const [, digits, suffix] = /^(0[xX][\da-fA-F.]+(?:[pP][+-]?\d+)?|[\d.]+(?:[eE][+-]?\d+)?)(\w*)$/.exec(text) ?? [];
  if (digits === undefined) return [];
  if (/^0x.*p/i.test(digits)) {
    const [mantissa, exponent] = digits.slice(2).toLowerCase().split('p');
    return [`0x${mantissa}p${Number(exponent) + 1}${suffix}`];
  }
  if (/^\d+$|^0x/i.test(digits)) {
    const value = BigInt(digits);
    return [value + 1n, ...(value > 0n ? [value - 1n] : [])].map((other) => `${other}${suffix}`);
  }
  const other = Number(digits) === 0 ? 1 : Number(digits) * 1.01;
  return [`${/[.e]/.test(`${other}`) ? other : `${other}.0`}${suffix}`];
}

/** The partner of each bracket, and the bracket that each token is in. @param {Token[]} tokens */
function matchBrackets(tokens) {
  /** @type {Map<number, number>} */
  const pairs = new Map();
  /** @type {number[]} */
  let open = [];
  const parents = /** @type {number[]} */ ([]);
  tokens.forEach(({ text, kind, define }, i) => {
    if (define !== tokens[i - 1]?.define && define) open = open.filter((k) => !tokens[k].define);
    parents.push(open.at(-1) ?? -1);
    if (kind !== 'operator') return;
    if ('([{'.includes(text)) open.push(i);
    else if (')]}'.includes(text)) {
      const start = open.pop();
      if (start === undefined) return;
      pairs.set(start, i);
      pairs.set(i, start);
    }
  });
  return { pairs, parents };
}

/** Names that typedefs give. @param {string[]} texts */
export const typeNames = (texts) =>
  new Set(
    texts.flatMap((text) =>
      [...text.matchAll(/^(?:typedef\b.*?|\}) ?\*?(\w+)(?: __attribute__.*)?;$/gm)].map((m) => m[1]),
    ),
  );

/**
 * All mutants of a file, in its order.
 * @param {string} file @param {string} text @param {Set<string>} named types of the project @returns {Mutant[]}
 */
export function mutants(file, text, named) {
  const tokens = tokenize(text);
  const { pairs, parents } = matchBrackets(tokens);
  const table = file.endsWith('.def');
  const types = new Set([...TYPES.split(' '), ...named]);
  const isType = (/** @type {Token | undefined} */ token) =>
    token?.kind === 'name' && (types.has(token.text) || /_t$/.test(token.text));
  /** @type {{at: number, end: number, by: string, place: string}[]} */
  const edits = [];
  let place = '';
  const edit = (/** @type {number} */ first, /** @type {number} */ last, /** @type {string} */ by) =>
    edits.push({ at: tokens[first].at, end: tokens[last].at + tokens[last].text.length, by, place });
  const source = (/** @type {number} */ first, /** @type {number} */ last) =>
    text.slice(tokens[first].at, tokens[last].at + tokens[last].text.length);

  /** clang-format sets binary operators apart, and no others. @param {Token} token */
  const isBinary = (token) => /\s/.test(text[token.at - 1]) && /\s/.test(text[token.at + token.text.length]);
  /** The commas between arguments. @param {number} open @param {number} close */
  function parts(open, close) {
    const found = [];
    let first = open + 1;
    for (let i = first; i <= close; i++) {
      if (i === close || tokens[i].text === ',') {
        if (i > first) found.push([first, i - 1]);
        first = i + 1;
      } else if ('([{'.includes(tokens[i].text)) i = pairs.get(i) ?? i;
    }
    return found;
  }

  let outer = -1; // the end of the function or table that this is in
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i],
      before = tokens[i - 1],
      after = tokens[i + 1];
    if (token.define) place = token.define;
    else if (table && /^[A-Z]+$/.test(token.text) && after?.text === '(') {
      if (token.text === 'GROUP') place = tokens[i + 2].text;
    } else if (!table && i > outer) {
      place = '';
      if (token.text === '{' && before) {
        outer = pairs.get(i) ?? i;
        let name = before.text === ')' ? (pairs.get(i - 1) ?? i) - 1 : i - 1;
        while (name > 0 && tokens[name].kind !== 'name')
          name = tokens[name].text === ']' ? (pairs.get(name) ?? 1) - 1 : name - 1;
        place = tokens[name].text;
      }
    }
    if (token.kind === 'name' && SKIPPED.has(token.text) && after?.text === '(') {
      i = pairs.get(i + 1) ?? i;
      continue;
    }
    if (token.kind === 'number') for (const other of constants(token.text)) edit(i, i, other);
    if (token.text === 'true' || token.text === 'false') edit(i, i, token.text === 'true' ? 'false' : 'true');
    if (token.kind === 'operator' && BINARY[token.text] && isBinary(token))
      for (const other of BINARY[token.text]) edit(i, i, other);
    if (UNARY.has(token.text) && !isBinary(token)) edit(i, i, '');
    const close = pairs.get(i + 1);
    if (token.text === 'if' && close !== undefined) {
      const condition = source(i + 2, close - 1);
      // of one comparison the negation is among the mutants of the operator
      if (/&&|\|\|/.test(condition) || !/[<>=!]/.test(condition)) edit(i + 2, close - 1, `!(${condition})`);
    }

    // a call
    const called = token.kind === 'name' && !keywords.has(token.text) && !isType(token) && after?.text === '(';
    const inside = i < outer || table || token.define;
    if (called && close !== undefined && inside && !isType(before) && !COMMUTATIVE.has(token.text)) {
      const list = parts(i + 1, close).map(([first, last]) => ({ first, last, text: source(first, last) }));
      for (let k = 0; k + 1 < list.length; k++) {
        const [a, b] = [list[k], list[k + 1]];
        const named = /"/.test(a.text + b.text) || (table && k < 4); // the columns of a table have types of their own
        if (a.text !== b.text && !named) edit(a.first, b.last, `${b.text}, ${a.text}`);
      }
    }

    // a statement
    const control = before?.text === ')' && /^(if|for|while)$/.test(tokens[(pairs.get(i - 1) ?? 1) - 1]?.text ?? '');
    const starts = control || /^(;|\{|\}|else|do)$/.test(before?.text ?? '');
    const may =
      token.kind === 'name'
        ? !isType(token) && !/^(if|for|while|do|else|switch|case|default|typedef)$/.test(token.text)
        : token.text === '*';
    if (starts && may && tokens[parents[i]]?.text === '{') {
      let last = i;
      while (last < tokens.length && !/^[;})\]]$/.test(tokens[last].text))
        last = '([{'.includes(tokens[last].text) ? (pairs.get(last) ?? last) + 1 : last + 1;
      const final = token.text === 'return' && tokens[last + 1]?.text === '}' && parents[parents[i]] === -1;
      if (tokens[last]?.text === ';' && last > i && tokens[last].define === token.define && !final)
        edit(i, last - 1, '');
    }
  }

  /** @type {Map<string, number>} */
  const seen = new Map();
  const squeeze = (/** @type {string} */ line) =>
    line
      .replace(/\/\*.*?(\*\/|$)/g, '')
      .replace(/[\s\\]+/g, ' ')
      .trim();
  return edits.map(({ at, end, by, place }) => {
    const from = text.lastIndexOf('\n', at - 1) + 1,
      to = (text.indexOf('\n', end) + text.length + 1) % (text.length + 1) || text.length;
    const lines = [text.slice(from, to), text.slice(from, at) + by + text.slice(end, to)].map(squeeze);
    const key = `${file} ${place}: ${lines.join(' => ')}`;
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    return {
      key: count > 1 ? `${key} #${count}` : key,
      line: text.slice(0, at).split('\n').length,
      text: text.slice(0, at) + by + text.slice(end),
    };
  });
}
