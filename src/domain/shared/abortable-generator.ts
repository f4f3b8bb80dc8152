/**
 * Wraps the generator of `make`: when its consumer leaves, `signal` is aborted, even while an item is pending. A plain
 * generator would only notice at its next `yield`.
 */
export function abortable<T>(make: (signal: AbortSignal) => AsyncGenerator<T, void>): AsyncGenerator<T, void> {
  const controller = new AbortController();
  const items = make(controller.signal);
  return {
    next: () => items.next(),
    return(value) {
      controller.abort();
      return items.return(value);
    },
    throw(error) {
      controller.abort();
      return items.throw(error);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
    async [Symbol.asyncDispose]() {
      await this.return(undefined);
    },
  };
}
