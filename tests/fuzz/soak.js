// Its short form is soak.test.js.
import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { load } from 'glassformer';
import { Random } from 'glassformer/tasks';

export const about = 'models made, run, trained and freed in one engine, whose memory stays as it is';
export const long = 100_000;

/** Models that come round again; after the first rounds memory has its final size. */
const ROUND = 50;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

/** Bytes of JavaScript's heap that something still holds. */
function heldBytes() {
  collect();
  return process.memoryUsage().heapUsed;
}

/** @param {{count: number, seed: number}} options */
export async function run({ count, seed }) {
  const gf = await load();
  const random = new Random(seed);
  const ids = [[1, 2, 3, 0]];
  let settled = 0;
  let heap = 0;
  for (let i = 0; i < count; i++) {
    const kind = random.choose(['encoder', 'decoder', 'encoder-decoder']);
    const config = {
      kind,
      vocabulary: 5,
      head: 'linear',
      layers: 1 + (i % 3),
      d_model: 8,
      heads: 2,
      d_ff: 8 * (1 + (i % 5)),
    };
    const model = gf.createModel({ ...config, seed: i });
    const batch = kind === 'encoder-decoder' ? { sourceIds: ids, targetIds: ids } : { ids };
    model.forward({ ...batch, capture: i % 2 === 0 });
    const trainer = model.trainer({ dropout: i % 4 === 0 ? 0.1 : 0 });
    const { loss } = trainer.step({ ...batch, labels: ids });
    assert(Number.isFinite(loss), `model ${i} of seed ${seed}: loss ${loss}`);
    if (i % 7 === 0) {
      assert.throws(() => trainer.step({ ...batch, labels: [[9, 9, 9, 9]] }), { code: 'token' });
    }
    model.free();
    if (i === 4 * ROUND) settled = gf.memoryBytes;
    if (settled) assert.equal(gf.memoryBytes, settled, `memory grows at model ${i} of seed ${seed}`);
    if (i === Math.min(2000, count >> 1)) heap = heldBytes();
  }
  const grown = (heldBytes() - heap) / 1e6;
  assert(grown < 10, `the heap of JavaScript grows by ${grown} MB`);
  return { models: count, moduleBytes: gf.memoryBytes, heapGrowthMB: Number(grown.toFixed(1)) };
}
