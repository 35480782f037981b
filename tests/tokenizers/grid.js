// Files and texts with which our tokenizers are held to those in Rust: every setting of every step, with others.
import { added } from './added.js';
import { nfkcRules, writeCharsmap } from './spm.js';

/** Seemingly random numbers, the same each time (Marsaglia 2003). @param {number} seed */
export function randomOf(seed) {
  let state = seed;
  return (/** @type {number} */ below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

const SPECIAL = ['[UNK]', '[CLS]', '[SEP]', '[MASK]', '<s>', '</s>', '<|endoftext|>'];

/** The parts of texts. */
const PARTS = [
  'the',
  'The',
  'dog',
  'DOG',
  'creek',
  "don't",
  "I'LL",
  "we've",
  "'s",
  "'S",
  'größer',
  'GRÖSSER',
  'naïve',
  'e\u0301te\u0301',
  'Ünïcödé',
  'ΣΑΣ',
  'ὈΔΥΣΣΕΎΣ',
  'İstanbul',
  'ıI',
  'Привет',
  'ЁЖ',
  'ё',
  'ﬁne',
  'ﬀ',
  'Ǆ',
  'ǅ',
  'ß',
  'ẞ',
  'ſ',
  'K',
  'Å',
  '½',
  '²x³',
  '¼',
  '中文',
  '漢字かな',
  'カタカナ',
  'ｶﾞ',
  '𠮷',
  'a𠮷b',
  '𫝀',
  '㐀',
  '豈',
  '한국어',
  '\u1112\u1161\u11ab',
  'العربية',
  'مَرْحَبًا',
  'שָׁלוֹם',
  'ภาษาไทย',
  'नमस्ते',
  'தமிழ்',
  'ქართული',
  '🙂',
  '👩‍👩‍👧‍👦',
  '🇬🇧',
  '👍🏽',
  '❤️',
  '☃',
  '𝒜𝓫',
  '𝟙𝟚',
  'Ⅷ',
  '①',
  '٣٤',
  '१२',
  '１２',
  '123',
  '4567',
  '3.14',
  '1,000',
  '!',
  '?',
  '...',
  '—',
  '…',
  '«',
  '»',
  '¿',
  '。',
  '、',
  '$',
  '+',
  '<',
  '=',
  '`',
  '|',
  '~',
  '^',
  '_',
  '__',
  '-',
  '--',
  '/',
  '\\',
  '@',
  '#',
  '%',
  '&',
  '*',
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  '"',
  "'",
  '’',
  '€',
  '₹',
  '§',
  '°',
  '•',
  '▁',
  '▁a',
  'Ġ',
  '##s',
  '<0x41>',
  '@@',
  '</w>',
  ' ',
  '  ',
  '    ',
  '\t',
  '\n',
  '\n\n',
  '\r\n',
  '\r',
  '\v',
  '\f',
  '\u0085',
  '\u00a0',
  '\u1680',
  '\u2003',
  '\u200b',
  '\u200c',
  '\u200d',
  '\u2028',
  '\u202f',
  '\u3000',
  '\ufeff',
  '\ufffd',
  '\0',
  '\x01',
  '\x1f',
  '\x7f',
  '\u0080',
  '\u00ad',
  '\u202e',
  '\ue000',
  '\u0301',
  '\u0323',
  '\u0345',
  '\u20dd',
  '\u0903',
  '\ufe0f',
  '\u0378',
  '\u2fff',
  '\u{10ffff}',
  '\ufdd0',
  'a',
  'b',
  'A',
  'x',
  'aa',
  'ab',
  'ba',
  'aaa',
  'low',
  'lower',
  'lowest',
  'new',
  'er',
  'est',
  'https://a.b/c?d=e',
  'a_b',
  'CamelCase',
  'snake_case',
  ...SPECIAL,
  ...SPECIAL.map((each) => each.toLowerCase()),
  '[ SEP ]',
  'the[MASK]',
  'do not',
  " n't",
  " 'm",
  'ask',
  'TASK',
  'mask',
];

/** Texts of all kinds, from nothing to some hundred letters. @returns {string[]} */
export function textsOf(count = 400) {
  const random = randomOf(7);
  const texts = [
    '',
    ' ',
    '   ',
    '\n',
    '\t \n',
    'a',
    'The creek was cold, and the dog wanted to jump over it.',
    ...PARTS,
  ];
  while (texts.length < count) {
    const parts = Array.from({ length: 1 + random(8) }, () => PARTS[random(PARTS.length)]);
    const joint = ['', ' ', ' ', '  ', '\n'][random(5)];
    texts.push(parts.join(joint));
  }
  return texts.slice(0, Math.max(count, PARTS.length + 7));
}

/** Characters of Unicode 17 and 12.1 to 13 that tables of some years know otherwise. */
const NEWER = [
  ...[0x88f, 0xc5c, 0xcdc, 0x20c1, 0x2b96, 0x32ff, 0xab69, 0xfd90, 0xfd91].map((code) => [code, code]),
  ...[0x1acf, 0x1aeb, 0xa7ce, 0xa7f4, 0xfbc3, 0xfbd2, 0xfdc8, 0xfdce].flatMap((from, i, all) =>
    i % 2 ? [] : [[from, all[i + 1]]],
  ),
];

/** Every character up to U+FFFF, between letters. @returns {string[]} */
export function charactersOf() {
  const all = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter(
    (letter, code) => !/\p{Surrogate}/u.test(letter) && !NEWER.some(([from, to]) => code >= from && code <= to),
  );
  const chunks = Array.from({ length: Math.ceil(all.length / 256) }, (_, i) => all.slice(256 * i, 256 * (i + 1)));
  return chunks.map((chunk) => chunk.map((letter) => `a${letter}a`).join(' '));
}

/** @param {string[]} tokens @returns {Record<string, number>} */
const numbered = (tokens) => Object.fromEntries([...new Set(tokens)].map((token, id) => [token, id]));

const LETTERS = [...new Set(PARTS.join(''))];
/** Those that a vocabulary knows: the others are unknown. */
const KNOWN = LETTERS.filter((letter, i) => /[ -~▁Ġ]/.test(letter) || i % 3 > 0);
const WORDS = [...new Set(textsOf().flatMap((text) => text.toLowerCase().match(/[\p{L}\p{M}]+|\p{N}+|\S/gu) ?? []))];
/** The letters that stand for bytes. */
const BYTES = Array.from({ length: 256 }, (_, byte) => byte).map((byte, _, all) => {
  const isPrinted = (/** @type {number} */ each) => (each > 32 && each < 127) || (each > 160 && each !== 173);
  return String.fromCharCode(
    isPrinted(byte) ? byte : 256 + all.filter((each) => each < byte && !isPrinted(each)).length,
  );
});

/**
 * Merges, and what they make: of each word its letters from the left, of some from the right.
 * @param {string[][]} words letters of each
 * @param {string} [prefix] of all letters but the first
 */
function mergesOf(words, prefix = '') {
  /** @type {Set<string>} */
  const merges = new Set();
  /** @type {string[]} */
  const made = [];
  words.forEach((letters, i) => {
    if (letters.length < 2 || letters.length > 6) return;
    const parts = letters.map((letter, at) => (at ? prefix : '') + letter);
    while (parts.length > 1) {
      const at = i % 2 ? parts.length - 2 : 0;
      const [left, right] = [parts[at], parts[at + 1]];
      merges.add(`${left} ${right}`);
      const whole = left + right.slice(prefix.length);
      made.push(whole);
      parts.splice(at, 2, whole);
    }
  });
  return { merges: [...merges], made };
}

const bytesOf = (/** @type {string} */ text) => Array.from(new TextEncoder().encode(text), (byte) => BYTES[byte]);
const SHORT = WORDS.filter((word, i) => i % 2 === 0 && Array.from(word).every((letter) => KNOWN.includes(letter)));
const byteMerges = mergesOf(
  WORDS.filter((_, i) => i % 2 === 0).flatMap((word) => [bytesOf(word), bytesOf(` ${word}`)]),
);
const letterMerges = mergesOf(SHORT.flatMap((word) => [Array.from(word), Array.from(`▁${word}`)]));
const prefixMerges = mergesOf(
  SHORT.map((word) => Array.from(word)),
  '##',
);
const FALLBACK = Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`);

const bpe = (/** @type {string[]} */ tokens, /** @type {any} */ merges, /** @type {object} */ more = {}) => ({
  type: 'BPE',
  dropout: null,
  unk_token: null,
  continuing_subword_prefix: null,
  end_of_word_suffix: null,
  fuse_unk: false,
  byte_fallback: false,
  ignore_merges: false,
  vocab: numbered([...SPECIAL, ...tokens]),
  merges,
  ...more,
});
const letterTokens = [...KNOWN, ...letterMerges.made];
const pairs = (/** @type {string[]} */ merges) => merges.map((merge) => merge.split(' '));
const wordPieces = [
  ...KNOWN,
  ...KNOWN.map((letter) => `##${letter}`),
  ...WORDS.filter((_, i) => i % 2),
  ...WORDS.flatMap((word) => [word.slice(0, 2), `##${word.slice(-2)}`]),
].filter((token) => !/\p{Surrogate}/u.test(token));
const wordPiece = (/** @type {object} */ more) => ({
  type: 'WordPiece',
  unk_token: '[UNK]',
  continuing_subword_prefix: '##',
  max_input_chars_per_word: 100,
  vocab: numbered([...SPECIAL, ...wordPieces]),
  ...more,
});
const unigram = (/** @type {object} */ more = {}, /** @type {string[]} */ others = []) => ({
  type: 'Unigram',
  unk_id: 0,
  byte_fallback: false,
  vocab: [...new Set([...SPECIAL, ...letterTokens, ...others])].map((token, i) => [
    token,
    i < 7 ? 0 : -1 - ((i * 37) % 101) / 9,
  ]),
  ...more,
});

/** @type {Record<string, any>} */
export const MODELS = {
  'BPE of bytes': bpe([...BYTES, ...byteMerges.made], byteMerges.merges),
  'BPE of bytes, pairs, ignore_merges': bpe([...BYTES, ...byteMerges.made, ...SHORT], pairs(byteMerges.merges), {
    ignore_merges: true,
  }),
  WordPiece: wordPiece({}),
  'WordPiece of short words': wordPiece({ max_input_chars_per_word: 5 }),
  WordLevel: { type: 'WordLevel', unk_token: '[UNK]', vocab: numbered([...SPECIAL, ...WORDS.filter((_, i) => i % 3)]) },
  BPE: bpe(letterTokens, letterMerges.merges),
  'BPE, unk_token': bpe(letterTokens, pairs(letterMerges.merges), { unk_token: '[UNK]' }),
  'BPE, fuse_unk': bpe(letterTokens, letterMerges.merges, { unk_token: '[UNK]', fuse_unk: true }),
  'BPE, byte_fallback': bpe([...FALLBACK, ...letterTokens], letterMerges.merges, {
    unk_token: '[UNK]',
    fuse_unk: true,
    byte_fallback: true,
  }),
  'BPE, byte_fallback of some bytes': bpe([...FALLBACK.filter((_, i) => i % 5), ...letterTokens], letterMerges.merges, {
    unk_token: '[UNK]',
    byte_fallback: true,
  }),
  'BPE, continuing_subword_prefix': bpe(
    [...KNOWN, ...KNOWN.map((letter) => `##${letter}`), ...prefixMerges.made],
    prefixMerges.merges,
    { unk_token: '[UNK]', continuing_subword_prefix: '##' },
  ),
  'BPE, end_of_word_suffix': bpe(
    [...letterTokens, ...letterTokens.map((token) => `${token}</w>`)],
    [...letterMerges.merges, ...letterMerges.merges.map((merge) => `${merge}</w>`)],
    { unk_token: '[UNK]', end_of_word_suffix: '</w>' },
  ),
  'BPE, ignore_merges': bpe(letterTokens, [], { unk_token: '[UNK]', ignore_merges: true }),
  Unigram: unigram(),
  'Unigram, byte_fallback': unigram({ byte_fallback: true }, FALLBACK),
};

const bert = (/** @type {object} */ more = {}) => ({
  type: 'BertNormalizer',
  clean_text: true,
  handle_chinese_chars: true,
  strip_accents: null,
  lowercase: true,
  ...more,
});
const of = (/** @type {string} */ type, /** @type {object} */ more = {}) => ({ type, ...more });
const replace = (/** @type {object} */ pattern, /** @type {string} */ content) => of('Replace', { pattern, content });
const norms = (/** @type {any[]} */ ...normalizers) => of('Sequence', { normalizers });

/** Rules that tell one letter, as a reader sees it, from several: the shortest key of it counts. */
const GRAPHEMES = Object.entries({
  ...{ a: '<a>', 'e\u0301': 'é', e: 'E', '\r\n': 'N', '\t': ' ', '\u0007': '', '\u0301': '^', ﬁ: 'fi', '½': '1⁄2' },
  ...{ क्: 'K', '👩': 'W', '\u1100\u1161': 'G', ｶﾞ: 'ガ', '🇬🇧': 'GB' },
});
const precompiled = (/** @type {Iterable<[string, string]>} */ rules) =>
  of('Precompiled', { precompiled_charsmap: Buffer.from(writeCharsmap(new Map(rules))).toString('base64') });

/** @type {Record<string, any>} */
export const NORMALIZERS = {
  none: null,
  BertNormalizer: bert(),
  'BertNormalizer, cased': bert({ lowercase: false }),
  'BertNormalizer, accents kept': bert({ strip_accents: false }),
  'BertNormalizer, accents alone': bert({
    strip_accents: true,
    lowercase: false,
    clean_text: false,
    handle_chinese_chars: false,
  }),
  'BertNormalizer, clean_text alone': bert({ lowercase: false, handle_chinese_chars: false }),
  'BertNormalizer, handle_chinese_chars alone': bert({ lowercase: false, clean_text: false }),
  Lowercase: of('Lowercase'),
  NFC: of('NFC'),
  NFD: of('NFD'),
  NFKC: of('NFKC'),
  NFKD: of('NFKD'),
  Precompiled: precompiled(GRAPHEMES),
  'Precompiled, of a real size': precompiled([...nfkcRules(), ...GRAPHEMES]),
  StripAccents: of('StripAccents'),
  'NFD, StripAccents, Lowercase': norms(of('NFD'), of('StripAccents'), of('Lowercase')),
  Strip: of('Strip', { strip_left: true, strip_right: true }),
  'Strip, left': of('Strip', { strip_left: true, strip_right: false }),
  'Strip, right': of('Strip', { strip_left: false, strip_right: true }),
  'Replace a text': replace({ String: ' ' }, '▁'),
  'Replace with $&': replace({ String: 'a' }, '<$&$1>'),
  'Replace with signs of a pattern': replace({ String: '.' }, ''),
  'Replace a pattern': replace({ Regex: '\\s+' }, ' '),
  'Replace a pattern with $1': replace({ Regex: '(a)(b)?' }, '$1\\1$&'),
  'Llama 2': norms(of('Prepend', { prepend: '▁' }), replace({ String: ' ' }, '▁')),
  Prepend: of('Prepend', { prepend: 'the ' }),
  Nmt: of('Nmt'),
  ByteLevel: of('ByteLevel'),
  'NFKC, Lowercase, Strip, Replace': norms(
    of('NFKC'),
    norms(of('Lowercase'), of('Strip', { strip_left: true, strip_right: true })),
    replace({ Regex: ' {2,}' }, ' '),
  ),
  'an empty Sequence': norms(),
};

/** Patterns that match nothing: the library in Rust panics if a step follows them. @type {Record<string, any>} */
export const ALONE = {
  'Replace nothing': replace({ Regex: 'x*' }, '-'),
  'Replace a border': replace({ Regex: '\\b' }, '|'),
  'Replace each line': replace({ Regex: '^\\s*|\\s*$' }, ';'),
};

const BEHAVIORS = ['Removed', 'Isolated', 'MergedWithPrevious', 'MergedWithNext', 'Contiguous'];
const byteLevel = (/** @type {object} */ more = {}) =>
  of('ByteLevel', { add_prefix_space: false, trim_offsets: true, use_regex: true, ...more });
const metaspace = (/** @type {object} */ more = {}) =>
  of('Metaspace', { replacement: '▁', prepend_scheme: 'always', split: true, ...more });
const split = (/** @type {object} */ pattern, behavior = 'Isolated', invert = false) =>
  of('Split', { pattern, behavior, invert });
const pres = (/** @type {any[]} */ ...pretokenizers) => of('Sequence', { pretokenizers });
const tail = byteLevel({ use_regex: false });

const ENDINGS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
export const SPACES = String.raw`\s*[\r\n]+|\s+(?!\S)|\s+`;
const [UPPER, LOWER] = [String.raw`\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}`, String.raw`\p{Ll}\p{Lm}\p{Lo}\p{M}`];
/** Patterns of published files, and others with all that is translated. */
export const PATTERNS = {
  'GPT-2': String.raw`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`,
  'Llama 3': String.raw`${ENDINGS}|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|${SPACES}`,
  Qwen: String.raw`${ENDINGS}|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|${SPACES}`,
  'Qwen 3.5': String.raw`${ENDINGS}|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|${SPACES}`,
  cl100k: [
    String.raw`'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*`,
    String.raw`\s*[\r\n]|\s+(?!\S)|\s+`,
  ].join('|'),
  o200k: [
    String.raw`[^\r\n\p{L}\p{N}]?[${UPPER}]*[${LOWER}]+${ENDINGS}?|[^\r\n\p{L}\p{N}]?[${UPPER}]+[${LOWER}]*${ENDINGS}?`,
    String.raw`\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|${SPACES}`,
  ].join('|'),
  DeepSeek:
    String.raw`[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_{|}~` +
    '`' +
    String.raw`][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|${SPACES}`,
  'DeepSeek, of Chinese': '[一-龥぀-ゟ゠-ヿ]+',
  Kimi: [
    String.raw`[\p{Han}]+|[^\r\n\p{L}\p{N}]?[${UPPER}&&[^\p{Han}]]*[${LOWER}&&[^\p{Han}]]+${ENDINGS}?`,
    String.raw`[^\r\n\p{L}\p{N}]?[${UPPER}&&[^\p{Han}]]+[${LOWER}&&[^\p{Han}]]*${ENDINGS}?|\p{N}{1,3}|${SPACES}`,
  ].join('|'),
  BLOOM: String.raw` ?[^(\s|[.,!?…。，、।۔،])]+`,
  Falcon: '[0-9][0-9][0-9]',
  'digits from the right': String.raw`\p{N}{1,3}(?=(?:\p{N}{3})*(?:\P{N}|$))`,
  CLIP: String.raw`'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+`,
  XLM: ' {2,}',
  SigLIP: String.raw`^\s+|\s+$`,
  words: String.raw`\w+|[^\w\s]+`,
  'what is no word': String.raw`\W`,
  lines: String.raw`(?<=\n)|\Aa|b\z|\n\Z`,
  lazy: 'a+?|b{1,2}?|<.*?>',
  kept: '(?>a+)b|a++|(?:ab)*+',
  named: String.raw`[[:punct:]]+|[[:alpha:]&&[^a-m]]|\p{^L}\P{^N}|\p{Script_Extensions}`,
  'named otherwise': String.raw`[[:punct:]]+|[[:alpha:]&&[^a-m]]|\p{^L}[^[:^digit:]]|\p{greek}+|[\p{Lu}]|\h{2}`,
  caseless: '(?i)the|d[o-q]G|k|s|[^a-z]x',
  'caseless within': 'a(?i)b|c',
  'letters by number': String.raw`\x61|\u0062|\x{1F642}|\t|[\x{4e00}-\x{9fff}]+`,
  counts: 'a{,2}b|a{2}|(?:ab){1,}|x{0}y',
  'joined letters under (?i)': '(?i)ss|ﬁ',
  'a loop of nothing': '(?:a?|b)*c',
  lookarounds: String.raw`(?<!a)b|(?<=\s)\S|(?=[A-Z])|\B`,
  nothing: '',
};

/** @type {Record<string, any>} */
export const PRE_TOKENIZERS = {
  none: null,
  BertPreTokenizer: of('BertPreTokenizer'),
  Whitespace: of('Whitespace'),
  WhitespaceSplit: of('WhitespaceSplit'),
  ByteLevel: byteLevel(),
  'ByteLevel, add_prefix_space': byteLevel({ add_prefix_space: true }),
  'ByteLevel, no use_regex': tail,
  'ByteLevel, add_prefix_space, no use_regex': byteLevel({ add_prefix_space: true, use_regex: false }),
  ...Object.fromEntries(
    ['always', 'first', 'never'].flatMap((prepend_scheme) =>
      [true, false].map((isSplit) => [
        `Metaspace, ${prepend_scheme}${isSplit ? ', split' : ''}`,
        metaspace({ prepend_scheme, split: isSplit }),
      ]),
    ),
  ),
  'Metaspace of 2023': of('Metaspace', { replacement: '▁', add_prefix_space: true }),
  'Metaspace of 2023, without': of('Metaspace', { replacement: '_', add_prefix_space: false }),
  'WhitespaceSplit, Metaspace': pres(of('WhitespaceSplit'), metaspace()),
  'WhitespaceSplit, Metaspace first': pres(of('WhitespaceSplit'), metaspace({ prepend_scheme: 'first' })),
  ...Object.fromEntries(
    BEHAVIORS.flatMap((behavior) => [
      [`Punctuation, ${behavior}`, of('Punctuation', { behavior })],
      ...[false, true].flatMap((invert) => [
        [`Split a text, ${behavior}${invert ? ', invert' : ''}`, split({ String: 'e' }, behavior, invert)],
        [`Split a pattern, ${behavior}${invert ? ', invert' : ''}`, split({ Regex: "[\\s']" }, behavior, invert)],
      ]),
      [`Split nothing, ${behavior}`, split({ Regex: 'a*' }, behavior)],
    ]),
  ),
  'Split no text': split({ String: '' }),
  'Split signs of a pattern': split({ String: '.' }, 'Removed'),
  Punctuation: of('Punctuation'),
  Digits: of('Digits', { individual_digits: false }),
  'Digits, individual': of('Digits', { individual_digits: true }),
  CharDelimiterSplit: of('CharDelimiterSplit', { delimiter: 'e' }),
  'CharDelimiterSplit beyond U+FFFF': of('CharDelimiterSplit', { delimiter: '🙂' }),
  SmolLM: pres(of('Digits', { individual_digits: true }), byteLevel()),
  Falcon: pres(
    of('Punctuation', { behavior: 'Contiguous' }),
    byteLevel(),
    of('Digits', { individual_digits: false }),
    split({ Regex: '[0-9][0-9][0-9]' }),
  ),
  Gemma: split({ String: ' ' }, 'MergedWithPrevious'),
  UnicodeScripts: of('UnicodeScripts'),
  'a Sequence in a Sequence': pres(
    pres(of('WhitespaceSplit'), of('Punctuation')),
    of('Digits', { individual_digits: true }),
  ),
  ...Object.fromEntries(
    Object.entries(PATTERNS).map(([name, Regex]) => [`Split ${name}`, pres(split({ Regex }), tail)]),
  ),
};

const piece = (/** @type {string} */ id, type_id = 0) =>
  /^[AB]$/.test(id) ? { Sequence: { id, type_id } } : { SpecialToken: { id, type_id } };
const template = (/** @type {any[]} */ single, /** @type {any[]} */ pair) =>
  of('TemplateProcessing', {
    single,
    pair,
    special_tokens: Object.fromEntries(
      SPECIAL.map((id, i) => [id, { id, ids: id === '<s>' ? [i, 0] : [i], tokens: id === '<s>' ? [id, id] : [id] }]),
    ),
  });
const bertTemplate = template(
  [piece('[CLS]'), piece('A'), piece('[SEP]')],
  [piece('[CLS]'), piece('A'), piece('[SEP]'), piece('B', 1), piece('[SEP]', 1)],
);
const trim = { trim_offsets: true, add_prefix_space: true };

/** @type {Record<string, any>} */
export const PROCESSORS = {
  none: null,
  TemplateProcessing: bertTemplate,
  'TemplateProcessing of two ids': template(
    [piece('A', 3), piece('<s>', 2)],
    [piece('B', 1), piece('<s>', 4), piece('A')],
  ),
  'TemplateProcessing without the second': template([piece('A')], [piece('A'), piece('[SEP]', 1), piece('A', 1)]),
  BertProcessing: of('BertProcessing', { sep: ['[SEP]', 2], cls: ['[CLS]', 1] }),
  RobertaProcessing: of('RobertaProcessing', { sep: ['</s>', 5], cls: ['<s>', 4], ...trim }),
  ByteLevel: byteLevel(),
  'Llama 3': of('Sequence', { processors: [byteLevel(), bertTemplate] }),
  'RobertaProcessing, ByteLevel': of('Sequence', {
    processors: [of('RobertaProcessing', { sep: ['</s>', 5], cls: ['<s>', 4], ...trim }), byteLevel()],
  }),
  'two templates': of('Sequence', {
    processors: [bertTemplate, of('RobertaProcessing', { sep: ['</s>', 5], cls: ['<s>', 4], ...trim })],
  }),
};

const wordDecoder = (/** @type {boolean} */ cleanup) => of('WordPiece', { prefix: '##', cleanup });
const decs = (/** @type {any[]} */ ...decoders) => of('Sequence', { decoders });

/** @type {Record<string, any>} */
export const DECODERS = {
  none: null,
  ByteLevel: byteLevel(),
  WordPiece: wordDecoder(true),
  'WordPiece without cleanup': wordDecoder(false),
  Metaspace: metaspace(),
  'Metaspace, never': metaspace({ prepend_scheme: 'never' }),
  BPEDecoder: of('BPEDecoder', { suffix: '</w>' }),
  'BPEDecoder without suffix': of('BPEDecoder', { suffix: '' }),
  'Llama 2': decs(
    replace({ String: '▁' }, ' '),
    of('ByteFallback'),
    of('Fuse'),
    of('Strip', { content: ' ', start: 1, stop: 0 }),
  ),
  ByteFallback: of('ByteFallback'),
  Fuse: of('Fuse'),
  'Replace a pattern': decs(replace({ Regex: '[aeiou]?' }, '$&_'), of('Fuse')),
  'Fuse, Strip': decs(of('Fuse'), of('Strip', { content: 'a', start: 2, stop: 0 })),
  CTC: of('CTC', { pad_token: '<pad>', word_delimiter_token: '|', cleanup: true }),
};

/** New ones are counted from the size of the vocabulary. @param {Map<string, number>} vocab @param {any[]} tokens */
const counted = (vocab, tokens) => {
  let next = vocab.size;
  return tokens.map((token) => ({ ...token, id: vocab.get(token.content) ?? next++ }));
};
const specials = SPECIAL.map((content, id) => added(content, id));

/** Added tokens, by those of the model. @type {Record<string, (vocab: Map<string, number>) => any[]>} */
const ADDED = {
  none: () => [],
  special: () => specials,
  'special, strip': () => specials.map((token, i) => ({ ...token, lstrip: i % 2 === 1, rstrip: i % 3 > 0 })),
  words: (vocab) =>
    counted(vocab, [
      ...specials,
      ...['mask', 'ask', 'the', 'dog creek', ' the', 'ΣΑΣ', '😀'].map((content, i) =>
        added(content, 0, { special: false, single_word: i % 2 === 0 }),
      ),
    ]),
  'normalized words': (vocab) =>
    counted(vocab, [
      ...specials,
      ...['MASK', 'Naïve', 'the', 'größe', 'größer', '½', 'creek'].map((content, i) =>
        added(content, 0, {
          special: i === 3,
          normalized: true,
          single_word: i % 3 === 0,
          lstrip: i === 2,
          rstrip: i > 4,
        }),
      ),
    ]),
  'other ids': (vocab) => [...specials, added('new', vocab.size + 5)],
};

/** Files of each model that is read here, as published, and which steps each has. */
export const PUBLISHED = {
  BERT: ['WordPiece', 'BertNormalizer', 'BertPreTokenizer', 'TemplateProcessing', 'WordPiece', 'special'],
  'BERT, cased': ['WordPiece', 'BertNormalizer, cased', 'BertPreTokenizer', 'BertProcessing', 'WordPiece', 'special'],
  'GPT-2': ['BPE of bytes', 'none', 'ByteLevel', 'ByteLevel', 'ByteLevel', 'special'],
  OPT: ['BPE of bytes', 'none', 'ByteLevel', 'TemplateProcessing', 'ByteLevel', 'special'],
  RoBERTa: ['BPE of bytes', 'none', 'ByteLevel', 'RobertaProcessing', 'ByteLevel', 'special, strip'],
  'Llama 2': ['BPE, byte_fallback', 'Llama 2', 'none', 'TemplateProcessing', 'Llama 2', 'special'],
  'Mistral, Llama 2 of 2024': [
    'BPE, byte_fallback',
    'none',
    'Metaspace, first',
    'TemplateProcessing',
    'Llama 2',
    'special',
  ],
  'Llama 3': ['BPE of bytes, pairs, ignore_merges', 'none', 'Split Llama 3', 'Llama 3', 'ByteLevel', 'special'],
  Qwen: ['BPE of bytes', 'NFC', 'Split Qwen', 'ByteLevel', 'ByteLevel', 'words'],
  SmolLM: ['BPE of bytes', 'none', 'SmolLM', 'none', 'ByteLevel', 'special'],
  Gemma: ['BPE, byte_fallback', 'Replace a text', 'Gemma', 'TemplateProcessing', 'Llama 2', 'special'],
  GPT4: ['BPE of bytes, pairs, ignore_merges', 'none', 'Split cl100k', 'none', 'ByteLevel', 'special'],
  'DeepSeek, o200k': ['BPE of bytes', 'none', 'Split o200k', 'none', 'ByteLevel', 'special'],
  'WordLevel, Whitespace': ['WordLevel', 'Lowercase', 'Whitespace', 'none', 'none', 'special'],
  'XLM-R, T5': [
    'Unigram',
    'Precompiled, of a real size',
    'WhitespaceSplit, Metaspace',
    'TemplateProcessing',
    'Metaspace',
    'special',
  ],
};

/** @param {string[]} names of the model, normalizer, pre-tokenizer, processor, decoder and added tokens */
export function fileOf([model, normalizer, pre, processor, decoder, tokens]) {
  const vocab = MODELS[model].vocab;
  const ids = new Map(Array.isArray(vocab) ? vocab.map(([token], id) => [token, id]) : Object.entries(vocab));
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: ADDED[tokens](ids),
    normalizer: NORMALIZERS[normalizer] ?? ALONE[normalizer] ?? null,
    pre_tokenizer: PRE_TOKENIZERS[pre],
    post_processor: PROCESSORS[processor],
    decoder: DECODERS[decoder],
    model: MODELS[model],
  };
}

/**
 * Names of the steps of each file: those that are published, and each step of a kind with each of others in turn.
 * @param {number} count
 * @param {number} [seed]
 * @returns {string[][]}
 */
export function gridOf(count, seed = 1) {
  const random = randomOf(seed);
  const kinds = [MODELS, NORMALIZERS, PRE_TOKENIZERS, PROCESSORS, DECODERS, ADDED].map((kind) => Object.keys(kind));
  // Each kind goes round in its own order, so that every step comes up, and with others each time.
  const rounds = kinds.map((names) => ({ names, left: /** @type {string[]} */ ([]) }));
  const next = (/** @type {{names: string[], left: string[]}} */ round) => {
    if (!round.left.length) round.left = [...round.names];
    return round.left.splice(random(round.left.length), 1)[0];
  };
  return [...Object.values(PUBLISHED), ...Array.from({ length: count }, () => rounds.map(next))];
}
