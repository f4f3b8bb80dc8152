/**
 * What `make` generates, until its reader leaves: then `signal` is aborted, also while the next item is waited for. A
 * generator alone would hear of it no sooner than that item comes.
 */
export function abortable<T>(make: (signal: AbortSignal) => AsyncGenerator<T, void>): AsyncGenerator<T, void> {
  const left = new AbortController();
  const items = make(left.signal);
  return {
    next: () => items.next(),
    return(value) {
      left.abort();
      return items.return(value);
    },
    throw(error) {
      left.abort();
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
