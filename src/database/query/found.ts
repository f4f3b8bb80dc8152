import { notFound } from '../../core/errors.ts';

/**
 * Resolves with the result of a write to one row; throws 404 `not_found` if the row does not exist (Prisma's P2025).
 */
export async function orNotFound<T>(what: string, write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if ((error as { code?: string }).code === 'P2025') throw notFound(what);
    throw error;
  }
}

/** Resolves with the result of a write to one row; null if the row does not exist. */
export async function orNull<T>(write: Promise<T>): Promise<T | null> {
  try {
    return await write;
  } catch (error) {
    if ((error as { code?: string }).code === 'P2025') return null;
    throw error;
  }
}
