// The tasks that <glass-training> can learn: those of an encoder or a decoder.

import { liveTasks } from 'glassformer/tasks';

export const TASKS = /** @type {readonly (typeof import('glassformer/tasks').reverse)[]} */ (
  liveTasks.filter(({ kind }) => kind === 'encoder' || kind === 'decoder')
);
