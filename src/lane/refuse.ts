/** The lane does not answer this operation: the resolvers do, and theirs are also its errors. Says why, for the log. */
export class Refuse extends Error {
  override name = 'Refuse';
}

/** Leaves an operation to the resolvers. */
export function refuse(why: string): never {
  throw new Refuse(why);
}

/** What `make` makes, or its refusal as a value, so that it can be remembered. */
export function orRefuse<Value>(make: () => Value): Value | Refuse {
  try {
    return make();
  } catch (error) {
    if (error instanceof Refuse) return error;
    throw error;
  }
}
