import { roberta } from './roberta.js';

/**
 * Conneau et al. 2019: a RoBERTa of a hundred languages, by Unigram.
 * @type {import('./read.js').Family}
 */
export const xlmRoberta = {
  ...roberta,
  tokenizers: ['Unigram'],
  classes: ['XLMRobertaModel', 'XLMRobertaForMaskedLM'],
};

/**
 * Martin et al. 2019: a RoBERTa of French, by Unigram.
 * @type {import('./read.js').Family}
 */
export const camembert = { ...xlmRoberta, classes: ['CamembertModel', 'CamembertForMaskedLM'] };
