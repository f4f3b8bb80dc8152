/**
 * Returns an email address in lower case, as it is stored and compared. Only ASCII letters are changed: Unicode also
 * maps other characters to plain letters (the Kelvin sign to k), so one person's address could become another's.
 */
export const lowerCaseEmail = (email: string): string => email.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
