// A part of the page as a stand-alone SVG image: its boxes, texts, canvases and drawings as shapes.

import { beginning, lettersOf } from '../kit/letters.js';
import { INK, PAD, escaped, round } from './svg.js';

const TITLE = 34; // the space above
const SVG_STYLE = ['fill', 'stroke', 'stroke-width', 'stroke-opacity', 'stroke-dasharray', 'opacity'];
const SIDES = /** @type {const} */ (['top', 'right', 'bottom', 'left']);

/** @typedef {{x: number, y: number, width: number, height: number}} Box */

/**
 * @param {Element} element
 * @param {string} name
 * @returns {{svg: string, width: number, height: number}}
 */
export function snapshot(element, name) {
  const scrolled = [element, ...element.querySelectorAll('*')]
    .filter((each) => each.scrollTop || each.scrollLeft)
    .map((each) => ({ each, top: each.scrollTop, left: each.scrollLeft }));
  for (const { each } of scrolled) each.scrollTo({ top: 0, left: 0, behavior: 'instant' });
  try {
    return draw(element, name);
  } finally {
    for (const { each, ...place } of scrolled) each.scrollTo({ ...place, behavior: 'instant' });
  }
}

/**
 * @typedef {{parts: string[], edge: {left: number, top: number, right: number, bottom: number}}} Sheet
 *   what is drawn so far, and how far it reaches
 */

/** @param {Element} element @param {string} name */
function draw(element, name) {
  /** @type {Sheet} */
  const sheet = { parts: [], edge: { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity } };
  const { parts, edge } = sheet;
  const ink =
    INK[
      getComputedStyle(element).colorScheme.includes('dark') && matchMedia('(prefers-color-scheme: dark)').matches
        ? 'dark'
        : 'light'
    ];

  drawElement(sheet, element);
  const left = Math.min(edge.left, edge.right);
  const width = Math.ceil(Math.max(edge.right - left, name.length * 9) + 2 * PAD);
  const height = Math.ceil(edge.bottom - edge.top + 2 * PAD + TITLE);
  const size = `width="${width}" height="${height}"`;
  const font = `font-family="system-ui, 'DejaVu Sans', sans-serif" font-size="15" font-weight="600"`;
  const moved = `translate(${round(PAD - left)} ${round(PAD + TITLE - edge.top)})`;
  const title = escaped(name);
  return {
    svg:
      `<svg xmlns="http://www.w3.org/2000/svg" ${size} viewBox="0 0 ${width} ${height}" role="img">` +
      `<title>${title}</title>\n<rect ${size} fill="${ink.page}"/>\n` +
      `<text x="${PAD}" y="${PAD + 14}" ${font} fill="${ink.text}">${title}</text>\n` +
      `<g transform="${moved}">\n${parts.join('\n')}\n</g>\n</svg>\n`,
    width,
    height,
  };
}

/** @param {Sheet} sheet @param {Box} box */
function reach({ edge }, { x, y, width, height }) {
  edge.left = Math.min(edge.left, x);
  edge.top = Math.min(edge.top, y);
  edge.right = Math.max(edge.right, x + width);
  edge.bottom = Math.max(edge.bottom, y + height);
}

/** @param {Sheet} sheet @param {Element} each */
function drawElement(sheet, each) {
  if (
    !each.checkVisibility({ visibilityProperty: true }) ||
    each.matches('.visually-hidden, .fold-body, details:not(.neuron-card)')
  )
    return;
  const style = getComputedStyle(each);
  const box = each.getBoundingClientRect();
  const faded = style.opacity !== '1';
  if (faded) sheet.parts.push(`<g opacity="${style.opacity}">`);
  if (box.width && box.height) drawBox(sheet, box, style);
  if (each instanceof HTMLCanvasElement) {
    const rendering = style.imageRendering === 'pixelated' ? ' image-rendering="pixelated"' : '';
    sheet.parts.push(`<image ${place(box)} preserveAspectRatio="none"${rendering} href="${each.toDataURL()}"/>`);
  } else if (each instanceof SVGSVGElement) {
    reach(sheet, box);
    sheet.parts.push(drawing(each, box));
  } else if (each instanceof HTMLMeterElement) {
    sheet.parts.push(
      rect(
        { ...square(box), width: (box.width * each.value) / each.max },
        ` fill="${style.getPropertyValue('--accent')}"`,
      ),
    );
  } else {
    drawPseudo(sheet, each, '::before');
    for (const child of each.childNodes) {
      if (child instanceof Element) drawElement(sheet, child);
      else if (child.nodeType === Node.TEXT_NODE) write(sheet, /** @type {Text} */ (child), style, box);
    }
    drawPseudo(sheet, each, '::after');
    if (each.localName === 'mfrac') drawFraction(sheet, each, style);
    if (each.localName === 'msqrt') drawRoot(sheet, each, style);
  }
  if (faded) sheet.parts.push('</g>');
}

/** @param {Sheet} sheet @param {Box} box @param {CSSStyleDeclaration} style */
function drawBox(sheet, box, style) {
  const radius = parseFloat(style.borderTopLeftRadius) || 0;
  if (!isClear(style.backgroundColor)) {
    reach(sheet, box);
    sheet.parts.push(rect(box, ` rx="${radius}" fill="${style.backgroundColor}"`));
  }
  drawBorder(sheet, box, style, radius);
  const ring = /^(rgba?\([^)]*\)) 0px 0px 0px ([\d.]+)px inset$/.exec(style.boxShadow);
  if (ring) sheet.parts.push(framed(box, Number(ring[2]), ring[1], radius));
  if (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth)) {
    const width = parseFloat(style.outlineWidth);
    const wide = { x: box.x - width, y: box.y - width, width: box.width + 2 * width, height: box.height + 2 * width };
    reach(sheet, wide);
    sheet.parts.push(framed(wide, width, style.outlineColor, radius, style.outlineStyle));
  }
}

/** @param {Sheet} sheet @param {Box} box @param {CSSStyleDeclaration} style @param {number} radius */
function drawBorder(sheet, box, style, radius) {
  const lines = SIDES.map((side) => ({
    width: parseFloat(style.getPropertyValue(`border-${side}-width`)),
    color: style.getPropertyValue(`border-${side}-color`),
    how: style.getPropertyValue(`border-${side}-style`),
  }));
  const isSeen = (/** @type {typeof lines[number]} */ { width, color, how }) =>
    width > 0 && how !== 'none' && !isClear(color);
  if (!lines.some(isSeen)) return;
  reach(sheet, box);
  const [first] = lines;
  if (lines.every(({ width, color }) => width === first.width && color === first.color))
    return sheet.parts.push(framed(box, first.width, first.color, radius, first.how));
  const { x, y, width, height } = box;
  const ends = [
    [x, y, x + width, y],
    [x + width, y, x + width, y + height],
    [x, y + height, x + width, y + height],
    [x, y, x, y + height],
  ];
  lines.forEach((line, i) => {
    if (isSeen(line)) sheet.parts.push(stroke(ends[i], line.color, line.width));
  });
}

/**
 * Copies the borders, and arrows made of them, that a style sheet draws beside an element.
 * @param {Sheet} sheet
 * @param {Element} each
 * @param {string} which pseudo-element
 */
function drawPseudo(sheet, each, which) {
  const style = getComputedStyle(each, which);
  const parent = each.getBoundingClientRect();
  const sign = /^"([^"\\]+)"$/.exec(style.content)?.[1];
  if (sign && style.position === 'static' && style.display === 'inline') {
    sheet.parts.push(
      letters(
        { x: which === '::before' ? parent.x : parent.right, y: parent.y, width: 0, height: parent.height },
        style,
        sign,
        which === '::before' ? '' : ' text-anchor="end"',
      ),
    );
  }
  if (style.content === 'none' || style.position !== 'absolute') return;
  const [x, y] = [
    parent.x + each.clientLeft + parseFloat(style.left),
    parent.y + each.clientTop + parseFloat(style.top),
  ];
  const [above, right, , left] = SIDES.map((side) => parseFloat(style.getPropertyValue(`border-${side}-width`)));
  const box = { x, y, width: parseFloat(style.width), height: parseFloat(style.height) };
  if (style.boxSizing !== 'border-box' || !(box.width && box.height)) {
    box.width = Math.max(box.width, left + right);
    box.height = Math.max(box.height, above);
  }
  if (left && isClear(style.borderLeftColor)) {
    sheet.parts.push(
      `<path d="M${round(x)} ${round(y)}h${left + right}l${-right} ${above}z" fill="${style.borderTopColor}"/>`,
    );
  } else drawBorder(sheet, box, style, 0);
}

/** @param {Sheet} sheet @param {Text} text @param {CSSStyleDeclaration} style @param {Box} within */
function write(sheet, text, style, within) {
  for (const { line, box } of linesOf(text)) {
    if (!line.trim()) continue;
    reach(sheet, box);
    const overflow = style.overflowX !== 'visible' && box.x + box.width > within.x + within.width + 1;
    const share = overflow ? (within.x + within.width - box.x) / box.width : 1;
    const shown = share < 1 ? `${beginning(line, Math.max(1, Math.floor(line.length * share) - 1))}…` : line;
    const fit = share < 1 ? '' : ` textLength="${round(box.width)}" lengthAdjust="spacingAndGlyphs"`;
    sheet.parts.push(letters(box, style, shown, fit));
  }
}

/** @param {Sheet} sheet @param {Element} fraction @param {CSSStyleDeclaration} style */
function drawFraction(sheet, fraction, style) {
  const [above, below] = [...fraction.children].map((each) => each.getBoundingClientRect());
  const { x, right } = fraction.getBoundingClientRect();
  sheet.parts.push(stroke([x, (above.bottom + below.top) / 2, right, (above.bottom + below.top) / 2], style.color, 1));
}

/** @param {Sheet} sheet @param {Element} root @param {CSSStyleDeclaration} style */
function drawRoot(sheet, root, style) {
  const { x, y, right, bottom } = root.getBoundingClientRect();
  const inner = root.firstElementChild?.getBoundingClientRect().x ?? x;
  const hook = `M${round(x)} ${round((y + bottom) / 2)}L${round((x + inner) / 2)} ${round(bottom)}`;
  const line = `L${round(inner)} ${round(y + 1)}H${round(right)}`;
  sheet.parts.push(`<path d="${hook}${line}" fill="none" stroke="${style.color}"/>`);
}

/** The lines that a text is broken into, each with its place. @param {Text} text */
function linesOf(text) {
  const range = document.createRange();
  /** @type {{line: string, box: Box}[]} */
  const lines = [];
  for (const { segment, index } of lettersOf(text.data)) {
    range.setStart(text, index);
    range.setEnd(text, index + segment.length);
    const [box] = range.getClientRects();
    if (!box?.width) continue; // white space that is not set
    const last = lines.at(-1);
    if (last && Math.abs(box.y - last.box.y) < 2) {
      last.line += segment;
      const x = Math.min(last.box.x, box.x); // the next letter stands to the left in Hebrew and Arabic
      Object.assign(last.box, { x, width: Math.max(last.box.x + last.box.width, box.right) - x });
    } else lines.push({ line: segment, box: square(box) });
  }
  return lines;
}

/** A drawing of the page with its style in it. @param {SVGSVGElement} svg @param {Box} box */
function drawing(svg, box) {
  const copy = /** @type {SVGSVGElement} */ (svg.cloneNode(true));
  const originals = svg.querySelectorAll('*');
  copy.querySelectorAll('*').forEach((each, i) => {
    const style = getComputedStyle(originals[i]);
    for (const name of [...SVG_STYLE, ...(each.localName === 'text' ? ['font-family', 'font-size'] : [])])
      each.setAttribute(name, style.getPropertyValue(name));
    each.removeAttribute('class');
  });
  for (const name of ['class', 'color', 'aria-hidden', 'role', 'aria-label', 'width', 'height'])
    copy.removeAttribute(name);
  copy.setAttribute('overflow', 'visible');
  return new XMLSerializer()
    .serializeToString(copy)
    .replace(/<!--.*?-->/gs, '')
    .replace('<svg', `<svg ${place(box)}`);
}

/** @param {string} color */
const isClear = (color) => color === 'transparent' || /, 0\)$|\/ 0\)$/.test(color);

/** @param {Box} box */
const square = ({ x, y, width, height }) => ({ x, y, width, height });

/** @param {Box} box */
const place = ({ x, y, width, height }) =>
  `x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}"`;

/**
 * A line of text in its box.
 * @param {Box} box
 * @param {CSSStyleDeclaration} style
 * @param {string} text
 * @param {string} more attributes
 */
const letters = ({ x, y, height }, { fontSize, fontWeight, fontStyle, fontFamily, color }, text, more) =>
  `<text x="${round(x)}" y="${round(y + height * 0.79)}" font-size="${fontSize}" ` +
  `font-weight="${fontWeight}" font-style="${fontStyle}" font-family="${escaped(fontFamily)}" ` +
  `fill="${color}"${more} xml:space="preserve">${escaped(text)}</text>`;

/** @param {Box} box @param {string} more */
const rect = (box, more) => `<rect ${place(box)}${more}/>`;

/** A frame inside a box. @param {Box} box @param {number} line @param {string} color @param {number} radius */
const framed = ({ x, y, width, height }, line, color, radius, how = 'solid') =>
  rect(
    { x: x + line / 2, y: y + line / 2, width: width - line, height: height - line },
    ` rx="${Math.max(0, radius - line / 2)}" fill="none" stroke="${color}" stroke-width="${line}"` +
      (how === 'dashed' ? ` stroke-dasharray="${2 * line}"` : ''),
  );

/** @param {number[]} ends @param {string} color @param {number} width */
const stroke = ([x1, y1, x2, y2], color, width) =>
  `<path d="M${round(x1)} ${round(y1)}L${round(x2)} ${round(y2)}" stroke="${color}" stroke-width="${width}"/>`;
