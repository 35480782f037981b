// "What decided this?": the sentence with one word swapped, in which one vector at a time is put back, tokens × states,
// and the path that brings the answer back, with the FFNs that turn it; beside it the same in words, other words to
// swap, the links cut, the parts switched off.

import { html, nothing, svg } from 'lit-html';
import { tableOf } from '../../draw/figure.js';
import { formatShare } from '../../draw/numbers.js';
import { attention } from '../../engine/plan.js';
import { figure } from '../../kit/figure.js';
import { decidingSteps } from '../shared/graph.js';
import { hasAnswer } from '../shared/neurons.js';
import { otherSentence } from '../shared/other-sentence.js';
import { visibleWords, wordsOf } from '../shared/words.js';
import style from './decision.css';

/**
 * @typedef {import('../../engine/interventions.js').Intervention} Intervention
 * @typedef {import('../../engine/interventions.js').StreamIntervention} StreamIntervention
 * @typedef {import('../index.js').State} State
 * @typedef {import('../index.js').ModelInfo} ModelInfo
 * @typedef {import('../index.js').Tools} Tools
 * @typedef {import('../derived/decision.js').Decision} Decision
 * @typedef {import('../derived/decision.js').Progress} Progress
 * @typedef {import('../derived/decision.js').FfnStep} FfnStep
 * @typedef {import('../derived/decision.js').Link} Link
 * @typedef {import('../derived/decision.js').Part} Part
 * @typedef {import('../derived/decision.js').Swap} Swap
 * @typedef {Decision['stacks'][number]} Stack
 * @typedef {Stack['vectors'][number]} Vector
 */

/** Less is drawn as no change. */
const LEAST = 0.01;

/** Whether a click here makes such a change. @param {Intervention} change */
const isOwn = (change) => change.what === 'patch' || (change.what === 'ffnAt' && Array.isArray(change.to));

/**
 * The changes that hold all along: without the vectors that a click has put in.
 * @param {Pick<State, 'interventions' | 'decision'>} state
 */
function baseOf({ interventions, decision: opened }) {
  const stood = new Set(opened?.map((each) => JSON.stringify(each)));
  return interventions.filter((each) => !isOwn(each) || stood.has(JSON.stringify(each)));
}

/**
 * The name of the derived value. Where an example differs in one word, its swap is offered as the first.
 * @param {import('../../engine/plan.js').Plan} plan @param {State} state @param {ModelInfo} modelInfo
 */
function nameOf(plan, state, modelInfo) {
  const other = otherSentence(plan, state, modelInfo) ?? [];
  const places = other.flatMap((id, row) => (id === plan.ids[row] ? [] : [row]));
  const example = places.length === 1 ? `~${places[0]}.${other[places[0]]}` : '';
  return `@decision/${state.cursor.row}/${state.swap || example}/${JSON.stringify(baseOf(state))}`;
}

/** @param {import('../index.js').Query} query */
function needs({ plan, state, modelInfo }) {
  const all = /** @type {State} */ (state);
  return modelInfo && hasAnswer(plan, all) ? [nameOf(plan, all, modelInfo)] : [];
}

/**
 * The causes found, or the progress of the search; null: there is nothing to find; undefined: it has not begun.
 * @param {import('../index.js').Context} context
 */
function foundIn({ result, state, modelInfo }) {
  const { plan, derived, facts } = result;
  if (!modelInfo || facts.part !== null || !hasAnswer(plan, state)) return null;
  return /** @type {Decision | Progress | undefined} */ (derived.get(nameOf(plan, state, modelInfo)));
}

/** Words by id, of the input and of the output. @param {ModelInfo} modelInfo */
const vocabularies = ({ vocabulary, outputVocabulary }) => ({
  input: visibleWords(/** @type {string[]} */ (vocabulary)),
  output: visibleWords(/** @type {string[]} */ (outputVocabulary)),
});

/** @param {Tools} tools @param {string} [label] */
function closing({ set }, label = 'Close') {
  function close() {
    set({ decision: null });
    document.getElementById('decide')?.focus();
  }
  return html`<button type="button" class="plain decision-close" @click=${close}>${label}</button>`;
}

/** @type {import('../index.js').Feature} */
export const decision = {
  name: 'decision',
  style,
  needs,
  render(context, tools) {
    const found = foundIn(context);
    if (found === undefined) return undefined;
    if (!found) return html`<section class="panel"><p>There is no answer here. ${closing(tools)}</p></section>`;
    const { result, state } = context;
    const { output } = vocabularies(/** @type {ModelInfo} */ (context.modelInfo));
    const body = found.unfinished
      ? progressOf(found, tools)
      : found.stacks.map((stack) => picture(stack, { found, result, state, output, tools }));
    return html`<section class="panel picture" aria-labelledby="decision-title">
      <h2 id="decision-title" class="visually-hidden" tabindex="-1">One vector put back at a time</h2>
      <div id="decision">${body}${
        found.unfinished
          ? nothing
          : html`<p class="hint">Per cent: how far this one vector, put back alone, brings
              <bdi class="quoted">${output[found.answer]}</bdi> back. Select one to see that state.</p>`
      }</div>
    </section>`;
  },
};

/** @param {Progress} progress @param {Tools} tools */
const progressOf = ({ done, total }, tools) => html`<p class="decision-progress">
  <progress aria-label="Passes of the model" max=${total || 1} value=${done}></progress>
  <span>${total ? `${done} of ${total} passes` : 'Starting'}</span>
  ${closing(tools, 'Cancel')}</p>`;

/**
 * The change that a vector stands for, and the swap.
 * @param {Decision} found @param {Stack['stack']} stack @param {Vector} vector @param {readonly number[]} ids
 * @returns {StreamIntervention[]}
 */
function changesOf({ swap, stacks }, stack, { after, row }, ids) {
  const from = swap.id === null ? /** @type {const} */ ('mean') : ids.with(swap.row, swap.id);
  const own = { what: /** @type {const} */ ('patch'), share: 1 };
  const swapped = { ...own, kind: stacks[0].stack, after: 0, row: swap.row, from };
  const isSwapped = stack === stacks[0].stack && after === 0 && row === swap.row;
  return isSwapped ? [] : [swapped, { ...own, kind: stack, after, row, from: [...ids] }];
}

/**
 * One stack: tokens × states.
 * @param {Stack} stack
 * @param {{found: Decision, result: import('../../engine/results.js').Result, state: State, output: string[],
 *   tools: Tools}} of
 */
function picture({ stack, tokens, vectors }, { found, result, state, output, tools }) {
  const [answer, other] = [found.answer, found.swapped.answer].map((id) => output[id]);
  const { probability, swap, swapped, path, stacks, ffns } = found;
  const words = wordsOf(result, stack).rowWords;
  const states = [...new Set(vectors.map(({ after }) => after))];
  const isLast = stack === stacks.at(-1)?.stack;
  const row = isLast ? Number(vectors.at(-1)?.row) : 0; // of the answer
  const own = path.filter((each) => each.stack === stack);
  const isOn = (/** @type {Vector} */ { after, row }) => own.some((each) => each.after === after && each.row === row);
  const stop = own[Math.min(1, own.length - 1)] ?? vectors[0];
  const stateName = (/** @type {number} */ after) => (after ? `layer ${after}` : 'the words');
  const base = baseOf(state);
  const standing = JSON.stringify(state.interventions.filter((each) => !base.includes(each)));
  /** @param {Intervention[]} changes */
  const toggle = (changes) =>
    tools.set({ interventions: standing === JSON.stringify(changes) ? base : [...base, ...changes] });
  const dot = (/** @type {Vector} */ vector) => {
    const { after, row, probability: share } = vector;
    const isAnswer = isLast && after === states.length - 1;
    const moved = share !== null && Math.abs(share - swapped.left) >= LEAST;
    const kind = isOn(vector) ? 'on' : share === null ? 'untried' : moved ? 'moved' : '';
    const text = share === null ? 'not tried' : formatShare(share);
    const changes = changesOf(found, stack, vector, result.plan.ids);
    const isStop = stop.after === after && stop.row === row;
    return html`<button type="button" class="head decision-dot ${kind}" data-at="${after} ${row}"
      .style=${`grid-row: ${after + 2}; grid-column: ${row + 2}`} .tabIndex=${isStop ? 0 : -1} aria-disabled=${isAnswer}
      aria-pressed=${!isAnswer && standing !== '[]' && standing === JSON.stringify(changes)}
      aria-label="${words[row]}, ${stateName(after)}: ${text}" @click=${() => isAnswer || toggle(changes)}
      ><span>${kind === 'on' || kind === 'moved' ? bare(Number(share)) : ''}</span></button>`;
  };
  const ffn = (/** @type {FfnStep} */ { layer, row, turned }) => {
    const to = swap.id === null ? null : result.plan.ids.with(swap.row, swap.id);
    if (!to) return nothing; // no text has the mean of all words in it
    const changes = [{ what: /** @type {const} */ ('ffnAt'), kind: stack, layer, row, to }];
    return html`<button type="button" class="head decision-ffn"
      .style=${`grid-row: ${layer + 3}; grid-column: ${row + 2}`} aria-pressed=${standing === JSON.stringify(changes)}
      aria-label="FFN of layer ${layer + 1} at ${words[row]}, with its output of the other sentence: ${
        other
      } ${formatShare(turned)}" @click=${() => toggle(changes)}>FFN</button>`;
  };
  const tables = () => [
    tableOf(
      `Probability of ${answer} with one vector put back`,
      words,
      states.map((after) => [
        stateName(after),
        ...words.map((_, row) => vectors.find((each) => each.after === after && each.row === row)?.probability ?? NaN),
      ]),
    ),
  ];
  return html`<div class="map-scroll"><div class="decision-grid" role="group"
    aria-label="Vectors put back${stacks.length > 1 ? `, ${stack}` : ''}" @keydown=${onKey}
    .style=${`--tokens: ${tokens}; --states: ${states.length}`}
    ${figure({ name: 'What decided this', tables })}>
    ${words.map(
      (word, row) => html`<span class=${`decision-word${markOf(found, stack, row, isLast, state)}`}
        .style=${`grid-column: ${row + 2}`}><bdi>${word}</bdi></span>`,
    )}
    ${states.map(
      (after) =>
        html`<span class="decision-state" .style=${`grid-row: ${after + 2}`}>${
          after ? `Layer ${after}` : 'Words'
        }</span>`,
    )}
    ${lines({ stack, tokens, states: states.length, found })}
    ${vectors.map(dot)}
    ${ffns.filter((each) => each.stack === stack).map(ffn)}
    ${
      isLast
        ? html`<p class="decision-answer" .style=${`grid-row: ${states.length + 2}; grid-column: 1 / ${row + 3}`}
            ><bdi>${answer}</bdi> <b class="number">${formatShare(probability)}</b></p>`
        : nothing
    }
  </div></div>`;
}

/** A share without its sign. @param {number} share */
const bare = (share) => formatShare(share).replace('\u00a0%', '');

/** @param {Decision} found @param {string} stack @param {number} row @param {boolean} isLast @param {State} state */
function markOf({ swap, stacks }, stack, row, isLast, { cursor }) {
  if (stack === stacks[0].stack && row === swap.row) return ' is-key';
  return isLast && row === cursor.row ? ' is-query' : '';
}

/**
 * The path from state to state, and the links that were cut.
 * @param {{stack: Stack['stack'], tokens: number, states: number, found: Decision}} of
 */
function lines({ stack, tokens, states, found: { path, links, probability } }) {
  const own = path.filter((each) => each.stack === stack);
  /** From the middle of a state to that of the next. @param {{layer: number, row: number, key: number}} link */
  const curve = ({ layer, row, key }) => {
    const [from, to] = [key + 0.5, row + 0.5];
    return `M${from} ${layer + 0.5}C${from} ${layer + 1.25} ${to} ${layer + 0.75} ${to} ${layer + 1.5}`;
  };
  const steps = own.slice(1).map((to, i) => ({ from: own[i], to }));
  const upright = steps.filter(({ from, to }) => to.row === from.row && to.after === from.after + 1);
  const inStack = links.filter(({ kind }) => kind === stack);
  const carriers = inStack.filter(({ carries }) => carries);
  return html`<div class="decision-lines" .style=${`grid-row: 2 / span ${states}`} aria-hidden="true">
    <svg viewBox="0 0 ${tokens} ${states}" preserveAspectRatio="none">
      ${inStack.map((link, i) => {
        const width = 1 + 5 * Math.max(0, (probability - link.probability) / probability);
        const id = `decision-${stack}-${i}`;
        return link.carries
          ? svg`<linearGradient id=${id} gradientUnits="userSpaceOnUse" x1=${link.key + 0.5} x2=${link.row + 0.5} y1="0"
              y2="0"><stop class="is-key" offset="0" /><stop class="is-query" offset="1" /></linearGradient>
              <path class="carries" d=${curve(link)} stroke=${`url(#${id})`} stroke-width="7" />`
          : svg`<path d=${curve(link)} stroke-width=${width} />`;
      })}
      ${upright.map(
        ({ from }) =>
          svg`<path class="carries ${from.row === own[0].row ? 'is-key' : 'is-query'}"
            d="M${from.row + 0.5} ${from.after + 0.5}V${from.after + 1.5}" stroke-width="7" />`,
      )}
    </svg>
    ${carriers.map(
      ({ layer, head, row, key }) => html`<span .style=${`left: ${(100 * ((row + key) / 2 + 0.5)) / tokens}%;` +
        `top: ${(100 * (layer + 1)) / states}%`}>${headName(layer, head)}</span>`, // prettier-ignore
    )}
  </div>`;
}

/** @param {number} layer @param {number} head */
const headName = (layer, head) => `layer ${layer + 1}, head ${head + 1}`;

/** Arrow keys move among the dots. @param {KeyboardEvent} event */
function onKey(event) {
  const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
  const from = /** @type {HTMLElement} */ (event.target);
  if (!step || !from.dataset.at || event.altKey || event.ctrlKey || event.metaKey) return;
  const [after, row] = from.dataset.at.split(' ').map(Number);
  const grid = /** @type {HTMLElement} */ (event.currentTarget);
  const next = /** @type {HTMLElement | null} */ (
    grid.querySelector(`[data-at="${after + step[0]} ${row + step[1]}"]`)
  );
  event.preventDefault();
  next?.focus();
}

/** @type {import('../index.js').Feature} */
export const decisionWhy = {
  name: 'decision-why',
  style,
  needs,
  render(context, tools) {
    const found = foundIn(context);
    if (!found || found.unfinished) return found ? null : /** @type {null | undefined} */ (found);
    const { result, state } = context;
    const { input, output } = vocabularies(/** @type {ModelInfo} */ (context.modelInfo));
    const answer = output[found.answer];
    return html`<section class="panel" aria-labelledby="decision-why-title"><div id="decision-why">
      <div class="decision-head"><h2 id="decision-why-title">What decided <bdi class="quoted">${answer}</bdi>?</h2>
        ${closing(tools)}</div>
      ${swaps(found, { result, input, tools })}
      ${steps(found, { result, state, input, output })}
      ${cuts(found, { result, answer, tools })}
      ${offs(found, { result, state, answer, tools })}
      <p class="hint">What this does not show: vectors and links that only matter together.</p>
    </div></section>`;
  },
};

const MEAN = 'the mean of all words';

/**
 * Other words to swap, by the word that they take the place of.
 * @param {Decision} found
 * @param {{result: import('../../engine/results.js').Result, input: string[], tools: Tools}} of
 */
function swaps({ swap, swaps: all, stacks }, { result, input, tools: { get, set } }) {
  const words = visibleWords(result.plan.tokens[stacks[0].stack]?.words ?? []);
  const choose = (/** @type {Swap} */ { row, id }) => set({ swap: `${row}.${id ?? ''}`, interventions: baseOf(get()) });
  const choice = (/** @type {Swap} */ each, /** @type {string} */ name) => html`<button type="button" class="plain"
    aria-pressed=${each.row === swap.row && each.id === swap.id} @click=${() => choose(each)}
    ><bdi>${name}</bdi></button>`;
  const rows = [...new Set(all.filter(({ id }) => id !== null).map(({ row }) => row))];
  const means = all.filter(({ id }) => id === null);
  const others = rows.map((row) => {
    const choices = all.filter((each) => each.row === row && each.id !== null);
    return html`<span>Swap <bdi class="is-key">${words[row]}</bdi> for</span>${choices.map((each) =>
      choice(each, input[Number(each.id)]),
    )}`;
  });
  const blanked = html`<span>Replace by ${MEAN}</span>${means.map((each) => choice(each, words[each.row]))}`;
  return html`<p class="decision-swaps">${others}${means.length ? blanked : nothing}</p>`;
}

/**
 * Describes the search and its result in three sentences.
 * @param {Decision} found
 * @param {{result: import('../../engine/results.js').Result, state: State, input: string[], output: string[]}} of
 */
function steps(found, { result, input, output }) {
  const { swap, swapped, stacks, answer, probability, links, tried } = found;
  const own = stacks[0].stack;
  const words = visibleWords(result.plan.tokens[own]?.words ?? []);
  const quoted = (/** @type {string} */ word) => html`<bdi class="quoted">${word}</bdi>`;
  const name = quoted(output[answer]);
  const first = html`${
    swap.id === null
      ? html`With ${MEAN} in place of ${quoted(words[swap.row])}`
      : html`With ${quoted(input[swap.id])} in place of ${quoted(words[swap.row])}`
  }, ${
    swapped.answer === answer
      ? html`the answer stays ${name}: ${formatShare(probability)} → ${formatShare(swapped.left)}.`
      : html`the answer turns to ${quoted(output[swapped.answer])}: <b>${formatShare(swapped.probability)}</b>.`
  }${
    swapped.answer === swap.id
      ? html` That is the word put in: this shows where ${name} is copied from, not what decides for it.`
      : nothing
  }`;
  const half = (probability - swapped.left) / 2;
  // Find the last state up to which the word's own vectors bring most of the answer back.
  const kept = stacks[0].vectors.filter(({ row }) => row === swap.row);
  const brings = (/** @type {Vector} */ each) => Number(each.probability) - swapped.left >= half;
  const end = kept.findIndex((each) => !brings(each));
  const last = kept.at(end < 0 ? -1 : end - 1);
  const word = quoted(words[swap.row]);
  const some = html` (those of two words were tried: ${tried.vectors} of ${tried.allVectors})`;
  const second = html`Put back one vector at a time${tried.vectors < tried.allVectors ? some : nothing}: ${
    last?.after
      ? html`that of ${word} brings most of ${name} back up to layer ${last.after},
          ${formatShare(Number(last.probability))}.`
      : html`from layer 1 on, that of ${word} alone brings less than half of ${name} back.`
  }`;
  const sayLink = (/** @type {Link} */ { kind, layer, head, row, key, probability: after }) => {
    const { rowWords, columnWords } = wordsOf(result, kind);
    const [to, from] = [quoted(rowWords[row]), quoted(columnWords[key])];
    const does = row === key ? html`keeps it at ${to}` : html`carries it over from ${from} to ${to}`;
    return html`Layer ${layer + 1}, head ${head + 1} ${does}: without this link, ${name} is left with
      <b>${formatShare(after)}</b>.`;
  };
  const sayFfn = (/** @type {FfnStep} */ { stack, layer, row, off, turned }) => {
    const at = quoted(wordsOf(result, stack).rowWords[row]);
    const other = swap.id === null ? html`with ${MEAN}` : html`with ${quoted(input[swap.id])}`;
    return html`Layer ${layer + 1}, FFN makes the difference at ${at}: switched off there, ${name} is left with
      <b>${formatShare(off)}</b>; with what it writes there ${other}, the answer is
      ${quoted(output[swapped.answer])}, ${formatShare(turned)}.`;
  };
  const inOrder = decidingSteps(found).map((each) => ('link' in each ? sayLink(each.link) : sayFfn(each.ffn)));
  const none = html`No single link carries it over: none costs ${name} a quarter of its probability.`;
  const nothingLost = html`So there is nothing to bring back: try another word.`;
  const third = links.some(({ carries }) => carries) ? inOrder : [none, ...inOrder];
  const sentences = half > 0 ? [first, ...(kept.length > 1 ? [second] : []), ...third] : [first, nothingLost];
  return html`<ol class="decision-steps">${sentences.map((each) => html`<li>${each}</li>`)}</ol>`;
}

/**
 * The links that the answer loses most without.
 * @param {Decision} found
 * @param {{result: import('../../engine/results.js').Result, answer: string, tools: Tools}} of
 */
function cuts({ links: all, probability, tried, stacks }, { result, answer, tools }) {
  const several = stacks.length > 1;
  const links = all.filter(({ carries, probability: after }) => carries || bare(after) !== bare(probability));
  const { links: cut, allLinks } = tried;
  return html`<h3>Cut one link</h3>
    <ul class="decision-links">${links.map((link) => {
      const { kind, layer, head, row, key, probability: after } = link;
      const { rowWords, columnWords } = wordsOf(result, kind);
      const open = () => tools.set({ decision: null, ...placeOf(link, tools.get()) });
      return html`<li><button type="button" class="head" @click=${open}>
        <span>${several ? `${attention(kind).title}, ` : ''}${headName(layer, head)}</span>
        <span><bdi class="is-query">${rowWords[row]}</bdi> → <bdi class="is-key">${columnWords[key]}</bdi></span>
        ${bar(after, probability)}
        <span class="number">${bare(probability)} → <b>${formatShare(after)}</b></span></button></li>`;
    })}</ul>
    <p class="hint">${
      cut < allLinks
        ? html`Of ${allLinks.toLocaleString('en')} links of 3 % and more, the ${cut} that add most to
            <bdi class="quoted">${answer}</bdi> by themselves, then the strongest, were cut, one at a time.`
        : html`All ${allLinks.toLocaleString('en')} links of 3 % and more that can reach the answer were cut, one at a
            time.`
    } ${
      links.length
        ? html`${links.length === 1 ? 'This one costs' : `These ${links.length} cost`}
            <bdi class="quoted">${answer}</bdi> most. Select one to see it in its map. A link that costs a quarter or
            more is drawn on the path.`
        : 'The answer loses nothing without any of them.'
    }</p>`;
}

const PARTS = 9;

/**
 * Heads and FFNs by what is left without each: off at every word, and at the answer's alone.
 * @param {Decision} found
 * @param {{result: import('../../engine/results.js').Result, state: State, answer: string, tools: Tools}} of
 */
function offs({ parts, stacks, probability, tried }, { result, state, answer, tools }) {
  const several = stacks.length > 1;
  const { rowWords } = wordsOf(result, stacks[stacks.length - 1].stack);
  const word = rowWords[Math.min(state.cursor.row, rowWords.length - 1)];
  const { parts: all, allParts } = tried;
  /** @param {Part} part */
  function open({ kind, layer, head }) {
    const { graph, cursor } = tools.get();
    tools.set({
      decision: null,
      graph: { ...graph, node: head === null ? 'ffn' : 'attention' },
      selection: head === null ? { ...tools.selection(), kind, layer } : { kind, layer, head },
      cursor,
    });
  }
  return html`<h3>Switch one part off</h3>
    <ul class="decision-links decision-parts">
      <li class="decision-heading"><span></span><span>every word</span>
        <span><bdi class="is-query">${word}</bdi></span></li>
      ${parts.slice(0, PARTS).map((part) => {
        const { kind, layer, head, everywhere, here } = part;
        const name = head === null ? `layer ${layer + 1}, FFN` : headName(layer, head);
        return html`<li><button type="button" class="head" @click=${() => open(part)}>
          <span>${several ? `${attention(kind).title}, ` : ''}${name}</span>
          <span class="number">${formatShare(everywhere)}</span>
          <b class="number">${here === null ? '' : formatShare(here)}</b></button></li>`;
      })}</ul>
    <p class="hint">What is left of the ${formatShare(probability)} of <bdi class="quoted">${answer}</bdi> with a head
      or FFN off at every word, or at <bdi class="quoted">${word}</bdi> alone.${
        all < allParts ? ` The ${all} of ${allParts} that add most by themselves were tried.` : ''
      } Off, its average (under Try) and one link cut are three experiments: each takes something else away.</p>`;
}

/** Where a link stands in its map. @param {Link} link @param {State} state @returns {Partial<State>} */
const placeOf = ({ kind, layer, head, row, key }, { graph, cursor }) => ({
  graph: { ...graph, node: 'attention' },
  selection: { kind, layer, head },
  cursor: { ...cursor, row, key },
  own: { row: true, key: true },
});

/** Draws the share that is left. @param {number} after @param {number} before */
const bar = (after, before) => svg`<svg class="decision-bar" viewBox="0 0 100 8" preserveAspectRatio="none"
  aria-hidden="true"><rect width=${Math.min(100, (100 * after) / before)} height="8" class="after"></rect></svg>`;
