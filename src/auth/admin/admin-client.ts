import { existsSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { type ErrorBody, ParleyError } from '../../core/errors.ts';
import type { TokenRequest } from '../issue.ts';
import { adminSocketPath } from './admin-socket-path.ts';

/**
 * Requests a token from the gateway that uses the data folder; null if none is listening. Throws the error of its
 * response.
 */
export async function requestToken(dataDir: string, body: TokenRequest): Promise<string | null> {
  return (await sendOperation<{ token: string }>(dataDir, 'token', body))?.token ?? null;
}

/**
 * Requests a one-time address that opens its pages with a token; null if none is listening. Throws the error of its
 * response.
 */
export async function requestAddress(dataDir: string): Promise<string | null> {
  return (await sendOperation<{ address: string }>(dataDir, 'open', {}))?.address ?? null;
}

/**
 * Sets the quota of a workspace, or resets its budgets, and returns the quota; null if no gateway is listening. Throws
 * the error of its response.
 */
export const requestQuota = (dataDir: string, body: object): Promise<{ max: number | null } | null> =>
  sendOperation(dataDir, 'quota', body);

/** What an open lease gives: the body of its response, and how to end it. */
type OpenLease<Answer> = { answer: Answer; close(): void };

/**
 * Starts an operation that lasts until `close`; null if no gateway is listening. Throws the error of its response. It
 * has no time limit: the database may have to complete other work first.
 */
export async function openLease<Answer extends object>(
  dataDir: string,
  operation: string,
): Promise<OpenLease<Answer> | null> {
  if (!existsSync(dataDir)) return null;
  const socketPath = adminSocketPath(dataDir);
  const response = await new Promise<IncomingMessage | null>((resolve, reject) => {
    const call = request({ socketPath, path: `/${operation}`, method: 'POST' }, resolve);
    call.on('error', (error) => (isNotListening(error) ? resolve(null) : reject(error)));
    call.end('{}');
  });
  if (!response) return null;
  response.on('error', () => {});
  for await (const line of createInterface({ input: response })) {
    const answer = answerOf<Answer>(line);
    return { answer, close: () => response.destroy() };
  }
  throw new Error('The gateway closed the connection.');
}

/** Ends the copy that a lease began, without a time limit. Throws the error of the response. */
export async function sendLong<Answer extends object>(
  dataDir: string,
  operation: string,
  body: object,
): Promise<Answer> {
  const reply = await post(adminSocketPath(dataDir), `/${operation}`, JSON.stringify(body), 0);
  if (reply === null) throw new Error('The gateway has stopped.');
  return answerOf(reply);
}

async function sendOperation<Answer extends object>(
  dataDir: string,
  operation: string,
  body: object,
): Promise<Answer | null> {
  if (!existsSync(dataDir)) return null;
  const reply = await post(adminSocketPath(dataDir), `/${operation}`, JSON.stringify(body));
  if (reply === null) return null;
  return answerOf(reply);
}

function answerOf<Answer extends object>(text: string): Answer {
  const answer = JSON.parse(text) as Answer | ErrorBody;
  if (!('code' in answer)) return answer;
  throw new ParleyError(answer.code, answer.message, { issues: answer.issues });
}

const isNotListening = ({ code }: NodeJS.ErrnoException): boolean => code === 'ENOENT' || code === 'ECONNREFUSED';

/**
 * Resolves with the body of the response; null if nothing is listening: there is no socket, or a killed process left
 * it.
 */
function post(socketPath: string, path: string, body: string, timeout = 10_000): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const call = request({ socketPath, path, method: 'POST', timeout }, (response) => {
      text(response).then(resolve, reject);
    });
    call.on('timeout', () => call.destroy(new Error('The gateway did not answer within 10 seconds.')));
    call.on('error', (error) => (isNotListening(error) ? resolve(null) : reject(error)));
    call.end(body);
  });
}
