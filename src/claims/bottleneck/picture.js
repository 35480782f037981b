import { marks } from '../shared/picture.js';

/** @type {import('../shared/picture.js').PictureOf} */
export function picture({ feedForward, attention, width, widening }) {
  const bars = (/** @type {[string, number][]} */ list) =>
    list.map(([label, value]) => ({ label, marks: marks({}, value) }));
  return [
    {
      ...{ kind: 'rows', title: 'Numbers a token has on its way through the FFN', bars: true },
      x: { title: 'width', low: 0 },
      rows: bars([
        ['Input, d_model', width],
        ['Hidden layer, d_ff', width * widening],
        ['Output, d_model', width],
      ]),
    },
    {
      ...{ kind: 'rows', title: 'Parameters of a layer', bars: true },
      x: { title: 'parameters', low: 0 },
      rows: bars([
        ['Attention', attention],
        ['Feed-forward network', feedForward],
      ]),
    },
  ];
}
