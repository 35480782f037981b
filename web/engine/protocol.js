// The messages between the page and its worker, by their `type`.

/**
 * @typedef {import('./interventions.js').Intervention} Intervention
 * @typedef {import('./plan.js').ModelInfo} ModelInfo
 * @typedef {{data: Float32Array, shape: number[]}} Tensor
 * @typedef {{code: string, parameter: string, message: string}} Problem
 *
 * The model that a message is about: a configuration, the trained model whose weights it gets (null:
 * fresh ones), what is changed in it.
 * @typedef {{config: Record<string, unknown>, model: string | null, interventions: Intervention[]}} ModelQuery
 *
 * Page to worker. `run`: one forward pass by its plan's `key`, and of it the named tensors and derived
 * values ('@name/argument'); `maskNames`: for each kind of attention the tensor of masked scores, which shows
 * the cells that a mask hides; `plans`: for how many plans models are kept. `open`: fetches a trained model.
 * `generate`: continues a text. `save`: the weights as a safetensors file.
 * @typedef {ModelQuery & {
 *   type: 'run', id: number, key: string, ids: number[], targetIds: number[] | null, names: string[],
 *   maskNames: Record<string, string>, generate: {begin: number, end: number, maxTokens: number} | null, plans: 1 | 2,
 * }} RunRequest
 * @typedef {{type: 'open', model: string}} OpenRequest
 * @typedef {ModelQuery & {
 *   type: 'generate', id: number, model: string, ids: number[], ending: number[],
 *   options: {maxTokens: number, temperature: number, topK: number, seed: number},
 * }} GenerateRequest
 * @typedef {ModelQuery & {type: 'save'}} SaveRequest
 * @typedef {RunRequest | OpenRequest | GenerateRequest | SaveRequest} Request
 *
 * What ran. `absent`: weights that the file of the trained model does not have.
 * @typedef {{
 *   variant: string, reason: string, version: string, parameters: number, milliseconds: number,
 *   memoryBytes: number, finite: boolean, absent: string[],
 * }} RunFacts
 *
 * Worker to page. `written`: the ids that the model generated as its target.
 * @typedef {{
 *   type: 'result', id: number, key: string, tensors: Record<string, Tensor>, derived: Record<string, any>,
 *   hidden: Record<string, Uint8Array>, facts: RunFacts, written: number[] | null,
 * }} RunResponse
 * @typedef {{type: 'refused', id: number, error: Problem}} RefusedResponse
 * @typedef {{type: 'opened', model: string, info: ModelInfo} | {type: 'opened', model: string, error: Problem}}
 *   OpenedResponse
 * @typedef {{type: 'token', id: number, token?: number, error?: Problem}} TokenResponse
 * @typedef {{type: 'saved', bytes: Uint8Array<ArrayBuffer>} | {type: 'saved', bytes: null, error: Problem}}
 *   SavedResponse
 * @typedef {RunResponse | RefusedResponse | OpenedResponse | TokenResponse | SavedResponse} Response
 *
 * One function for each type of response.
 * @typedef {{[T in Response['type']]: (response: Extract<Response, {type: T}>) => void}} Handlers
 */

/**
 * Starts the worker.
 * @param {string} url
 * @param {Handlers & {failed: () => void}} handlers `failed`: the worker itself could not be started
 * @returns {{post: (request: Request) => void}}
 */
export function connectWorker(url, { failed, ...handlers }) {
  let worker;
  try {
    worker = new Worker(url, { type: 'module' });
  } catch {
    setTimeout(failed); // a frame without an origin may have none
    return { post() {} };
  }
  worker.onmessage = (/** @type {MessageEvent<Response>} */ { data }) =>
    /** @type {(response: Response) => void} */ (handlers[data.type])(data);
  worker.onerror = failed;
  return { post: (request) => worker.postMessage(request) };
}
