import { currentSpan } from '../../core/tracing.ts';
import { leavingOut } from './refused-parameters.ts';
import { errorBody, isObject, parsedJson, type Wire } from './wire.ts';

/**
 * A fetch for the SDK of a protocol, for one model. It would reject a whole reply for one odd value, such as a count sent as text, an
 * empty event or a field of another type: this takes what it knows of a response, counts in the span of the attempt
 * what it does not, and makes a stream of a response that is none though one was asked for.
 */
export function tolerantFetch(wire: Wire): typeof fetch {
  const ask = leavingOut(new Map());
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
    if (!isAsked || (/json/i.test(type) && !/ndjson/i.test(type))) {
      const text = await response.text();
      const given = parsedJson(text);
      if (!isAsked) return answer(isObject(given) ? JSON.stringify(wire.whole(given)) : text, type);
      const whole = Array.isArray(given) ? given.filter(isObject) : isObject(given) ? [given] : null;
      const events = whole ? whole.flatMap(wire.events).map(written).join('') : readAll(text, wire);
      return answer(events, 'text/event-stream');
    }
    const count = (skipped: number) => span?.set({ 'parley.skipped_events': skipped });
    const events = body.pipeThrough(new TextDecoderStream()).pipeThrough(byEvent(wire, count));
    return answer(events.pipeThrough(new TextEncoderStream()), 'text/event-stream');
  };
}

/** Whether a request asks for a stream: by its address with Google, by its body elsewhere. */
function isStreamAsked(address: Parameters<typeof fetch>[0], init?: RequestInit): boolean {
  if (String(address).includes(':streamGenerateContent')) return true;
  // Quotes within a text are escaped.
  return typeof init?.body === 'string' && /(?<!\\)"stream":\s*true/.test(init.body);
}

function byEvent(wire: Wire, count: (skipped: number) => void): TransformStream<string, string> {
  const reader = readEvents(wire);
  return new TransformStream({
    transform(chunk, controller) {
      const events = reader.push(chunk);
      if (events) controller.enqueue(events);
    },
    flush(controller) {
      controller.enqueue(reader.push('\n\n'));
      if (reader.skipped() > 0) count(reader.skipped());
    },
  });
}

const readAll = (text: string, wire: Wire): string => readEvents(wire).push(`${text}\n\n`);

/** Reads server-sent events, and lines that are JSON themselves, by line: an event need not end with an empty one. */
function readEvents(wire: Wire) {
  let rest = '';
  /** The lines of an event whose JSON is not complete yet. */
  let begun = '';
  let skipped = 0;
  let hasEnded = false;
  const event = (data: string): string => {
    if (data.trim() === '[DONE]') return `${written((!hasEnded && wire.end?.event) || null)}data: [DONE]\n\n`;
    const alone = parsedJson(data);
    const given = begun && alone === undefined ? parsedJson(begun + data) : alone;
    if (given === undefined) {
      begun += `${data}\n`;
      return '';
    }
    if (begun && alone !== undefined) skipped++;
    begun = '';
    const read = isObject(given) ? wire.event(given) : null;
    if (!read) skipped++;
    else hasEnded ||= wire.end?.isSaidBy(read) ?? false;
    return written(read);
  };
  const line = (text: string): string => {
    const [, data] = /^data: ?(.*)$/s.exec(text) ?? /^(\s*\{.*)$/s.exec(text) ?? [];
    if (data !== undefined && (data.trim() || begun)) return event(data);
    if (data === undefined && text.trim()) return '';
    // An empty event, or what has begun and is no JSON.
    if (data !== undefined || begun) skipped++;
    begun = '';
    return '';
  };
  return {
    push(chunk: string): string {
      const lines = (rest + chunk).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      return lines.map(line).join('');
    },
    skipped: () => skipped,
  };
}

const written = (event: object | null): string => (event ? `data: ${JSON.stringify(event)}\n\n` : '');
