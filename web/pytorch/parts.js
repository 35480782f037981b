// What every script for PyTorch has: values, linear maps, the optimiser, the learning rate, in Python.

/** A value as Python writes it. @param {any} value @returns {string} */
export function python(value) {
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (Array.isArray(value)) return `[${value.map(python).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'None';
  return `{${Object.entries(value)
    .map(([name, each]) => `${JSON.stringify(name)}: ${python(each)}`)
    .join(', ')}}`;
}

/** @param {boolean} hasBias whether each of them has one */
export const linear = (hasBias) => [
  `def xavier(rows, columns):`,
  `    return nn.init.xavier_uniform_(torch.empty(rows, columns))`,
  ``,
  ``,
  `class Linear(nn.Module):`,
  `    def __init__(self, columns, rows${hasBias ? '' : ', bias=True'}):`,
  `        super().__init__()`,
  `        self.weight = nn.Parameter(xavier(rows, columns))`,
  `        self.bias = nn.Parameter(torch.zeros(rows))${hasBias ? '' : ' if bias else None'}`,
  ``,
  `    def forward(self, x):`,
  `        return F.linear(x, self.weight, self.bias)`,
];

/** @param {Record<string, any>} trainer its settings @param {string} parameters in Python */
export function optimizerOf({ optimizer, learningRate, beta1, beta2, epsilon, momentum }, parameters) {
  if (optimizer === 'sgd') return `torch.optim.SGD(${parameters}, lr=${learningRate}, momentum=${momentum})`;
  const name = optimizer === 'adam' ? 'Adam' : 'AdamW';
  return `torch.optim.${name}(${parameters}, lr=${learningRate}, betas=(${beta1}, ${beta2}), eps=${epsilon})`;
}

/** @param {string} floor in Python: where linear and cosine end @param {boolean} [noam] whether that can be, too */
export const rate = (floor, noam = false) => [
  `def rate(step):`,
  `    """The learning rate of a step, counted from 1."""`,
  `    high, warmup, steps = settings["learningRate"], settings["warmup"], settings["steps"]`,
  ...(noam
    ? [`    if settings["schedule"] == "noam":`, `        return high * D**-0.5 * min(step**-0.5, step * warmup**-1.5)`]
    : []),
  `    if step <= warmup:`,
  `        return high * step / warmup`,
  `    done = min(1, (step - warmup) / max(1, steps - warmup))`,
  `    if settings["schedule"] == "linear":`,
  `        return high * (1 - (1 - ${floor}) * done)`,
  `    if settings["schedule"] == "cosine":`,
  `        return high * (${floor} + (1 - ${floor}) * (1 + math.cos(math.pi * done)) / 2)`,
  `    return high`,
];
