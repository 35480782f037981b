// Puzzles: their button, and what it opens, which is fetched then.

import { sidePanel } from '../shared/side-panel.js';

export const { button: puzzleButton, panel: puzzle } = sidePanel({
  field: 'puzzle',
  label: 'Puzzles',
  load: async () => (await import('./puzzles.js')).createPuzzles,
});
