import type { Logger } from 'pino';
import { bearerOf } from '../auth/bearer.ts';
import type { Viewer } from '../context.ts';
import type { ParleyError } from '../errors.ts';
import { failureOf } from '../graphql/failure.ts';
import { requestIdOf } from './request-id.ts';
import { accessLog, type Noted } from './request-log.ts';
import { standingHeaders } from './security.ts';

/** What a short way reads of a request, so that nobody has to build a Fetch `Request` for it. */
export type Asked = {
  method: string;
  /** Letters, digits, `_`, `-` and `/` alone: nothing is left to decode. */
  path: string;
  /** What stands behind the `?`, as it was sent; empty without one. */
  query: string;
  headers: { get(name: string): string | null };
  /**
   * The body; null when it is not UTF-8, is too large for a short way, or broke off. Nobody's body is read who has not shown a
   * bearer: it takes the viewer.
   */
  text(viewer: Viewer): Promise<string | null>;
};

/** What a short way answers; the headers that every answer has are not its business. */
export type Answer = { status: number; headers: Record<string, string>; body: string; noted?: Noted };

/**
 * Answers what it can answer with little work, and leaves the rest to the app by null, failures included: whoever answers
 * null has changed nothing. What it throws is the answer, since something may have been written.
 */
export type Way = (asked: Asked, viewerOf: () => Promise<Viewer>) => Promise<Answer | null>;

/** The whole answer: `headers` as names and values in turn, as node:http takes them. */
export type Finished = {
  status: number;
  headers: string[];
  body: string;
  /** Bytes of the body. */
  size: number;
};
export type ShortWay = (asked: Asked) => Promise<Finished | null>;

type Options = { ways: Way[]; verify: (bearer: string) => Promise<Viewer>; log: Logger };

/** The ways as one that checks the bearer, finishes the answer and writes the line of the log. */
export function createShortWay({ ways, verify, log }: Options): ShortWay {
  const access = accessLog(log);
  return async (asked) => {
    const started = performance.now();
    let viewer: Viewer | undefined;
    const viewerOf = async () => {
      viewer ??= await verify(bearerOf(asked));
      return viewer;
    };
    const answer = await firstAnswer(ways, asked, viewerOf).catch((error) => failed(failureOf(error, log)));
    if (!answer) return null;
    const requestId = requestIdOf(asked.headers.get('x-request-id'));
    const { method, path } = asked;
    access({ requestId, method, path, status: answer.status, started, viewer, ...answer.noted });
    return finish(answer, requestId);
  };
}

async function firstAnswer(ways: Way[], asked: Asked, viewerOf: () => Promise<Viewer>): Promise<Answer | null> {
  for (const way of ways) {
    const answer = await way(asked, viewerOf);
    if (answer) return answer;
  }
  return null;
}

const failed = ({ status, headers, body, code }: ParleyError): Answer => ({
  status,
  noted: { errorCodes: [code] },
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

function finish({ status, headers, body }: Answer, requestId: string): Finished {
  const size = Buffer.byteLength(body);
  const all = [...standing, 'X-Request-Id', requestId, 'Content-Length', String(size)];
  for (const name of Object.keys(headers)) all.push(name, headers[name] as string);
  return { status, headers: all, body, size };
}

const standing = Object.entries(standingHeaders).flat();
