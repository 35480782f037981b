// Sentences by what they mean: the one whose vector lies nearest to that of a question.
import { load } from 'glassformer';

const gf = await load();
const { model } = await gf.loadModel(import.meta.resolve('glassformer/models/creek'));
const texts = ['The rabbit was hungry.', 'The creek was cold.', 'The dog wanted to jump.'];
const vectors = await model.embed(texts);
const { data } = await gf.cosine(vectors, await model.embed('the creek was deep .'));
data.length; // → 3
texts[data.indexOf(Math.max(...data))]; // → 'The creek was cold.'
