// The lessons of Train, as the list of all lessons names them; Train has the rest of each.

/** Where the results of challenges are kept. */
export const RESULTS = 'glassformer-challenges';

export const GUIDED = { title: 'Teach it to reverse', link: '#/train?guide=1' };

/** By id, from easy to hard; `par`: a good score, which the engine has reached. */
export const CHALLENGES = {
  bare: { task: 'copy', title: 'Copy without a bypass', par: 50 },
  break: { task: 'sort', title: 'Break Sort', par: 1 },
  fast: { task: 'order', title: 'Order, fast', par: 25 },
  neurons: { task: 'xor', title: 'XOR, small', par: 1 },
  small: { task: 'reverse', title: 'Reversal, small', par: 112 },
};

/** The link that starts a challenge. @param {{task: string}} challenge */
export const challengeLink = ({ task }) => `#/train?task=${task}&challenge=1`;
