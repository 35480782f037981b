// A model as an ONNX file, and the same numbers in onnxruntime.
import { load } from 'glassformer';
import { InferenceSession, Tensor } from 'onnxruntime-web';

const gf = await load();
const model = await gf.createModel({ kind: 'decoder', vocabulary: 20, d_model: 32, heads: 4, layers: 2, head: 'tied' });
const session = await InferenceSession.create(await model.save({ format: 'onnx' }));
const ids = new Tensor('int64', BigInt64Array.of(3n, 1n, 4n), [1, 3]);
const { logits } = await session.run({ ids });
const { data } = (await model.forward({ ids: [3, 1, 4] })).logits;
Math.max(...data.map((value, i) => Math.abs(value - logits.data[i]))); // → 0.0000
(await gf.argmax({ data: logits.data, shape: logits.dims })).shape; // → [1, 3]
