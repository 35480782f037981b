// Keeps at most one request under way and only the newest one waiting.

/**
 * @template Request
 * @template Answer
 * @param {object} options
 * @param {() => Request | null} options.next the newest request, made when it can be sent;
 *   null when there is nothing to ask
 * @param {(request: Request & {id: number}) => void} options.send
 * @param {(answer: Answer, request: Request) => void} options.keep called for each answer
 * @param {(answer: Answer, request: Request) => void} options.done called after that, unless a newer request follows
 */
export function createRequestQueue({ next, send, keep, done }) {
  let id = 0;
  /** @type {Request | null} */
  let underWay = null;
  let waiting = false;

  function start() {
    waiting = false;
    underWay = next();
    if (underWay) send({ ...underWay, id: ++id });
  }
  return {
    /** Asks for what is wanted now, as soon as nothing is under way. */
    wake() {
      if (underWay) waiting = true;
      else start();
    },
    /** @param {Answer & {id: number}} answer */
    receive(answer) {
      if (!underWay || answer.id !== id) return;
      const request = underWay;
      underWay = null;
      keep(answer, request);
      if (waiting) start();
      if (!underWay) done(answer, request);
    },
    /** Whether a request is under way. */
    busy: () => underWay !== null,
  };
}
