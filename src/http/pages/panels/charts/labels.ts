/** The names of measures and keys in the schema, where splitting them into words is not enough. */
const known = new Map(
  Object.entries({
    avg: 'average',
    sum: 'sum of',
    min: 'smallest',
    max: 'largest',
    p50: 'median',
    p95: '95th percentile of',
    cumulative: 'running',
  }),
);
/** Fields that say something of the number within them. */
const measures = new Set([...known.keys(), 'distinct', 'previous']);
const short = new Set(['api', 'csv', 'id', 'pdf', 'url', 'usd']);

/** A name of GraphQL as words: `withEmail` as `with email`. */
const wordsOf = (name: string): string =>
  known.get(name) ??
  name
    .split(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[a-z]{3})(?=\d)|_+/)
    .filter(Boolean)
    .map((word) => (short.has(word.toLowerCase()) ? word.toUpperCase() : word.toLowerCase()))
    .join(' ');

/** The path of a column or a table, as people say it: `by.week.from` as `Week`, `sum.cost` as `Sum of cost`. */
export function labelOf(path: string): string {
  const whole = path.split('.');
  const names = whole.length > 1 && whole[0] === 'by' ? whole.slice(1) : whole;
  const isSaid = (name: string | undefined) =>
    name === 'totalCount' || name === 'name' || name === 'title' || (name === 'from' && whole[0] === 'by');
  if (names.length > 1 && isSaid(names.at(-1))) names.pop();
  const text = names.reduce((said, name, at) => {
    if (at === 0) return wordsOf(name);
    return `${said}${measures.has(names[at - 1] ?? '') ? '' : ':'} ${wordsOf(name)}`;
  }, '');
  return text.charAt(0).toUpperCase() + text.slice(1) || path;
}

/** A label within a sentence. */
export const inSentence = (label: string): string =>
  /^\p{Lu}\p{Lu}/u.test(label) ? label : label.charAt(0).toLowerCase() + label.slice(1);

/** The labels of columns that stand beside each other: where two are alike, their paths. */
export function labelsOf(paths: readonly string[]): string[] {
  const labels = paths.map(labelOf);
  return labels.map((label, at) =>
    labels.indexOf(label) === labels.lastIndexOf(label) ? label : (paths[at] ?? label),
  );
}
