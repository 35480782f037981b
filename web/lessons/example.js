// A lesson in a file of its own.

/** @type {import('./index.js').Lesson<import('../explore/shared/facts.js').Facts>} */
export const example = {
  id: 'first-token',
  title: 'The first token',
  link: 'model=creek&part=tokens&head=3.2&row=0&key=0',
  target: '#tokens-encoder',
  text: ['The first token is {word}.'],
  numbers: { word: ({ word }) => word },
  task: 'Choose another token.',
  control: '#tokens-encoder',
  judge: ({ row }) => row > 0,
  seen: { text: 'You chose {word}.', numbers: { word: ({ word }) => word } },
  doubt: null,
};
