const refused = /;\s*q=0(?:\.0*)?\s*(?:;|$)/i;

/** The items of a header such as Accept or Accept-Encoding, without those that are refused by a weight of zero. */
export const acceptedIn = (header: string): string[] => header.split(',').filter((item) => !refused.test(item));

/** Whether a person's browser asks for a page. */
export const acceptsPage = (accept = ''): boolean => acceptedIn(accept).some((item) => /^\s*text\/html\b/i.test(item));
