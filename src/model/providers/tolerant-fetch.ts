import { isObject, parsedJson } from '../../core/json.ts';
import { currentSpan } from '../../core/tracing.ts';
import { providerFetch } from './provider-fetch.ts';
import type { ByteReader, ProviderResponse } from './provider-request.ts';
import { omitRefusedParameters } from './refused-parameters.ts';
import { errorBody, type Json, type Wire } from './wire.ts';

/**
 * A fetch for the SDK of a protocol, for one model. It would reject a whole reply for one odd value, such as a count
 * sent as text, an empty event or a field of another type: this takes what it knows of a response, counts in the span
 * of the attempt what it does not, and makes a stream of a response that is none though one was asked for.
 */
export function tolerantFetch(
  wire: Wire,
  ask: typeof fetch = omitRefusedParameters(new Map(), providerFetch),
): typeof fetch {
  return async (address, init) => {
    const span = currentSpan();
    const response = await ask(address, init);
    const { status, statusText, headers, body, ok } = response;
    if (!body) return response;
    const type = headers.get('content-type') ?? '';
    const isAsked = isStreamAsked(address, init);
    const answer = (read: string | ReadableStream, contentType: string) => {
      const changed = new Headers(headers);
      // The body changes in length, and is no longer compressed.
      for (const name of ['content-length', 'content-encoding']) changed.delete(name);
      changed.set('content-type', contentType);
      return new Response(read, { status, statusText, headers: changed });
    };
    if (!ok) return answer(errorBody(await response.text(), type, wire), 'application/json');
    if (!isAsked) {
      const text = await response.text();
      const given = parsedJson(text);
      return answer(isObject(given) ? JSON.stringify(wire.whole(given)) : text, type);
    }
    if (isWhole(type))
      return answer(
        readWhole(await response.text(), wire)
          .map(written)
          .join(''),
        'text/event-stream',
      );
    return answer(bytesOf(eventsIn(body.getReader(), wire, noteSkipped(span))), 'text/event-stream');
  };
}

/** The events of a response to a request for a stream, without the SDK: those that arrive together, together. */
export async function* eventsOf(response: ProviderResponse, wire: Wire): AsyncGenerator<Json[], void> {
  const withoutEnd = (events: (Json | null)[]) => events.filter((event) => event !== null);
  if (isWhole(response.headers.get('content-type') ?? '')) {
    yield withoutEnd(upToEnd(readWhole(await response.text(), wire)));
    return;
  }
  if (!response.body) return;
  const { next, leave } = eventsIn(response.body.getReader(), wire, noteSkipped(currentSpan()));
  try {
    for (let events = await next(); events; events = await next()) yield withoutEnd(events);
  } finally {
    leave();
  }
}

type Events = { next: () => Promise<(Json | null)[] | null>; leave: () => void };

/** The events of a body, as they arrive; null once they have ended. */
function eventsIn(source: ByteReader, wire: Wire, note: (skipped: number) => void): Events {
  const reader = readEvents(wire);
  const decoder = new TextDecoder();
  let isRead = false;
  return {
    async next() {
      if (isRead) return null;
      const { done, value } = await source.read();
      const events = upToEnd(reader.push(done ? `${decoder.decode()}\n\n` : decoder.decode(value, { stream: true })));
      isRead = done || reader.isDone();
      if (isRead) note(reader.skipped());
      if (isRead && !done) drain(source);
      return events;
    },
    leave() {
      if (!isRead) source.cancel().catch(() => undefined);
    },
  };
}

/** How long a server may take to end a response after `[DONE]`, in milliseconds. */
const endingMs = 1_000;

/** Reads to the end of a response whose events have ended, so that its connection can be used again. */
function drain(source: ByteReader): void {
  const timer = setTimeout(() => void source.cancel().catch(() => undefined), endingMs);
  const readOn = async () => {
    while (!(await source.read()).done);
  };
  readOn()
    .catch(() => undefined)
    .finally(() => clearTimeout(timer));
}

function bytesOf({ next, leave }: Events): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      for (let events = await next(); events; events = await next())
        if (events.length > 0) return controller.enqueue(encoder.encode(events.map(written).join('')));
      controller.close();
    },
    cancel: leave,
  });
}

/** Whether a response is not a stream, though one was asked for. */
const isWhole = (type: string): boolean => /json/i.test(type) && !/ndjson/i.test(type);

function readWhole(text: string, wire: Wire): (Json | null)[] {
  const given = parsedJson(text);
  const whole = Array.isArray(given) ? given.filter(isObject) : isObject(given) ? [given] : null;
  return whole
    ? whole.flatMap((each) => wire.events(each).filter((event) => event !== null))
    : readEvents(wire).push(`${text}\n\n`);
}

const noteSkipped = (span: ReturnType<typeof currentSpan>) => (skipped: number) => {
  if (skipped > 0) span?.set({ 'parley.skipped_events': skipped });
};

/** Whether a request asks for a stream: by its address with Google, by its body elsewhere. */
function isStreamAsked(address: Parameters<typeof fetch>[0], init?: RequestInit): boolean {
  if (String(address).includes(':streamGenerateContent')) return true;
  // Quotes within a text are escaped.
  return typeof init?.body === 'string' && /(?<!\\)"stream":\s*true/.test(init.body);
}

/**
 * Reads server-sent events, and lines that are JSON themselves, by line: an event need not end with an empty one. Null
 * is the end that `[DONE]` says.
 */
function readEvents(wire: Wire) {
  let rest = '';
  /** A carriage return at the end of what was read: a line feed after it ends the same line. */
  let held = '';
  /** The lines of an event whose JSON is not complete yet, and how many of its brackets are open. */
  let begun = '';
  let open = 0;
  let skipped = 0;
  let hasEnded = false;
  let isDone = false;
  const event = (data: string, events: (Json | null)[]): void => {
    if (data.trim() === '[DONE]') {
      isDone = true;
      if (!hasEnded && wire.end) events.push(wire.end.event);
      return void events.push(null);
    }
    const alone = parsedJson(data);
    if (alone === undefined) open = (begun ? open : 0) + bracketsIn(data);
    // Parsed once it may be whole, not again for each of its lines.
    const given = begun && alone === undefined && open <= 0 ? parsedJson(begun + data) : alone;
    if (given === undefined) {
      begun += `${data}\n`;
      return;
    }
    if (begun && alone !== undefined) skipped++;
    begun = '';
    const read = isObject(given) ? wire.event(given) : null;
    if (!read) return void skipped++;
    hasEnded ||= wire.end?.isSaidBy(read) ?? false;
    events.push(read);
  };
  const line = (text: string, events: (Json | null)[]): void => {
    const data = dataIn(text);
    if (data !== null && (data.trim() || begun)) return event(data, events);
    if (data === null && text.trim()) return;
    // An empty event, or what has begun and is no JSON.
    if (data !== null || begun) skipped++;
    begun = '';
  };
  return {
    push(chunk: string): (Json | null)[] {
      const text = held + chunk;
      held = text.endsWith('\r') ? '\r' : '';
      // Only what is new: a line of many megabytes arrives in thousands of chunks.
      const [first = '', ...others] = text.slice(0, text.length - held.length).split(/\r\n|\n|\r/);
      const lines = [rest + first, ...others];
      rest = lines.pop() ?? '';
      const events: (Json | null)[] = [];
      for (const each of lines) line(each, events);
      return events;
    },
    skipped: () => skipped,
    isDone: () => isDone,
  };
}

/** What a line of server-sent events says, or one that is JSON itself; null if it is neither. */
function dataIn(line: string): string | null {
  if (line.startsWith('data:')) return line.slice(line[5] === ' ' ? 6 : 5);
  return /^\s*\{/.test(line) ? line : null;
}

/** How many brackets a line of JSON opens and does not close. */
function bracketsIn(line: string): number {
  let open = 0;
  let isQuoted = false;
  for (let at = 0; at < line.length; at++) {
    const mark = line[at];
    if (mark === '"') isQuoted = !isQuoted;
    else if (isQuoted) at += Number(mark === '\\');
    else if (mark === '{' || mark === '[') open += 1;
    else if (mark === '}' || mark === ']') open -= 1;
  }
  return open;
}

/** What stands behind `[DONE]` is not of the reply, and some servers do not close their connection after it. */
const upToEnd = (events: (Json | null)[]): (Json | null)[] =>
  events.includes(null) ? events.slice(0, events.indexOf(null) + 1) : events;

const written = (event: object | null): string => `data: ${event ? JSON.stringify(event) : '[DONE]'}\n\n`;
