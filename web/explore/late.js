// What nothing needs until the reader does something, in one file that is fetched then: one, because what several
// small files share would become small files of the first opening.

export { saveFigure, saveTensor, tableOfMap, showTensor } from '../export/save.js';
export { compare } from './features/compare.js';
export { decision } from './features/decision.js';
export { effect } from './features/effect.js';
export { generation } from './features/generation.js';
export { modelCard } from './features/model-card.js';
export { menus } from './features/sentence-menus.js';
export { createCompletion } from './shared/completion.js';
export { createTyping } from './shared/typing.js';
