// The order in which the page lists the claims: some to start with, then the others as a course.

/**
 * Those that a newcomer starts with, as their verdict is not the expected one: lectures or papers say the sentence
 * without a condition, and it is false or depends. It has neither symbols nor a name of later years, so that a newcomer
 * can bet on it. The first is about words and takes no time.
 */
export const FIRST = [4, 21, 14, 29, 13, 19, 11, 23, 30, 5];

/**
 * Each claim once; it has its place in this list as its number on the page.
 * @template {{claim: {number: number}}} C
 * @param {readonly {title: string, claims: readonly C[]}[]} course
 * @returns {{title: string, claims: C[]}[]}
 */
export function listed(course) {
  const all = course.flatMap(({ claims }) => claims);
  const first = FIRST.flatMap((number) => all.find(({ claim }) => claim.number === number) ?? []);
  const others = course.map(({ title, claims }) => ({ title, claims: claims.filter((each) => !first.includes(each)) }));
  return [
    { title: `Start with these ${FIRST.length}`, claims: first },
    ...others.filter(({ claims }) => claims.length > 0),
  ];
}
