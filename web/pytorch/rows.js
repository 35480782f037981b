// The rows of a task in Python: the page's own, from the same generator and the same seed.

/** @typedef {{about: string[], imports: string[], lines: string[]}} Rows */

/** As src/tasks/random.js and src/kernel/rng.c. */
const RANDOM = [
  `class Random:`,
  `    """xoshiro128++, its state filled by splitmix64: the page's random numbers."""`,
  ``,
  `    def __init__(self, seed, stream):`,
  `        low = 0x811C9DC5`,
  `        for character in stream:`,
  `            low = (low ^ ord(character)) * 0x01000193 & 0xFFFFFFFF`,
  `        x, self.state = seed << 32 | low, []`,
  `        for _ in range(2):`,
  `            x = x + 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF`,
  `            z = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & 0xFFFFFFFFFFFFFFFF`,
  `            z = (z ^ z >> 27) * 0x94D049BB133111EB & 0xFFFFFFFFFFFFFFFF`,
  `            z ^= z >> 31`,
  `            self.state += [z & 0xFFFFFFFF, z >> 32]`,
  `        self.state[3] |= 1`,
  ``,
  `    def next(self):`,
  `        a, b, c, d = self.state`,
  `        total = a + d & 0xFFFFFFFF`,
  `        result = (total << 7 & 0xFFFFFFFF | total >> 25) + a & 0xFFFFFFFF`,
  `        c ^= a`,
  `        d ^= b`,
  `        self.state = [a ^ d, b ^ c, c ^ b << 9 & 0xFFFFFFFF, d << 11 & 0xFFFFFFFF | d >> 21]`,
  `        return result`,
  ``,
  `    def integer(self, n):`,
  `        end = 2**32 - 2**32 % n`,
  `        x = self.next()`,
  `        while x >= end:`,
  `            x = self.next()`,
  `        return x % n`,
  ``,
  `    def shuffle(self, items):`,
  `        items = list(items)`,
  `        for i in range(len(items) - 1, 0, -1):`,
  `            j = self.integer(i + 1)`,
  `            items[i], items[j] = items[j], items[i]`,
  `        return items`,
];

/** As src/tasks/split.js. */
const HELD_OUT = [
  `def is_held_out(ids):`,
  `    """A tenth of all rows, chosen by a hash, is never trained on."""`,
  `    h = 0x5EED`,
  `    for k in ids:`,
  `        k = k * 0xCC9E2D51 & 0xFFFFFFFF`,
  `        h ^= (k << 15 & 0xFFFFFFFF | k >> 17) * 0x1B873593 & 0xFFFFFFFF`,
  `        h = (h << 13 & 0xFFFFFFFF | h >> 19) * 5 + 0xE6546B64 & 0xFFFFFFFF`,
  `    h ^= len(ids)`,
  `    h = (h ^ h >> 16) * 0x85EBCA6B & 0xFFFFFFFF`,
  `    h = (h ^ h >> 13) * 0xC2B2AE35 & 0xFFFFFFFF`,
  `    return h ^ h >> 16 < 0.1 * 2**32`,
];

/** @param {string} answer in Python, of the digits */
const digits = (answer) => [
  `def draw(random):`,
  `    digits = [random.integer(10) for _ in range(8)]`,
  `    return digits, ${answer}`,
];

/** How a row is drawn, as src/tasks/ does it: ids and targets. @type {Record<string, string[]>} */
const DRAW = {
  copy: digits('digits'),
  reverse: digits('digits[::-1]'),
  sort: digits('sorted(digits)'),
  'reverse-variable': [
    `def draw(random):`,
    `    count = 4 + random.integer(7)`,
    `    digits = [ZERO + random.integer(10) for _ in range(count)]`,
    `    return digits + [END], digits[::-1] + [IGNORE]`,
  ],
  order: [
    `def draw(random):`,
    `    """Six letters with one A (0) and one B (1); asked at [CLS] (12) is which comes first."""`,
    `    letters = random.shuffle([0, 1] + [2 + random.integer(10) for _ in range(4)])`,
    `    return letters + [12], [IGNORE] * 6 + [0 if letters.index(0) < letters.index(1) else 1]`,
  ],
  addition: [
    `held_out_pairs = Random(0, "addition 2").shuffle([1] * 1000 + [0] * 9000)`,
    ``,
    ``,
    `def draw(random):`,
    `    """12+34= and the sum, its last digit first; 0 is a blank, digits are 1 to 10, + is 11, = is 12."""`,
    `    pair = random.integer(10000)`,
    `    a, b = divmod(pair, 100)`,
    `    text = f"{a:02}+{b:02}=" + f"{a + b:03}"[::-1]`,
    `    ids = ["_0123456789+=".index(character) for character in text]`,
    `    return ids[:-1], [IGNORE] * 5 + ids[6:], held_out_pairs[pair]`,
  ],
  induction: [
    `def draw(random):`,
    `    """A unit of 3 to 8 letters, again and again; asked from its second time on."""`,
    `    period = 3 + random.integer(6)`,
    `    unit = random.shuffle(range(16))[:period]`,
    `    ids = [unit[place % period] for place in range(25)]`,
    `    return ids[:-1], [ids[place + 1] if place + 1 > period else IGNORE for place in range(24)]`,
  ],
};

const BOUND = 1000; // words, of a text of one's own
const LENGTH = 32; // tokens

/** @param {string} level @returns {string[]} */
const ownRows = (level) => [
  `def all_rows():`,
  `    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "text.txt")`,
  `    with open(path, encoding="utf-8", newline="") as file:`,
  `        text = file.read()`,
  ...(level === 'words'
    ? [`    tokens = re.findall(r"\\[[^\\s\\[\\]]+\\]|[^\\s.,!?;:]+|[.,!?;:]", text.lower())`]
    : [`    tokens = list(re.sub(r" ?\\n\\s*", "\\n", re.sub(r"[^\\S\\n]+", " ", text)))`]),
  `    words = [word for word, _ in collections.Counter(tokens).most_common()]  # of equals the earlier one first`,
  `    if len(words) > ${BOUND}:`,
  `        words = words[: ${BOUND - 1}] + ["[UNK]"]`,
  `    assert len(words) == WORDS, "text.txt is not the text of this run"`,
  `    id_of = {word: i for i, word in enumerate(words)}`,
  `    ids = [id_of.get(token, WORDS - 1) for token in tokens]`,
  `    trained = len(ids) - math.ceil(len(ids) * 0.1)  # the last tenth is kept for the test`,
  `    random = Random(SEED, "text batches")`,
  `    while True:`,
  `        start = random.integer(trained - ${LENGTH})`,
  `        yield ids[start : start + ${LENGTH}], ids[start + 1 : start + ${LENGTH + 1}]`,
];

/** From a file that Node writes. */
const FILED = [
  `def all_rows():`,
  `    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "rows.json")) as file:`,
  `        yield from json.load(file)`,
];

/** @param {string} task @param {number} seed @param {number} count @returns {string[]} */
const nodeLines = (task, seed, count) => [
  `import { writeFileSync } from 'node:fs';`,
  `import { ${task} as task } from 'glassformer/tasks';`,
  `const rows = [];`,
  `for (const { ids, padding, targets } of task.batches(${seed})) {`,
  `  const [many, width] = ids.shape;`,
  `  for (let row = 0; row < many; row++) {`,
  `    const length = width - (padding?.data.subarray(row * width, (row + 1) * width).filter(Boolean).length ?? 0);`,
  `    rows.push([ids, targets].map(({ data }) => [...data.subarray(row * width, row * width + length)]));`,
  `  }`,
  `  if (rows.length >= ${count}) break;`,
  `}`,
  `writeFileSync('rows.json', JSON.stringify(rows));`,
];

const SAME = `The rows are the page's own, drawn by the same generator from the same seed.`;

/**
 * @param {string} task
 * @param {{seed: number, count: number, level: string}} run `count`: rows that it takes
 * @returns {Rows}
 */
export function rowsOf(task, { seed, count, level }) {
  const blank = [``, ``];
  if (task === 'text')
    return {
      about: [
        `The text is to lie beside this script as text.txt, as it was used on the page; the rows are the page's own.`,
        ``,
      ],
      imports: [`import collections`, `import re`],
      lines: [...RANDOM, ...blank, ...ownRows(level)],
    };
  if (!Object.hasOwn(DRAW, task))
    return {
      about: [`The rows come from rows.json beside this script, which these lines of Node write (rows.mjs):`, ``]
        .concat(nodeLines(task, seed, count).map((line) => `    ${line}`))
        .concat(``),
      imports: [],
      lines: FILED,
    };
  const isPair = task === 'addition';
  return {
    about: [SAME, ``],
    imports: [],
    lines: [
      ...RANDOM,
      ...(isPair ? [] : [...blank, ...HELD_OUT]),
      ...blank,
      ...(task === 'reverse-variable' ? [`END, ZERO = 1, 2  # 0 fills up`, ...blank] : []),
      ...DRAW[task],
      ...blank,
      `def all_rows():`,
      `    random = Random(SEED, "${task} batches")`,
      `    while True:`,
      ...(isPair
        ? [`        ids, targets, held_out = draw(random)`, `        if not held_out:`]
        : [`        ids, targets = draw(random)`, `        if not is_held_out(ids):`]),
      `            yield ids, targets`,
    ],
  };
}
