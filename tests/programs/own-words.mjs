// Words of one's own: a model learns a sentence of them, goes on with its beginning, and its file keeps them.
import { Vocabulary, load } from 'glassformer';

const gf = await load();
const words = new Vocabulary(['the', 'old', 'creek', 'was', 'cold', 'and', 'deep', '.']);
const model = await gf.createModel({ kind: 'decoder', vocabulary: words, d_model: 16, head: 'tied', causal: true });
const trainer = await model.trainer({ learningRate: 0.01 });
const { ids } = words.encode('The old creek was cold and deep.');
for (let i = 0; i < 60; i++) await trainer.step({ ids: ids.slice(0, -1), labels: ids.slice(1) });
(await model.generate('the old', { maxTokens: 6 })).newText; // → ' creek was cold and deep .'
const opened = await gf.loadModel(await model.save());
(await opened.model.forward('the old creek')).logits.shape; // → [1, 3, 8]
await opened.model.forward('the young creek'); // throws token
