/** What to do when the disk of the data is full. */
export const fullDisk = 'The disk is full: free some space, or set DATA_DIR to a folder on another disk.';

/**
 * Whether an error, or what caused it, is a full disk: by its code, or in the words of PostgreSQL, PGlite and SQLite.
 */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return /no space (is )?left|disk is full/i.test(String(error));
  const { code } = error as { code?: unknown };
  return (
    code === 'ENOSPC' || code === '53100' || isDiskFull(error.message) || (!!error.cause && isDiskFull(error.cause))
  );
}
