import { existsSync } from 'node:fs';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { type ErrorBody, ParleyError } from '../core/errors.ts';
import { adminSocketPath } from './admin-socket-path.ts';
import type { TokenRequest } from './issue.ts';

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

/** Sets the quota of a workspace and returns it; null if no gateway is listening. Throws the error of its response. */
export const requestQuota = (dataDir: string, body: object): Promise<{ max: number | null } | null> =>
  sendOperation(dataDir, 'quota', body);

async function sendOperation<Answer extends object>(
  dataDir: string,
  operation: string,
  body: object,
): Promise<Answer | null> {
  if (!existsSync(dataDir)) return null;
  const reply = await post(adminSocketPath(dataDir), `/${operation}`, JSON.stringify(body));
  if (reply === null) return null;
  const answer = JSON.parse(reply) as Answer | ErrorBody;
  if (!('code' in answer)) return answer;
  throw new ParleyError(answer.code, answer.message, { issues: answer.issues });
}

/**
 * Resolves with the body of the response; null if nothing is listening: there is no socket, or a killed process left
 * it.
 */
function post(socketPath: string, path: string, body: string): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const call = request({ socketPath, path, method: 'POST', timeout: 10_000 }, (response) => {
      text(response).then(resolve, reject);
    });
    call.on('timeout', () => call.destroy(new Error('The gateway did not answer within 10 seconds.')));
    call.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED') resolve(null);
      else reject(error);
    });
    call.end(body);
  });
}
