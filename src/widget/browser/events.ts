type ServerEvent = { id: string; data: string };

/** Parses the server-sent events of a response, skipping comments and `[DONE]`. Throws if the connection breaks. */
export async function* readEvents(response: Response): AsyncGenerator<ServerEvent, void> {
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += value;
      const blocks = text.split(/\r?\n\r?\n/);
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = eventOf(block);
        if (event.data && event.data !== '[DONE]') yield event;
      }
    }
  } finally {
    void reader.cancel().catch(() => {});
  }
}

function eventOf(block: string): ServerEvent {
  const event = { id: '', data: '' };
  for (const line of block.split(/\r?\n/)) {
    const [, name, value = ''] = /^(id|data): ?(.*)$/.exec(line) ?? [];
    if (name === 'id') event.id = value;
    if (name === 'data') event.data += (event.data && '\n') + value;
  }
  return event;
}
