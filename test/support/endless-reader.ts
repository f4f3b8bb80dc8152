import { handlers } from '../../src/knowledge/worker-task.ts';

const { content: readContent } = handlers;
const held: Buffer[] = [];

/** The reader of the gateway, which with these words never ends, whatever the machine. */
handlers.content = (content, onProgress) => {
  const text = new TextDecoder().decode(content.bytes);
  while (text === 'endless');
  if (text !== 'endless and large') return readContent(content, onProgress);
  held.push(Buffer.alloc(64_000_000, 1));
  return new Promise(() => {});
};

await import('../../src/knowledge/worker-main.ts');
