// A map in React.
import { load } from 'glassformer';
import 'glassformer/elements';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';

const gf = await load();
const x = [[1, 0, 1, 0], [0, 2, 0, 2], [1, 1, 1, 1]];
const { weights } = await gf.attention(x, x, x, { heads: 2, causal: true });
const root = createRoot(document.body.appendChild(document.createElement('main')));
const show = (matrix) => flushSync(() => root.render(<glass-heatmap label="Attention" matrix={matrix} />));
show(weights);
document.querySelector('glass-heatmap').value; // → 1
show(null);
document.querySelector('glass-heatmap').value; // → undefined
