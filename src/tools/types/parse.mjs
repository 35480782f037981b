// The statements of a .d.ts file, as tsc writes it.
import { COMMENT, overloadComments, typedefComments } from './comments.mjs';

/**
 * A statement at the top of a .d.ts file. `names`: what it declares; of an import or a re-export `from`, and
 * `bindings`: the name here and the name there ('*' for all).
 * @typedef {{comment: string, text: string, names: string[], exported: boolean, from?: string,
 *   bindings?: {here: string, there: string}[]}} Statement
 */

const ALIAS = /^export type (\w+)(?:<[^=]*(?:=[^=]*)?>)? = import\(['"]([^'"]+)['"]\)\.(\w+)(?:<[\w, ]*>)?;$/;

/** @param {string} words */
const asComment = (words) =>
  words.includes('\n') ? `/**\n${words.replace(/^/gm, ' * ').replace(/ +$/gm, '')}\n */` : `/** ${words} */`;

/**
 * @param {string} text of a .d.ts file
 * @param {string} [source] of the JavaScript that it was made of
 * @returns {Statement[]}
 */
export function parse(text, source = '') {
  const said = typedefComments(source);
  // import type * as A from 'x': A.B becomes import('x').B.
  for (const [line, space, from] of text.matchAll(/^import type \* as (\w+) from ['"](.*)['"];\n/gm)) {
    text = text.replace(line, '').replace(new RegExp(`(?<![\\w.])${space}\\.(?=\\w)`, 'g'), `import('${from}').`);
  }
  const [about = ''] = (source || text).match(COMMENT) ?? [];
  const statements = about.includes('@module') ? [statementOf(about, '', said)] : [];
  const lines = text.split('\n');
  for (let at = 0; at < lines.length;) {
    let comment = '';
    for (;;) {
      while (at < lines.length && !lines[at].trim()) at++;
      if (/^\s*\/\*/.test(lines[at] ?? '')) {
        const from = at;
        while (!lines[at].includes('*/')) at++;
        const block = lines.slice(from, ++at).join('\n');
        if (!/@(typedef|import|module)\b/.test(block)) comment = block;
      } else if (/^\s*\/\//.test(lines[at] ?? '')) comment = lines[at++];
      else break;
    }
    if (at >= lines.length) break;
    const from = at;
    let [depth, inside] = [0, false]; // a comment
    do {
      const line = lines[at++];
      const opens = line.includes('/**');
      if (!inside && !opens) depth += (line.match(/[{([]/g)?.length ?? 0) - (line.match(/[})\]]/g)?.length ?? 0);
      inside = (inside || opens) && !line.includes('*/');
    } while (
      at < lines.length &&
      (inside || depth > 0 || !/[;}]\s*$/.test(lines[at - 1]) || /^\s*[?:|&]/.test(lines[at]))
    );
    statements.push(statementOf(comment, lines.slice(from, at).join('\n'), said));
  }
  const overloads = overloadComments(source);
  for (const one of statements)
    if (/^export declare function/.test(one.text)) one.comment ||= overloads.get(one.names[0])?.shift() ?? '';
  return statements.flatMap(splitAlias);
}

/**
 * @param {string} comment
 * @param {string} text
 * @param {Map<string, string>} said
 * @returns {Statement}
 */
function statementOf(comment, text, said) {
  const link = /^(import|export)(?: type)? (?:\{([^]*)\}|(\*)) from ['"]([^'"]+)['"];$/.exec(text);
  if (link) {
    const bindings = link[3]
      ? [{ here: '*', there: '*' }]
      : link[2]
          .split(',')
          .map((one) =>
            one
              .trim()
              .replace(/^type /, '')
              .split(' as '),
          )
          .filter(([one]) => one)
          .map(([there, here = there]) => ({ here, there }));
    return { comment, text, names: [], exported: link[1] === 'export', from: link[4], bindings };
  }
  const list = /^export (?:type )?\{([^]*)\};$/.exec(text);
  if (list) {
    const names = list[1].split(',').map((one) => one.trim());
    return { comment, text, names: names.filter(Boolean), exported: true };
  }
  const named = /^(?:export )?(?:declare )?(?:abstract )?(?:type|interface|class|const|function|let|enum) (\w+)/.exec(
    text,
  );
  const words = named && text.startsWith('export type') && said.get(named[1]);
  return {
    comment: words ? asComment(words) : comment,
    text: hideConstructor(text)
      // TypeScript before 5.7 knows no kinds of buffers.
      .replace(/\b(\w+Array)<ArrayBuffer>/g, 'ReturnType<typeof $1.of>')
      .replace(/\b(\w+Array)<ArrayBufferLike>/g, '$1'),
    names: named ? [named[1]] : [],
    exported: text.startsWith('export '),
  };
}

/**
 * Users must not construct classes that are only return types; classes of the package may extend them.
 * @param {string} text
 */
const hideConstructor = (text) =>
  text.replace(
    /^([ \t]*)(?:\/\*\*(?:(?!\*\/)[^])*?@internal(?:(?!\*\/)[^])*\*\/)\s*constructor\([^]*?\);$/gm,
    '$1protected constructor();',
  );

/**
 * `export type A = import('x').B` loses that B is a class, and its comment.
 * @param {Statement} statement
 * @returns {Statement[]}
 */
function splitAlias(statement) {
  const alias = ALIAS.exec(statement.text);
  if (!alias) return [statement];
  const [, here, from, there] = alias;
  return [
    { comment: '', text: '', names: [], exported: false, from, bindings: [{ here, there }] },
    { comment: '', text: `export type { ${here} };`, names: [here], exported: true },
  ];
}
