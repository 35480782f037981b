// From tokens back to a text.
import { bytesOf } from './characters.js';
import { expectShort, countOf, flagOf, letterOf, stepsOf, textOf } from './settings.js';
import { replaced } from './normalizers.js';
import { patternOf } from './pattern.js';
import { schemeOf } from './pre-tokenizers.js';
import { spaced } from './texts.js';

/** @typedef {import('./settings.js').Step} Step */
/**
 * A step of a decoder, which gets the tokens of a text some at a time. most: how long what it gives may be; copy: one
 * that goes on from here
 * @typedef {{push: (tokens: string[], most: number) => string[], end?: (most: number) => string[],
 *   copy: () => Running}} Running
 * @typedef {(() => Running) & {joins?: boolean}} Decoder for one text; joins: its output is parts of one token
 */

const encoder = new TextEncoder();

/** Pieces of English that WordPiece joins, in this order. @type {[string, string][]} */
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
/** The beginning of each. */
const JOINT = / (?:[.?!,']|n't|do not)/;

/**
 * A step that maps each token alone.
 * @param {(token: string, isFirst: boolean, most: number) => string} change
 * @returns {Decoder}
 */
const each = (change) => {
  /** @type {(isFirst: boolean) => Running} */
  const from = (isFirst) => {
    const next = (/** @type {string} */ token, /** @type {number} */ most) => {
      const result = change(token, isFirst, most);
      isFirst = false;
      return result;
    };
    return { push: (tokens, most) => tokens.map((token) => next(token, most)), copy: () => from(isFirst) };
  };
  return () => from(true);
};

/**
 * A step behind one that joins, which sees the text as one token: at its end.
 * @param {Decoder} decoder
 * @returns {Decoder}
 */
const whole = (decoder) => {
  /** @type {(parts: string[]) => Running} */
  const from = (parts) => {
    const { push, end } = decoder();
    return {
      push(tokens) {
        for (const token of tokens) parts.push(token);
        return [];
      },
      end: (most) => [...push([parts.join('')], most), ...(end?.(most) ?? [])],
      copy: () => from([...parts]),
    };
  };
  return () => from([]);
};

/** @param {() => Running} decoder @returns {Decoder} */
const joining = (decoder) => Object.assign(decoder, { joins: true });

/** A run of byte tokens is text only as a whole. @param {number[]} [bytes] @returns {Running} */
function byteRun(bytes = []) {
  const close = () => {
    const run = Uint8Array.from(bytes);
    bytes = [];
    if (!run.length) return [];
    try {
      return [new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(run)];
    } catch {
      return Array.from(run, () => '\ufffd');
    }
  };
  return {
    push: (tokens) =>
      tokens.flatMap((token) => {
        const [, byte] = /^<0x([\dA-Fa-f]{2})>$/.exec(token) ?? [];
        if (!byte) return [...close(), token];
        bytes.push(parseInt(byte, 16));
        return [];
      }),
    end: close,
    copy: () => byteRun([...bytes]),
  };
}

/** @returns {Running} */
function byteLevel() {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return {
    push(tokens) {
      /** @type {number[]} */
      const bytes = [];
      for (const token of tokens) for (const byte of bytesOf(token) ?? encoder.encode(token)) bytes.push(byte);
      return [decoder.decode(Uint8Array.from(bytes), { stream: true })];
    },
    end: () => [decoder.decode()],
    copy: byteLevel, // without the bytes of a character that is not whole yet
  };
}

/** @type {Record<string, (step: Step, isJoined: boolean) => Decoder>} isJoined: what it gets are parts of one token */
const DECODERS = {
  BPEDecoder(step) {
    const suffix = textOf(step, 'suffix');
    // Nothing stands between all letters, and at both ends.
    const pattern = suffix || /(?:)/gu;
    const change = (/** @type {string} */ to, /** @type {number} */ most) => (/** @type {string} */ token) =>
      replaced(token, pattern, to, most);
    /** @type {(held: string[]) => Running} held: what may be the last one */
    const from = (held) => ({
      push(tokens, most) {
        const all = [...held, ...tokens];
        held = all.splice(-1);
        return all.map(change(' ', most));
      },
      end: (most) => held.map(change('', most)),
      copy: () => from(held),
    });
    return () => from([]);
  },
  ByteFallback: () => () => byteRun(),
  ByteLevel: () => joining(byteLevel),
  Fuse: () => joining(each((token) => token)),
  Metaspace(step) {
    const replacement = letterOf(step, 'replacement');
    const isPrepended = schemeOf(step) !== 'never';
    return each((token, isFirst) => token.replaceAll(replacement, isFirst && isPrepended ? '' : ' '));
  },
  Replace(step) {
    const [pattern, content] = [patternOf(step), textOf(step, 'content')];
    /** @type {Running} */
    const running = {
      push(tokens, most) {
        let left = most;
        return tokens.map((token) => {
          const result = replaced(token, pattern, content, left);
          left -= result.length;
          return result;
        });
      },
      copy: () => running,
    };
    return () => running;
  },
  Strip(step, isJoined) {
    const content = letterOf(step, 'content');
    const start = countOf(step, 'start');
    const stop = countOf(step, 'stop');
    const strip = (/** @type {string} */ token, /** @type {number} */ most) => {
      const letters = Array.from(token);
      let [from, to] = [0, letters.length];
      while (from < most && letters[from] === content) from++;
      while (letters.length - to < stop && to > from && letters[to - 1] === content) to--;
      return letters.slice(from, to).join('');
    };
    if (!isJoined || stop) return each((token) => strip(token, start));
    /** @type {(left: number) => Running} */
    const from = (left) => ({
      push: (parts) =>
        parts.map((part) => {
          const rest = strip(part, left);
          left = rest ? 0 : left - Array.from(part).length;
          return rest;
        }),
      copy: () => from(left),
    });
    return joining(() => from(start));
  },
  WordPiece(step) {
    const [prefix, cleanup] = [textOf(step, 'prefix'), flagOf(step, 'cleanup')];
    return each((token, isFirst) => {
      const joined = isFirst ? token : token.startsWith(prefix) ? token.slice(prefix.length) : ` ${token}`;
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
 * @param {(length: number) => number} mostOf
 * @returns {() => import('./texts.js').Joiner}
 */
export function decoderOf(json, mostOf) {
  if (json === null || json === undefined) return spaced;
  const makers = Object.entries(DECODERS).map(([type, make]) => [
    type,
    (/** @type {Step} */ step, /** @type {Decoder[]} */ before) => {
      const isJoined = before.some(({ joins }) => joins);
      const decoder = make(step, isJoined);
      return isJoined && !decoder.joins ? joining(whole(decoder)) : decoder;
    },
  ]);
  const steps = stepsOf(json, 'decoder', 'decoders', Object.fromEntries(makers));
  return () => {
    const running = steps.map((step) => step());
    let length = 0;
    const run = (/** @type {string[]} */ tokens, ends = false, own = running) => {
      const most = mostOf((length += lengthOf(tokens)));
      for (const { push, end } of own) {
        tokens = [...push(tokens, most), ...((ends && end?.(most)) || [])];
        expectShort(lengthOf(tokens), most);
      }
      return tokens.join('');
    };
    const peek = () => run([], true, running.map(({ copy }) => copy())); // prettier-ignore
    return { push: run, end: () => run([], true), peek };
  };
}
