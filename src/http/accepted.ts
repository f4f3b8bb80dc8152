const refused = /;\s*q=0(?:\.0*)?\s*(?:;|$)/i;

/** The items of a header such as Accept or Accept-Encoding, apart from those with a weight of zero: these are refused. */
export const acceptedIn = (header: string): string[] => header.split(',').filter((item) => !refused.test(item));
