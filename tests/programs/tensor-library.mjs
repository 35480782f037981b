// Attention by hand, tensors first: a head's weights, its output, and what it is most like.
import { load } from 'glassformer';

const gf = await load();
const x = [[[1, 0, 1, 0], [0, 2, 0, 2], [1, 1, 1, 1]]]; // [1, T, C]
const [wq, wk] = [[[1, 0, 1, 0], [0, 1, 0, 1]], [[0, 1, 1, 0], [1, 0, 0, 1]]]; // [D, C], as nn.Linear has them
const [query, key] = [await gf.linear(x, wq), await gf.matmul(x, wk, { transposeB: true })];
const scores = await gf.mul(await gf.matmul(query, key, { transposeB: true }), 1 / Math.sqrt(2));
const weights = await gf.softmax(await gf.add(scores, [[0, -Infinity, -Infinity], [0, 0, -Infinity], [0, 0, 0]]));
weights.data; // → [1, 0, 0, 0.056, 0.944, 0, 0.029, 0.486, 0.486]
const output = await gf.matmul(weights, x);
(await gf.argmax(output)).data; // → [0, 1, 1]
(await gf.cosine(output, x)).data; // → [1, 0.9996, 0.902]
