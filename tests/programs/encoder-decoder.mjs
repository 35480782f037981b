// English to French by an encoder–decoder: texts in, texts out.
import { load } from 'glassformer';

const gf = await load();
const { model } = await gf.loadModel(import.meta.resolve('glassformer/models/translate'));
(await model.generate('The cat was hungry.')).newText; // → 'le chat était affamé .'
const texts = ['The cat was hungry.', 'The dog was not tired.'];
const both = await model.generate(texts);
both.map(({ endedBy }) => endedBy); // → ['endId', 'endId']
both[0].newText; // → 'le chat était affamé .'
