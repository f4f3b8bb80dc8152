import { setTimeout as sleep } from 'node:timers/promises';
import { AwsClient } from 'aws4fetch';
import type { AwsKeys, BucketConfig } from '../config/storage.ts';
import type { ParleyError } from '../core/errors.ts';
import { memoize } from '../core/lazy.ts';
import { withBodyTimeouts, withTimeout } from '../net/deadline.ts';
import { roleKeys } from './credentials.ts';
import { storageFailure } from './failure.ts';
import { withKeys } from './key.ts';
import type { Storage } from './types.ts';

/** For one request with its retries, in milliseconds; for a stream, until it starts, and then for each pause. */
const timeoutMs = 30_000;
/** For all pauses of a stream together: a large object from a slow bucket. */
const streamMs = 300_000;
const retries = 2;
const backoffMs = 50;

/** Does not tell whether the object exists: without s3:ListBucket, Amazon refuses a missing object with 403. */
const accessDenied = (responseText: string): ParleyError =>
  storageFailure(
    new Error(
      `The bucket answered 403 AccessDenied: its keys need s3:GetObject, s3:PutObject and s3:DeleteObject on the objects, and s3:ListBucket on the bucket, without which a missing object is refused like this: ${responseText.slice(0, 500)}`,
    ),
    'The attachment storage denies access: its keys lack a permission, which the log names.',
  );

/** A bucket refuses requests that are signed more than 15 minutes from its own time. */
function clockIsWrong(date: number, responseText: string): ParleyError {
  const seconds = Math.round((Date.now() - date) / 1_000);
  const difference = `is ${Math.abs(seconds)} seconds ${seconds < 0 ? 'behind' : 'ahead of'}`;
  return storageFailure(
    new Error(
      `The clock of this machine ${Number.isNaN(date) ? 'differs from' : difference} that of the bucket, which refuses its requests. Set the clock, for example by NTP: ${responseText.slice(0, 500)}`,
    ),
  );
}

/** The URL of a bucket, which is named in its path or before its host. */
function urlOfBucket({ bucket, region, endpoint, addressing }: BucketConfig): string {
  const server = (endpoint ?? `https://s3.${region}.amazonaws.com`).replace(/\/+$/, '');
  return addressing === 'path' ? `${server}/${bucket}` : server.replace('://', `://${bucket}.`);
}

/** Objects in a bucket of Amazon S3, or of any S3-compatible server at `endpoint`. */
export function createBucket(config: BucketConfig): Storage {
  const { prefix, region, keys } = config;
  const currentKeys = keys ? async () => keys : roleKeys(config);
  const clientOf = memoize((keys: AwsKeys) => new AwsClient({ ...keys, region, service: 's3' }));
  const base = urlOfBucket(config);
  const urlOf = (key: string) => `${base}/${prefix}${key}`;

  /** Signs and sends a request. The client's own `fetch` hands the signal to a Request, by which it is lost. */
  async function fetchSigned(key: string, init: RequestInit, signal: AbortSignal): Promise<Response> {
    const client = clientOf(await currentKeys());
    for (let count = 0; ; count++) {
      const response = await fetch(await client.sign(urlOf(key), init), { signal });
      if ((response.status < 500 && response.status !== 429) || count === retries) return response;
      await response.body?.cancel();
      await sleep(Math.random() * backoffMs * 2 ** count, null, { signal });
    }
  }

  /**
   * Sends a request, and reads what `read` makes of the response, all within the timeout. Null for 404; any other error
   * status throws, and the response body only goes to the log.
   */
  async function request<T>(key: string, init: RequestInit, read: (response: Response) => Promise<T>) {
    const { ok, value, status, date, text } = await withTimeout(timeoutMs, async (signal) => {
      const response = await fetchSigned(key, init, signal);
      const { ok, status, headers } = response;
      const date = Date.parse(headers.get('date') ?? '');
      return { ok, status, date, value: ok ? await read(response) : null, text: ok ? '' : await textOf(response) };
    }).catch((error: unknown) => {
      throw storageFailure(error);
    });
    if (ok) return value;
    // A missing bucket is not a missing object.
    if (status === 404 && !text.includes('NoSuchBucket')) return null;
    if (status === 403 && text.includes('AccessDenied')) throw accessDenied(text);
    if (text.includes('RequestTimeTooSkewed')) throw clockIsWrong(date, text);
    throw storageFailure(new Error(`The bucket answered ${status}: ${text.slice(0, 500)}`));
  }

  return withKeys({
    async put(key, bytes, hash) {
      // The server verifies the bytes against the signed hash, so that corrupted uploads are rejected.
      const headers = { 'content-type': 'application/octet-stream', 'x-amz-content-sha256': hash };
      const stored = await request(key, { method: 'PUT', body: new Uint8Array(bytes), headers }, ignoreBody);
      if (!stored) throw storageFailure(new Error('The bucket answered 404 to a write'));
    },
    get: (key) => request(key, {}, (response) => response.bytes()),
    async open(key, range) {
      const headers = range && { range: `bytes=${range.start}-${range.end}` };
      const body = await request(key, { ...(headers && { headers }) }, async ({ body }) => body);
      return body && withBodyTimeouts(body, { idleMs: timeoutMs, totalMs: streamMs });
    },
    async delete(key) {
      await request(key, { method: 'DELETE' }, ignoreBody);
    },
    // Objects are written atomically: there are no leftovers.
    async cleanUp() {},
  });
}

const ignoreBody = async ({ body }: Response): Promise<true> => {
  await body?.cancel();
  return true;
};

/** The start of an error's text; an error whose text breaks off is still that error. */
const textOf = (response: Response): Promise<string> => response.text().catch(() => '');
