// The activations in Python; @ stands for what goes in.

/** @type {Record<string, string>} */
export const ACTIVATIONS = {
  relu: 'F.relu(@)',
  gelu: 'F.gelu(@)',
  'gelu-tanh': 'F.gelu(@, approximate="tanh")',
  silu: 'F.silu(@)',
  none: '@',
};
