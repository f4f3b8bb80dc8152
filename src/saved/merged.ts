import { abortable } from '../domain/shared/abortable-generator.ts';

/**
 * Yields what any of the sources yields, as it comes. A slow reader gets the latest of each. Throws what one throws.
 */
export function merged<Item>(sources: AsyncGenerator<Item, void>[]): AsyncGenerator<Item, void> {
  return abortable(async function* (signal) {
    const ready = new Map<number, Item>();
    let failure: { error: unknown } | undefined;
    let open = sources.length;
    let wake = () => {};
    const leave = () => {
      for (const source of sources) void source.return();
      wake();
    };
    signal.addEventListener('abort', leave);
    const pump = async (source: AsyncGenerator<Item, void>, at: number) => {
      try {
        for await (const item of source) {
          ready.set(at, item);
          wake();
        }
      } catch (error) {
        failure ??= { error };
      }
      open -= 1;
      wake();
    };
    for (const [at, source] of sources.entries()) void pump(source, at);
    try {
      while (!signal.aborted) {
        const [next] = ready;
        if (next) {
          ready.delete(next[0]);
          yield next[1];
        } else if (failure) throw failure.error;
        else if (open === 0) return;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      leave();
    }
  });
}
