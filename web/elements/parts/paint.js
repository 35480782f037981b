// All that the parts with maps read besides: in one file of the package (src/tools/build.mjs).

export * from '../../draw/canvas.js';
export * from '../../draw/color.js';
