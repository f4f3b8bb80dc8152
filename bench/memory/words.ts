const syllables = 'ka lo mi ne pu ra se ti vo zu bel dor fin gar hol'.split(' ');
const common = 'the of and to in is that for it with as on be at by this from or which are'.split(' ');

/** A deterministic sequence of words: every other one is common, the rest are drawn from some 50,000. */
export function wordsOf(number: number, count: number): string {
  let state = (number * 2_654_435_761) >>> 0;
  const next = (limit: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  const words = Array.from({ length: count }, (_, index) =>
    index % 2 ? common[next(common.length)] : [1, 2, 3, 4].map(() => syllables[next(syllables.length)]).join(''),
  );
  return words.join(' ');
}
