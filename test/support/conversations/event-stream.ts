export type SseEvent = { id?: string; data: any };

/** Reads server-sent events; counts comments. The last event has the data `[DONE]`. */
export function readEvents(response: Response) {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let text = '';
  const events: SseEvent[] = [];
  const stream = {
    comments: 0,
    /** The next event; undefined at the end. */
    async next(): Promise<SseEvent | undefined> {
      while (events.length === 0) {
        const { done, value } = await reader.read();
        if (done) return undefined;
        text += decoder.decode(value, { stream: true });
        const blocks = text.split('\n\n');
        text = blocks.pop() ?? '';
        for (const block of blocks) take(block);
      }
      return events.shift();
    },
    /** The events up to and including the first that fits. */
    async until(fits: (event: SseEvent) => boolean): Promise<SseEvent[]> {
      const taken: SseEvent[] = [];
      for (let event = await stream.next(); event; event = await stream.next()) {
        taken.push(event);
        if (fits(event)) return taken;
      }
      throw new Error(`The stream ended with ${JSON.stringify(taken.at(-1))}`);
    },
    async rest(): Promise<SseEvent[]> {
      const taken: SseEvent[] = [];
      for (let event = await stream.next(); event; event = await stream.next()) taken.push(event);
      return taken;
    },
    leave: () => reader.cancel(),
  };
  function take(block: string): void {
    const event: SseEvent = { data: undefined };
    for (const line of block.split('\n')) {
      if (line.startsWith(':')) stream.comments += 1;
      else if (line.startsWith('id: ')) event.id = line.slice(4);
      else if (line.startsWith('data: ')) event.data = line === 'data: [DONE]' ? '[DONE]' : JSON.parse(line.slice(6));
    }
    if (event.data !== undefined) events.push(event);
  }
  return stream;
}

export const textOf = (events: SseEvent[]): string =>
  events.map(({ data }) => (data.type === 'text-delta' ? data.delta : '')).join('');
