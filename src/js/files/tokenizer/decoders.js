// From tokens back to a text.
import { bytesOf } from './byte-letters.js';
import { expectShort } from './growth.js';
import { replaced } from './normalizers.js';
import { patternOf } from './pattern.js';
import { schemeOf } from './pre-tokenizers.js';
import { countOf, flagOf, letterOf, stepsOf, textOf } from './settings.js';

/** @typedef {import('./settings.js').Step} Step */
/** @typedef {(tokens: string[], most: number) => string[]} Decoder most: how long all of them may be */

const encoder = new TextEncoder();

/** What of English WordPiece joins, in this order. @type {[string, string][]} */
const JOINTS = [
  [' .', '.'],
  [' ?', '?'],
  [' !', '!'],
  [' ,', ','],
  [" ' ", "'"],
  [" n't", "n't"],
  [" 'm", "'m"],
  [' do not', " don't"],
  [" 's", "'s"],
  [" 've", "'ve"],
  [" 're", "'re"],
];
/** How each of them begins. */
const JOINT = / (?:[.?!,']|n't|do not)/;

/** @param {number[]} bytes @param {boolean} [fatal] */
const textOfBytes = (bytes, fatal = false) =>
  new TextDecoder('utf-8', { fatal, ignoreBOM: true }).decode(Uint8Array.from(bytes));

/** @type {Record<string, (step: Step) => Decoder>} */
const DECODERS = {
  BPEDecoder(step) {
    const suffix = textOf(step, 'suffix');
    return (tokens, most) => {
      const last = tokens.length - 1;
      // Nothing stands between all letters, and at both ends.
      const pattern = suffix || /(?:)/gu;
      return tokens.map((token, i) => replaced(token, pattern, i < last ? ' ' : '', most));
    };
  },
  ByteFallback: () => (tokens) => {
    /** @type {string[]} */
    const texts = [];
    /** @type {number[]} */
    let bytes = [];
    const close = () => {
      if (!bytes.length) return;
      try {
        texts.push(textOfBytes(bytes, true));
      } catch {
        for (let i = 0; i < bytes.length; i++) texts.push('\ufffd');
      }
      bytes = [];
    };
    for (const token of tokens) {
      const [, byte] = /^<0x([\dA-Fa-f]{2})>$/.exec(token) ?? [];
      if (byte) {
        bytes.push(parseInt(byte, 16));
        continue;
      }
      close();
      texts.push(token);
    }
    close();
    return texts;
  },
  ByteLevel: () => (tokens) => {
    /** @type {number[]} */
    const bytes = [];
    for (const token of tokens) for (const byte of bytesOf(token) ?? encoder.encode(token)) bytes.push(byte);
    return [textOfBytes(bytes)];
  },
  Fuse: () => (tokens) => [tokens.join('')],
  Metaspace(step) {
    const replacement = letterOf(step, 'replacement');
    const isPrepended = schemeOf(step) !== 'never';
    return (tokens) => tokens.map((token, i) => token.replaceAll(replacement, i || !isPrepended ? ' ' : ''));
  },
  Replace(step) {
    const [pattern, content] = [patternOf(step), textOf(step, 'content')];
    return (tokens, most) => {
      let room = most;
      return tokens.map((token) => {
        const result = replaced(token, pattern, content, room);
        room -= result.length;
        return result;
      });
    };
  },
  Strip(step) {
    const [content, start, stop] = [letterOf(step, 'content'), countOf(step, 'start'), countOf(step, 'stop')];
    return (tokens) =>
      tokens.map((token) => {
        const letters = Array.from(token);
        let [from, to] = [0, letters.length];
        while (from < start && letters[from] === content) from++;
        while (letters.length - to < stop && to > from && letters[to - 1] === content) to--;
        return letters.slice(from, to).join('');
      });
  },
  WordPiece(step) {
    const [prefix, cleanup] = [textOf(step, 'prefix'), flagOf(step, 'cleanup')];
    return (tokens) =>
      tokens.map((token, i) => {
        const joined = i === 0 ? token : token.startsWith(prefix) ? token.slice(prefix.length) : ` ${token}`;
        return cleanup && JOINT.test(joined)
          ? JOINTS.reduce((text, [from, to]) => text.replaceAll(from, to), joined)
          : joined;
      });
  },
};

/** @param {string[]} tokens */
const lengthOf = (tokens) => tokens.reduce((sum, { length }) => sum + length, 0);

/**
 * @param {unknown} json
 * @returns {(tokens: string[], mostOf: (length: number) => number) => string}
 */
export function decoderOf(json) {
  const steps = stepsOf(json, 'decoder', 'decoders', DECODERS);
  return (tokens, mostOf) => {
    if (json === null || json === undefined) return tokens.join(' ');
    const most = mostOf(lengthOf(tokens));
    for (const step of steps) {
      tokens = step(tokens, most);
      expectShort(lengthOf(tokens), most);
    }
    return tokens.join('');
  };
}
