// The owner's side of passes that are cut over threads (slices.js): a chunk that load({ threads }) fetches.
import { connect } from './connect.js';

/**
 * A thread's number, and its ports to the other threads.
 * @typedef {object} Place
 * @property {number} index of the thread, 0: the engine's
 * @property {(MessagePort | null)[]} ports by thread, to itself null
 * @property {number} [least] see Slices
 */

/**
 * Starts threads that take part in large passes. Where none can be started, the engine's computes alone.
 * @param {ReturnType<typeof connect>} engine
 * @param {() => Promise<import('./connect.js').WorkerLike>} spawn
 * @param {number} count of threads beside the engine's
 * @param {number} [least] see Slices
 * @returns {Promise<() => void>} ends them
 */
export async function join(engine, spawn, count, least) {
  const begin = async () => {
    const thread = connect(await spawn(), { ended: () => lose() });
    await thread.call('choose', [{}]); // it has started
    return thread;
  };
  let lose = () => {};
  const started = await Promise.allSettled(Array.from({ length: count }, begin));
  const threads = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const { port1: control, port2 } = new MessageChannel();
  const end = () => {
    lose = () => {};
    for (const thread of threads) thread.terminate(undefined);
    control.close();
  };
  if (!threads.length) return end;
  lose = () => {
    control.postMessage(0);
    end();
  };
  control.onmessage = end;
  /** @type {any} */ (control).unref?.(); // so that Node may end
  /** @type {(MessagePort | null)[][]} */
  const ports = Array.from({ length: threads.length + 1 }, () => []);
  for (let i = 0; i < ports.length; i++) {
    ports[i][i] = null;
    for (let j = 0; j < i; j++) ({ port1: ports[i][j], port2: ports[j][i] } = new MessageChannel());
  }
  const moved = (/** @type {number} */ i) => /** @type {any} */ (ports[i].filter((port) => port));
  await Promise.all([
    engine.call('join', [{ index: 0, ports: ports[0], control: port2, least }], { moved: [...moved(0), port2] }),
    ...threads.map((thread, i) =>
      // One that has ended is lost, as it would be later.
      thread.call('slice', [{ index: i + 1, ports: ports[i + 1] }], { moved: moved(i + 1) }).catch(() => {}),
    ),
  ]);
  return end;
}
