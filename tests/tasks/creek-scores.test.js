import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Random, creek, neuronPurity, placeLabels, randomPurity, valueWords } from '../../src/tasks/index.js';
import { NOUNS, adjectivesOf, parse, verbsOf } from './creek-checker.js';
import { perfect, rowsOf, uniformMaps } from './helpers.js';

const heldOut = creek.heldOut(3, { limit: 100 });
const { vocabulary } = creek;
const probes = Object.values(heldOut.columns).flat();
const decode = (row) => vocabulary.decode(row.filter((id) => id > 0));

/** Logits of all zeros but where `say` names a token: there it is likely. */
function speaker(say, maps = uniformMaps) {
  return (batch, request) => {
    const [B, T] = batch.ids.shape;
    const data = new Float32Array(B * T * vocabulary.size);
    rowsOf(batch.ids).forEach((row, b) =>
      row.forEach((_, t) => {
        const id = say(row, t);
        if (id >= 0) data[(b * T + t) * vocabulary.size + id] = 20;
      }),
    );
    return { logits: { data, shape: [B, T, vocabulary.size] }, maps: request.maps ? maps(batch) : undefined };
  };
}

/** Knows what pronouns of visible sentences stand for, by the checker. */
function resolve(row, t) {
  const words = decode(row).split(' ');
  const parts = parse(words.join(' '));
  const pronouns = words.flatMap((word, at) =>
    ['it', 'they', 'them', 'he', 'she', 'him', 'her'].includes(word) ? [at] : [],
  );
  return parts && pronouns.includes(t) ? vocabulary.id(parts.antecedents[pronouns.indexOf(t)]) : -1;
}

describe('creek: columns', () => {
  test('each asks what it says', () => {
    assert.deepEqual(Object.keys(heldOut.columns), [...creek.columns]);
    assert.equal(creek.columns.length, 8);
    for (const [name, list] of Object.entries(heldOut.columns)) {
      assert.equal(
        list.reduce((sum, { questions }) => sum + questions.length, 0),
        100,
        name,
      );
      for (const { batch, questions } of list) {
        const rows = rowsOf(batch.ids);
        assert.deepEqual(
          questions.map(({ row }) => row),
          [...rows.keys()],
          'one question a sentence',
        );
        for (const { row, at, accepts, links, keys } of questions) {
          assert.equal(rows[row][at] === vocabulary.id('[MASK]'), name.endsWith('_masked'), name);
          assert.equal(keys, rows[row].filter((id) => id > 0).length);
          const words = accepts.map((id) => vocabulary.token(id));
          const linked = vocabulary.token(rows[row][links[0]]);
          if (name.endsWith('visible') || name === 'wino_decided') {
            assert.deepEqual(accepts, [resolve(rows[row], at)]);
            assert.deepEqual(words, [linked]);
          }
          if (name.startsWith('wino')) assert.equal(parse(decode(rows[row])).family, 'F2');
          if (name === 'be_masked') assert.equal(words[0], NOUNS[linked]?.plural || linked === 'they' ? 'were' : 'was');
          if (name.endsWith('adj_masked')) assert.deepEqual(words, adjectivesOf(linked));
          if (name === 'verb_masked') assert.deepEqual([...words].sort(), verbsOf(linked).sort());
        }
      }
    }
  });

  test('a perfect predictor scores 1, its head 1, without the head 0; others attend evenly', async () => {
    const flips = speaker(resolve);
    const answers = perfect(probes);
    const predict = (batch, request) =>
      (probes.some((probe) => probe.batch === batch) ? answers : flips)(batch, request);
    const { columns } = await creek.score(predict, heldOut, { ablate: true });
    for (const [name, score] of Object.entries(columns)) {
      assert.deepEqual([score.accuracy, score.ablated, score.count], [1, 0, 100], name);
      assert.deepEqual(score.best, { layer: 1, head: 1, mass: 1, top1: 1 });
      assert.equal(score.heads.length, 4);
      assert(Math.abs(score.heads[0].mass - score.chance) < 1e-6);
      assert(score.chance > 1 / 17 && score.chance < 1 / 4);
    }
  });

  test('without maps there are accuracies only; wrong shapes are refused', async () => {
    const mute = (batch, request) => ({ ...speaker(resolve)(batch, request), maps: undefined });
    const { columns, flip, pronoun } = await creek.score(mute, heldOut, { ablate: true });
    assert.equal(columns.pron_visible.accuracy, 1);
    assert.deepEqual(
      [columns.pron_visible.best, columns.pron_visible.ablated, flip.best, pronoun.best],
      [null, null, null, null],
    );
    assert.equal(columns.adj_masked.accuracy, 0);
    await assert.rejects(
      creek.score(() => ({ logits: { data: [], shape: [2, 3] } }), heldOut),
      { code: 'shape', parameter: 'predict(...).logits' },
    );
    await assert.rejects(
      creek.score(() => ({ argmax: [1, 2] }), heldOut),
      { code: 'shape', parameter: 'predict(...).argmax' },
    );
    const bent = (batch, request) => ({ ...mute(batch, request), maps: [{ data: [], shape: [1, 2, 3, 4] }] });
    await assert.rejects(creek.score(bent, heldOut), { code: 'shape', parameter: 'predict(...).maps' });
  });
});

describe('creek: flip measure', () => {
  test('300 pairs that differ in the adjective alone', () => {
    assert.equal(
      heldOut.pairs.reduce((sum, { pairs }) => sum + pairs.length, 0),
      300,
    );
    for (const { batch, pairs } of heldOut.pairs) {
      const rows = rowsOf(batch.ids);
      pairs.forEach(({ it, agent, object }, i) => {
        const [one, two] = [rows[2 * i], rows[2 * i + 1]];
        assert.deepEqual(
          one.flatMap((id, at) => (id === two[at] ? [] : [at])),
          [it + 2],
        );
        assert.equal(vocabulary.token(one[it]), 'it');
        assert.deepEqual(
          [vocabulary.token(one[agent]), vocabulary.token(one[object])],
          [parse(decode(one)).antecedents[0], parse(decode(two)).antecedents[0]],
        );
      });
    }
  });

  test('1 for a head that turns to what is meant, 0 for one that attends evenly or to one noun', async () => {
    const predict = speaker(resolve, (batch) => {
      const [B, T] = batch.ids.shape;
      const data = new Float32Array(B * 3 * T * T);
      rowsOf(batch.ids).forEach((row, b) => {
        const words = decode(row).split(' ');
        const it = words.indexOf('it');
        if (it < 0) return;
        const {
          agent,
          object,
          antecedents: [which],
        } = parse(words.join(' ')) ?? { antecedents: ['the'] };
        const at = (head) => ((b * 3 + head) * T + it) * T;
        data[at(0) + words.indexOf(which)] = 0.75;
        if (object) data[at(1) + words.indexOf(object)] = 0.5;
        // the wrong way round
        if (object) data[at(2) + words.indexOf(which === agent ? object : agent)] = 1;
      });
      return [{ data, shape: [B, 3, T, T] }];
    });
    const { flip, pronoun } = await creek.score(predict, heldOut);
    assert.deepEqual([flip.both, flip.count], [1, 300]);
    assert.deepEqual(
      flip.heads.map((head) => head.flip),
      [1, 0, 0],
    );
    assert.deepEqual(flip.best, { layer: 0, head: 0, flip: 1, toAgent: [0.75, 0], toObject: [0, 0.75] });
    assert.deepEqual(flip.heads[1].toObject, [0.5, 0.5]);
    assert.deepEqual(pronoun.best, { layer: 0, head: 0, mass: 0.75 });
    assert(pronoun.probability > 0.999);
  });

  test('answers that never turn are right for no pair', async () => {
    const { flip } = await creek.score(
      speaker((row, t) => (vocabulary.token(row[t]) === 'it' ? row[1] : -1)),
      heldOut,
    );
    assert.equal(flip.both, 0);
    assert(flip.heads.every((head) => head.flip === 0));
  });
});

describe('creek: pseudo-log-likelihood', () => {
  test("is the sum of the hidden words' log-probabilities", async () => {
    const uniformly = await creek.pseudoLogLikelihood(
      speaker(() => -1),
      'the cat sat on the mat .',
    );
    assert(Math.abs(uniformly + 7 * Math.log(147)) < 1e-9);
    const cat = vocabulary.ids('the cat sat on the mat .'.split(' '));
    const knows = speaker((_, t) => cat[t] ?? -1);
    assert((await creek.pseudoLogLikelihood(knows, 'the cat sat on the mat .')) > -1e-3);
    const { order } = await creek.score(knows, heldOut);
    assert(Math.abs(order.difference - 40) < 0.01, 'two words are wrong by 20 each');
    await assert.rejects(creek.pseudoLogLikelihood(knows, 'the cow sat .'), { code: 'unknown', value: 'cow' });
  });

  test('hides one word at a time', async () => {
    const seen = [];
    await creek.pseudoLogLikelihood((batch, request) => {
      seen.push(...rowsOf(batch.ids).map(decode));
      return speaker(() => -1)(batch, request);
    }, 'the cat sat .');
    assert.deepEqual(seen, ['[MASK] cat sat .', 'the [MASK] sat .', 'the cat [MASK] .', 'the cat sat [MASK]']);
  });
});

describe('purity', () => {
  const sentences = heldOut.sentences.slice(0, 1500);
  const labels = placeLabels(sentences);

  test('labels say word, class, number and what a pronoun stands for', () => {
    const sentence = sentences.find(({ family }) => family === 'F1');
    const of = (role) => placeLabels([sentence])[sentence.tokens.findIndex((token) => token.role === role)];
    const object = sentence.tokens[1];
    const number = object.plural ? 'plural' : 'singular';
    assert.deepEqual(of('noun'), [`word ${object.word}`, `${object.kind} noun`, `${number} noun`]);
    assert.deepEqual(of('word'), ['word the']);
    assert.equal(of('pronoun')[1], 'pronoun');
    assert.deepEqual(of('pronoun').slice(2), [`pronoun for ${object.kind}`, `pronoun for ${number}`]);
    assert.match(of('verb')[1], /^(animal|human|water|wood|food|toy|place) verb$/);
  });

  test('neurons of one kind have purity 1 and F1 1, a blind one about what random places have', () => {
    const random = new Random(5);
    const data = labels.flatMap((own) => [
      Number(own.includes('water noun')) * (1 + random.uniform()),
      random.uniform(),
      Number(own.includes('pronoun')),
      0,
    ]);
    const scores = neuronPurity({ data, shape: [labels.length, 4] }, labels);
    assert.deepEqual([scores[0].label, scores[0].purity, scores[0].f1], ['water noun', 1, 1]);
    assert.deepEqual([scores[2].label, scores[2].purity, scores[2].f1], ['pronoun', 1, 1]);
    assert.equal(scores[0].strongest.length, 40);
    const { strongest } = scores[1];
    assert(strongest.every((place, i) => i === 0 || data[strongest[i - 1] * 4 + 1] >= data[place * 4 + 1]));
    const chances = Array.from({ length: 200 }, () => randomPurity(labels, random));
    const chance = chances.reduce((a, b) => a + b, 0) / 200;
    assert(chance > 0.17 && chance < 0.27, `${chance}`);
    assert(scores[1].purity < 0.4);
    assert.throws(() => neuronPurity({ data, shape: [3, 4] }, labels), { code: 'shape', parameter: 'activations' });
  });

  test('value words are those that the vector points at', () => {
    const embedding = { data: [1, 0, 0, 1, 1, 1, -1, 0], shape: [4, 2] };
    const linear2 = { data: [1, 0, 0.5, 1], shape: [2, 2] };
    assert.deepEqual(valueWords(embedding, linear2, 0, 3), [2, 0, 1]);
    assert.deepEqual(valueWords(embedding, linear2, 1, 2), [1, 2]);
    assert.throws(() => valueWords(embedding, { data: [1], shape: [1, 1] }, 0), {
      code: 'shape',
      parameter: 'linear2',
    });
    assert.throws(() => valueWords(embedding, linear2, 2), { code: 'range', parameter: 'neuron', value: 2 });
  });
});
