import { loadModel, resumeTrainer, saveModel, saveTrainer } from './model-file.js';

/** What the methods for files call. An object of its own, which the entry `glassformer/core` does without. */
export const files = { loadModel, resumeTrainer, saveModel, saveTrainer };
