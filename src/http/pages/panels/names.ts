/** `LeadsPerWeek` as `leads-per-week`. */
export const kebab = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^[^a-z]+|-+$/g, '')
    .slice(0, 100);

/** `leads-per-week` as `Leads per week`. */
export const titleOf = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('-', ' ');

/** Whether an operation writes, and so has no address of its own; fragments may stand before it. */
export const isMutation = (query: string): boolean => /(?:^|\})[\s,]*mutation\b/.test(query.replaceAll(/#.*/g, ''));
