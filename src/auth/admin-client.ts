import { existsSync } from 'node:fs';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { type ErrorBody, ParleyError } from '../core/errors.ts';
import { adminSocketPath } from './admin-socket-path.ts';
import type { TokenRequest } from './issue.ts';

/** A token of the gateway that has the data folder; null when none listens. Throws the error that it answered. */
export async function askForToken(dataDir: string, body: TokenRequest): Promise<string | null> {
  return (await ask<{ token: string }>(dataDir, 'token', body))?.token ?? null;
}

/** An address of its pages that opens them with a token, once; null when none listens. Throws the error that it answered. */
export async function askForAddress(dataDir: string): Promise<string | null> {
  return (await ask<{ address: string }>(dataDir, 'open', {}))?.address ?? null;
}

/** Has it set the quota of a workspace, and answers that; null when none listens. Throws the error that it answered. */
export const askForQuota = (dataDir: string, body: object): Promise<{ max: number | null } | null> =>
  ask(dataDir, 'quota', body);

async function ask<Answer extends object>(dataDir: string, operation: string, body: object): Promise<Answer | null> {
  if (!existsSync(dataDir)) return null;
  const reply = await post(adminSocketPath(dataDir), `/${operation}`, JSON.stringify(body));
  if (reply === null) return null;
  const answer = JSON.parse(reply) as Answer | ErrorBody;
  if (!('code' in answer)) return answer;
  throw new ParleyError(answer.code, answer.message, { issues: answer.issues });
}

/** The body of the answer; null when nothing listens: no socket, or one that a killed process left behind. */
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
