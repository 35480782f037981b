// An FFN alone in PyTorch, its points and its loss, in Python.

import { ACTIVATIONS } from './activations.js';

/** The points, as src/tasks/ffn.js has them. @type {Record<string, string[]>} */
const POINTS = {
  square: [`inputs = [[-1 + 2 * i / 255] for i in range(256)]`, `wanted = [[x * x] for [x] in inputs]`],
  and: [`inputs = [[0, 0], [0, 1], [1, 0], [1, 1]]`, `wanted = [[0, 0], [0, 0], [0, 0], [1, 1]]`],
  xor: [`inputs = [[0, 0], [0, 1], [1, 0], [1, 1]]`, `wanted = [[0, 0], [1, 1], [1, 1], [0, 0]]`],
};

/** @param {import('./script.js').TorchOf} run @returns {import('./script.js').Parts} */
export function ffnOf({ task, config: { activation } }) {
  const inner = (ACTIVATIONS[activation] ?? '@').replace('@', 'self.linear1(x)');
  return {
    about: [`Each step takes all of its points.`, ``],
    imports: [],
    constants: [],
    data: POINTS[task],
    model: [
      `class Model(nn.Module):`,
      `    def __init__(self):`,
      `        super().__init__()`,
      `        self.linear1 = Linear(D, FF)`,
      `        self.linear2 = Linear(FF, D)`,
      ...(task === 'square'
        ? [
            `        # neurons that look left or right, their kinks inside -1..1`,
            `        self.linear1.weight = nn.Parameter(torch.randint(0, 2, (FF, D)) * 2.0 - 1)`,
            `        self.linear1.bias = nn.Parameter(torch.rand(FF) * 2 - 1)`,
          ]
        : []),
      ``,
      `    def forward(self, x):`,
      `        return self.linear2(${inner})`,
      ``,
      ``,
    ],
    loss: [
      `def loss_of(model):`,
      `    vectors, targets = (torch.tensor(points, dtype=torch.float32) for points in (inputs, wanted))`,
      `    return F.mse_loss(model(vectors), targets)`,
    ],
    batch: null,
  };
}
