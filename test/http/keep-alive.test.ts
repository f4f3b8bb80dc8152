import { createYoga } from 'graphql-yoga';
import { expect, test } from 'vitest';
import { keepAlive } from '../../src/graphql/streams/keep-alive.ts';

const { fetchAPI: yogas } = createYoga({});

/** An event stream without events, built from the given classes and passed through `keepAlive`. */
function passedOn({ ReadableStream, Response }: Pick<typeof globalThis, 'ReadableStream' | 'Response'>) {
  const left = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({ pull: () => left.promise, cancel: () => left.resolve() });
  const response = new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  let passed = response;
  const given = { response, setResponse: (other: Response) => void (passed = other) };
  void keepAlive(60_000).onResponse?.(given as never);
  return { passed, left: left.promise };
}

test.each([
  ['of Node', globalThis],
  ['of Yoga', yogas as never],
])('a caller that leaves a stream %s ends it at its source, though it is being read', async (_, classes) => {
  const { passed, left } = passedOn(classes);
  const reader = (passed.body as ReadableStream<Uint8Array>).getReader();
  const reading = reader.read();
  await reader.cancel();
  await left;
  expect(await reading).toMatchObject({ done: true });
});
