type Refusal = 'duplicate' | 'reference' | 'missing';

const codes: Record<string, Refusal> = { P2002: 'duplicate', P2003: 'reference', P2025: 'missing' };

/**
 * The result of a write that the database itself may refuse, so that nothing has to be read before it. Throws what is
 * given for the refusal: `duplicate`, a row with the same unique values is there; `reference`, the row refers to none,
 * or others still refer to it; `missing`, there is no row to change.
 */
export async function unlessRefused<T>(
  write: Promise<T>,
  refusals: Partial<Record<Refusal, () => Error | Promise<Error>>>,
): Promise<T> {
  try {
    return await write;
  } catch (error) {
    const refusal = codes[(error as { code?: string }).code ?? ''];
    const explain = refusal && refusals[refusal];
    if (explain) throw await explain();
    throw error;
  }
}
