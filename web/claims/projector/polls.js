// The votes of a class, by card. A reload keeps them; closing the tab forgets them.

const NAME = 'glassformer-votes';

/** @typedef {import('./screens.js').Polls} Polls */

/** @param {unknown} votes */
const isVotes = (votes) =>
  Array.isArray(votes) && votes.length === 3 && votes.every((count) => Number.isInteger(count) && count >= 0);

/** @returns {Map<number, Polls>} */
function read() {
  try {
    const list = JSON.parse(sessionStorage.getItem(NAME) ?? '[]');
    return new Map(list.filter((/** @type {any} */ [, polls]) => isVotes(polls.before) && isVotes(polls.after)));
  } catch {
    return new Map();
  }
}

export function createPolls() {
  const all = read();
  return {
    /** @param {number} number of a card @returns {Polls} */
    get: (number) => all.get(number) ?? { before: [0, 0, 0], after: [0, 0, 0] },

    /** @param {number} number @param {Polls} polls */
    set(number, polls) {
      all.set(number, polls);
      try {
        sessionStorage.setItem(NAME, JSON.stringify([...all]));
      } catch {
        // refused: they last as long as the page
      }
    },
  };
}
