// The requests of the page to its worker and the responses, by their `type`.

import { createClient } from '../kit/client.js';
import { inWords } from '../kit/in-words.js';
import { hasTrapped } from '../kit/trap.js';
import { labelOf } from './model-settings.js';

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
 * Page to worker. `run`: one forward pass by its plan's `key`, and of it the named tensors and derived values
 * ('@name/argument'); `maskNames`: for each kind of attention the tensor of masked scores, which shows the cells that
 * a mask hides; `plans`: for how many plans models are kept; `focus`: the reader's selection. `open`: fetches a
 * trained model, or takes `file`; `forget`: lets go of one that was given; `corpus`: what one that was given is run on.
 * `generate`: continues a text. `save`: the model as a file.
 * @typedef {ModelQuery & {
 *   type: 'run', id: number, key: string, ids: number[], targetIds: number[] | null, names: string[],
 *   maskNames: Record<string, string>, generate: import('./target.js').Generate | null, plans: 1 | 2,
 *   focus: import('./part.js').Focus,
 * }} RunRequest
 * @typedef {import('./model-cache.js').OpenOptions & {
 *   type: 'open', model: string, file?: import('./model-cache.js').GivenFile,
 * }} OpenRequest
 * @typedef {{type: 'forget', model: string, id: number}} ForgetRequest
 * @typedef {{type: 'corpus', model: string, id: number, ids: number[][]}} CorpusRequest
 * @typedef {ModelQuery & {
 *   type: 'generate', id: number, model: string, ids: number[], ending: readonly number[],
 *   options: {maxTokens: number, temperature: number, topK: number, seed: number}, signal: AbortSignal,
 * }} GenerateRequest
 * @typedef {'safetensors' | 'onnx'} FileFormat
 * @typedef {ModelQuery & {type: 'save', format: FileFormat}} SaveRequest
 * @typedef {RunRequest | OpenRequest | ForgetRequest | CorpusRequest | GenerateRequest | SaveRequest} Request
 *
 * Facts of a pass. `absent`: weights that the file of the trained model does not have; `part`: the only layer whose
 * numbers were kept, null: all were.
 * @typedef {{
 *   variant: string, reason: string, version: string, parameters: number, milliseconds: number,
 *   memoryBytes: number, finite: boolean, absent: string[], part: number | null,
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
 * @typedef {{type: 'saved', bytes: Uint8Array<ArrayBuffer>, format: FileFormat} |
 *   {type: 'saved', bytes: null, error: Problem}} SavedResponse
 * @typedef {RunResponse | RefusedResponse | OpenedResponse | TokenResponse | SavedResponse} Response
 *
 * One function for each type of response.
 * @typedef {{[T in Response['type']]: (response: Extract<Response, {type: T}>) => void}} Handlers
 */

/**
 * Connects with the worker, which serves a method for each type of request.
 * @param {{worker: Worker | null, isLost: boolean}} started `isLost`: it has failed already
 * @param {Handlers & {failed: (problem: Problem) => void}} handlers `failed`: the worker itself could not be started
 * @returns {{post: (request: Request) => Promise<Response | undefined>}} what was answered, once it has been handled
 */
export function connectWorker({ worker, isLost }, { failed, ...handlers }) {
  /** @type {import('../kit/client.js').Client<Record<Request['type'], (request: object) => Response | undefined>>} */
  let client;
  /** @type {Problem | undefined} why there is no worker */
  let lost;
  let answered = false;
  function lose() {
    if (lost) return;
    const frame = origin === 'null' ? ' A frame needs sandbox="allow-scripts allow-same-origin" for it.' : '';
    const what = answered ? 'has stopped.' : `could not be started.${frame}`;
    const message = `The part of the page that computes ${what}`;
    lost = { code: 'broken', parameter: '', message };
    setTimeout(failed, 0, lost);
  }
  if (isLost || !worker) lose();
  else client = createClient(() => worker, { ended: lose });

  /** @param {any} reason @returns {Problem} */
  function problemOf(reason) {
    if (lost) return lost;
    if ('parameter' in reason && !(reason instanceof Error)) return reason; // in words
    if (reason.name === 'GlassformerError')
      return { code: reason.code, parameter: String(reason.parameter ?? ''), message: inWords(reason, labelOf) };
    return { code: hasTrapped(reason) ? 'broken' : 'internal', parameter: '', message: inWords(reason) };
  }

  /** @param {Request} request @param {Problem} error @returns {Response} */
  function refusal(request, error) {
    const { type, model } = request;
    if (type === 'open') return { type: 'opened', model, error };
    if (type === 'save') return { type: 'saved', bytes: null, error };
    return { type: type === 'run' ? 'refused' : 'token', id: request.id, error };
  }

  /** @param {Response | undefined} response */
  function take(response) {
    if (response) /** @type {(response: Response) => void} */ (handlers[response.type])(response);
    return response;
  }

  return {
    post(request) {
      // An exception of a handler is an error of the page, not of the call.
      const onToken = (/** @type {number} */ token) =>
        queueMicrotask(() => take({ type: 'token', id: /** @type {any} */ (request).id, token }));
      const asked = lost
        ? Promise.reject(lost)
        : client[request.type](request.type === 'generate' ? { ...request, onToken } : request);
      return asked.then(
        (response) => {
          answered = true;
          return take(response);
        },
        (reason) => take(refusal(request, problemOf(reason))),
      );
    },
  };
}
