import type { ExecutionResult, GraphQLError } from 'graphql';
import { isAsyncIterable, type Plugin } from 'graphql-yoga';
import type { Logger } from 'pino';
import type { WatchBearer } from '../../http/log/request-log.ts';
import { abandon, type Texts, textStream } from '../../http/text-stream.ts';
import { formatError } from '../format-error.ts';

const named = /^\s*multipart\/mixed\s*;.*\bsubscriptionSpec\s*=\s*"?1\.0"?\s*(;|$)/i;

/**
 * Whether a request wants a subscription the way Apollo Client does: as parts of one body, by Apollo's protocol 1.0.
 */
export const acceptsMultipartSubscription = ({ headers }: Request): boolean =>
  (headers.get('accept') ?? '').split(',').some((range) => named.test(range));

/** How results are written. */
type Format = {
  headers: { 'content-type': string; 'content-encoding'?: string };
  first: string;
  write: (result: object) => string;
  /** Writes the result that has nothing but a fatal error. */
  writeFailure: (result: object) => string;
  last: string;
  ping: string;
};

const event = (result: object) => `event: next\ndata: ${JSON.stringify(result)}\n\n`;

/** GraphQL over server-sent events, in distinct connections mode. The first comment makes browsers see the response. */
const serverSentEvents: Format = {
  headers: { 'content-type': 'text/event-stream', 'content-encoding': 'none' },
  first: ':\n\n',
  write: event,
  writeFailure: event,
  last: 'event: complete\ndata:\n\n',
  ping: ': ping\n\n',
};

const boundary = 'graphql';
const part = (body: object) => `\r\nContent-Type: application/json\r\n\r\n${JSON.stringify(body)}\r\n--${boundary}`;

/** Subscriptions over multipart: each result is the `payload` of a part, and empty parts keep the stream alive. */
const multipart: Format = {
  headers: { 'content-type': `multipart/mixed; boundary="${boundary}"; subscriptionSpec="1.0"` },
  first: `\r\n--${boundary}`,
  write: (result) => part({ payload: result }),
  writeFailure: (result) => part({ payload: null, ...result }),
  last: '--\r\n',
  ping: part({}),
};

/**
 * Writes subscriptions, and results in parts as server-sent events, with something every `pingMs` milliseconds that
 * keeps the stream alive: Yoga's own interval is fixed, and its writer sends two chunks for each event.
 */
export function streamedResults(pingMs: number, log: Logger): Plugin {
  const subscriptions = new WeakSet<Request>();
  return {
    onSubscribe({ args: { contextValue } }) {
      subscriptions.add((contextValue as { request: Request }).request);
    },
    onResultProcess({ request, result, serverContext, setResultProcessor }) {
      const isSubscription = subscriptions.has(request);
      const format = formatFor(request, isSubscription);
      if (!format) return;
      const isFailed = isSubscription && format === serverSentEvents && hasFailed(result);
      if (!isAsyncIterable(result) && !isFailed) return;
      const { watchBearer } = serverContext as { watchBearer?: WatchBearer };
      const write = (given: ExecutionResult | AsyncIterable<ExecutionResult>) => {
        const texts = textsOf(isAsyncIterable(given) ? given : alone(given), format, log);
        return new Response(textStream({ ...texts, pingMs, watchBearer }), { headers: format.headers });
      };
      setResultProcessor(write as never, format.headers['content-type']);
    },
  };
}

/**
 * Whether the field of a subscription failed before its first result: that is an event, as a later failure is. A client
 * of server-sent events would take another status for a stream that broke off, and send the operation again.
 */
const hasFailed = (result: object): boolean =>
  'errors' in result && ((result as ExecutionResult).errors ?? []).some(({ path }) => path);

async function* alone(result: ExecutionResult): AsyncGenerator<ExecutionResult> {
  yield result;
}

/** Null for a query whose results Yoga writes as parts of a multipart body. */
function formatFor(request: Request, isSubscription: boolean): Format | null {
  if (isSubscription) return acceptsMultipartSubscription(request) ? multipart : serverSentEvents;
  const accepted = (request.headers.get('accept') ?? '').split(',');
  return accepted.some((range) => /^\s*(multipart\/(mixed|\*)|\*\/\*)\s*(;|$)/i.test(range)) ? null : serverSentEvents;
}

function textsOf(results: AsyncIterable<ExecutionResult>, format: Format, log: Logger) {
  const { first, ping, write, writeFailure, last } = format;
  const iterator = results[Symbol.asyncIterator]();
  return {
    first,
    ping,
    async next() {
      try {
        const { done, value } = await iterator.next();
        return done ? { text: last, isLast: true } : { text: write(withoutStatus(value)), isLast: false };
      } catch (error) {
        abandon(iterator);
        const result = withoutStatus({ errors: [formatError(error, log)] });
        return { text: writeFailure(result) + last, isLast: true };
      }
    },
    leave: () => abandon(iterator),
  } satisfies Partial<Texts>;
}

/** The HTTP status does not belong in a result. */
function withoutStatus(result: { errors?: readonly GraphQLError[] }): object {
  if (!result.errors) return result;
  const errors = result.errors.map((error) => {
    const { extensions, ...shown } = error.toJSON();
    const { http: _, ...others } = extensions ?? {};
    return Object.keys(others).length > 0 ? { ...shown, extensions: others } : shown;
  });
  return { ...result, errors };
}
