// The textbook: its button, and the book, which is fetched when it is first opened.

import { sidePanel } from '../shared/side-panel.js';

export const { button: bookButton, panel: book } = sidePanel({
  field: 'book',
  label: 'Textbook',
  load: async () => (await import('./book.js')).createBook,
});
