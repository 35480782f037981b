// What nothing needs until the reader does something, in one file that is fetched then: one, because what several
// small files share would become small files of the first opening.

import decisionCss from './decision/decision.css';
import tryCss from './try/late.css';
import { addStyle } from '../draw/style.js';

addStyle(decisionCss + tryCss);

export { saveFigure, saveTensor, tableOfMap, showTensor } from '../export/save.js';
export { compare } from './try/compare.js';
export { decision } from './decision/panel.js';
export { effect } from './try/effect.js';
export { generation } from './features/generation.js';
export { modelCard } from './features/model-card.js';
export { menus } from './features/sentence-menus.js';
export { createCompletion } from './text/completion.js';
export { createTyping } from './text/typing.js';
