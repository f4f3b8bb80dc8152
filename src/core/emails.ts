/**
 * An email in lower case, as it is kept and looked for. Only the letters of ASCII change: Unicode makes others plain letters
 * too (K, the sign of Kelvin, a k), and so one email another person's.
 */
export const lowerCaseEmail = (email: string): string => email.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
