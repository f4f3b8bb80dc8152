/** Ways to write the same span in a filter: at its top, in `and`, in parts and within longer spans. */
export const spanForms = ['plain', 'and', 'single', 'nested', 'parts', 'overlapping', 'last', 'beside'] as const;
export type SpanForm = (typeof spanForms)[number];

const day = 86_400_000;

/** A filter on `createdAt` for the time between two moments. */
export function spanFilter(form: SpanForm, from: number, to: number): string {
  const range = (bounds: { from?: number; to?: number }) =>
    `createdAt: {${Object.entries(bounds)
      .map(([end, at]) => `${end}: "${new Date(at).toISOString()}"`)
      .join(', ')}}`;
  const whole = range({ from, to });
  switch (form) {
    case 'plain':
      return `{${whole}}`;
    case 'and':
      return `{and: [{${whole}}]}`;
    case 'single':
      return `{and: {${whole}}}`;
    case 'nested':
      return `{and: [{capture: [completed, partial]}, {and: [{and: [{${whole}}]}]}]}`;
    case 'parts':
      return `{${range({ from })}, and: [{}, {and: [{${range({ to })}}]}]}`;
    case 'overlapping':
      return `{${range({ from, to: to + 3 * day })}, and: [{${range({ from: from - 40 * day })}}, {${range({ from: from - day, to })}}]}`;
    case 'last':
      // The time until now includes a span in the past.
      return to < Date.now() ? `{createdAt: {last: "100y"}, and: [{${whole}}]}` : `{${whole}}`;
    case 'beside':
      // In `or` and `not` no span is fixed, and these match all rows.
      return `{${whole}, or: [{${range({ from: to })}}, {${range({ to })}}], not: {${range({ to: 0 })}}}`;
  }
}
