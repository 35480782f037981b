/**
 * Where a file ends by an answer with the part of it from one byte on.
 * @param {Response} response
 * @param {number} from
 * @returns {number | null} NaN for another part; null where another origin's range is hidden
 */
export function endOf({ headers, type }, from) {
  const range = headers.get('content-range');
  if (range === null && type === 'cors') return null;
  const [, begin, last, total] = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/i.exec(range ?? '') ?? [];
  const end = Number(last) + 1;
  const fits = Number(begin) === from && end > from && (total === '*' || Number(total) === end);
  return fits ? end : NaN;
}
