// The work of `workers` besides training: passes of GPT-2's shape on one thread and on two.
import { paired } from './harness.js';

const TOKENS = 4;

/**
 * @param {{config: any, lengths: number[], effort?: object}} options
 * @returns {Promise<{pass: string, workers: number, median: number, samples: number[]}[]>} milliseconds
 */
export default async function work({ config, lengths, effort }) {
  const { load } = await import('../../dist/js/worker.js');
  const engines = [await load(), await load({ threads: 2 })];
  const models = [];
  for (const gf of engines) models.push(await gf.createModel(config));
  const rows = [];
  let turn = 0;
  for (const length of [1, ...lengths]) {
    // Each time another first token, so that no pass goes on from the last; with the cache it goes on from 16 tokens.
    const ids = () => Array.from({ length }, (_, i) => (997 * i + (i ? 0 : turn++)) % config.vocabulary);
    const prompt = Array.from({ length: 16 }, (_, i) => (997 * i) % config.vocabulary);
    // A prompt is kept but for its last token.
    const calls = models.map((model) =>
      length > 1 ? () => model.forward({ ids: ids() }) : () => model.generateSync({ ids: prompt, maxTokens: TOKENS }),
    );
    const times = await paired(Object.fromEntries(calls.map((call, i) => [`${engines[i].threads}`, call])), effort);
    const each = length > 1 ? 1 : TOKENS;
    for (const [workers, { median, samples }] of Object.entries(times)) {
      const pass = length > 1 ? `${length} tokens` : 'a token with the cache';
      rows.push({ pass, workers: Number(workers), median: median / each, samples: samples.map((ms) => ms / each) });
    }
  }
  for (const gf of engines) gf.terminate();
  return rows;
}
