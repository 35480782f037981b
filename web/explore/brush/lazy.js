// The sum over the brushed queries, fetched when the first is brushed.

import { lazyPanel } from '../shared/lazy-panel.js';

export const brush = lazyPanel({
  name: 'brush',
  slot: 'attention-sum',
  nodes: ['attention'],
  isWanted: ({ state }) => Boolean(state.brush?.length),
  load: async () => (await import('../late.js')).brush,
});
