/**
 * A fault that somebody might introduce. `before` occurs once in the file; `folders` are where the tests that should
 * notice are.
 */
export type Mutant = { what: string; file: string; before: string; after: string; folders: string[] };
