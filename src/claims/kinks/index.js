export * from './claim.js';
export * from './explore.js';
export * from './picture.js';
