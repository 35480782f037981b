// The activations in Python; @ stands for what goes in.

/** @type {Record<string, string>} */
export const ACTIVATIONS = { relu: 'F.relu(@)', gelu: 'F.gelu(@)', silu: 'F.silu(@)', none: '@' };
