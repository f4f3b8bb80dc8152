import { isByLink, type Result, request } from './page.ts';

/** The result of a tile, by its position on the board. */
type TileResult = Result & { tile: number };
type Listener = {
  result: (result: TileResult) => void;
  state: (text: string) => void;
  /** The link by which the page was opened ends. */
  ended: () => void;
};

const longestPauseMs = 30_000;

/** Follows the results of a board until it is stopped: a stream that ends is opened again, after a growing pause. */
export function follow(path: string, { result, state, ended }: Listener): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  const run = async () => {
    for (let pauseMs = 1_000; !signal.aborted; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
      try {
        const response = await request(path, { headers: { Accept: 'text/event-stream' }, signal });
        if (!response) return;
        if (!response.ok || !response.body) {
          if (response.status === 401 && isByLink) return ended();
          const { message = '' } = (await response.json()) as { message?: string };
          state(`Not live: ${message}`);
          if (response.status < 500 && response.status !== 429 && response.status !== 401) return;
        } else {
          state('Live');
          for await (const data of eventsOf(response.body)) {
            pauseMs = 1_000;
            result(JSON.parse(data) as TileResult);
          }
        }
      } catch {
        // The gateway cannot be reached; the next turn tries again.
      }
      if (signal.aborted) return;
      state('Not live: connecting again…');
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  };
  void run();
  return () => controller.abort();
}

/** The data of server-sent events. EventSource sends no header, and so no bearer. */
async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  for (let rest = ''; ; ) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (rest + decoder.decode(value, { stream: true })).split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const lines = part.split('\n').filter((line) => line.startsWith('data:'));
      if (lines.length > 0) yield lines.map((line) => line.slice('data:'.length).trimStart()).join('\n');
    }
  }
}
