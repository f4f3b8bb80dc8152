import { AwsClient } from 'aws4fetch';
import type { BucketConfig } from '../config/storage.ts';
import type { ParleyError } from '../core/errors.ts';
import { storageFailure } from './failure.ts';
import { withKeys } from './key.ts';
import type { Storage } from './types.ts';

/** Timeout of one request in milliseconds; for a stream, until it starts. */
const timeoutMs = 30_000;

/** Does not tell whether the object exists: without s3:ListBucket, Amazon refuses a missing object with 403. */
const accessDenied = (responseText: string): ParleyError =>
  storageFailure(
    new Error(
      `The bucket answered 403 AccessDenied: its keys need s3:GetObject, s3:PutObject and s3:DeleteObject on the objects, and s3:ListBucket on the bucket, without which a missing object is refused like this: ${responseText.slice(0, 500)}`,
    ),
    'The attachment storage denies access: its keys lack a permission, which the log names.',
  );

/** Objects in a bucket of Amazon S3, or of any S3-compatible server at `endpoint`, with path-style URLs. */
export function createBucket(config: BucketConfig): Storage {
  const { bucket, prefix, region, endpoint, accessKeyId, secretAccessKey, sessionToken } = config;
  const keys = { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
  const client = new AwsClient({ ...keys, region, service: 's3', retries: 2 });
  const base = endpoint ? `${endpoint.replace(/\/+$/, '')}/${bucket}` : `https://${bucket}.s3.${region}.amazonaws.com`;
  const urlOf = (key: string) => `${base}/${prefix}${key}`;

  /** Returns null for 404. Any other error status throws, and the response body only goes to the log. */
  async function sendRequest(key: string, init: RequestInit, signal = AbortSignal.timeout(timeoutMs)) {
    const response = await client.fetch(urlOf(key), { ...init, signal }).catch((error: unknown) => {
      throw storageFailure(error);
    });
    if (response.ok) return response;
    const responseText = await response.text().catch(() => '');
    // A missing bucket is not a missing object.
    if (response.status === 404 && !responseText.includes('NoSuchBucket')) return null;
    if (response.status === 403 && responseText.includes('AccessDenied')) throw accessDenied(responseText);
    throw storageFailure(new Error(`The bucket answered ${response.status}: ${responseText.slice(0, 500)}`));
  }

  return withKeys({
    async put(key, bytes, hash) {
      // The server verifies the bytes against the signed hash, so that corrupted uploads are rejected.
      const headers = { 'content-type': 'application/octet-stream', 'x-amz-content-sha256': hash };
      const stored = await sendRequest(key, { method: 'PUT', body: new Uint8Array(bytes), headers });
      if (!stored) throw storageFailure(new Error('The bucket answered 404 to a write'));
      await stored.body?.cancel();
    },
    async get(key) {
      const response = await sendRequest(key, {});
      if (!response) return null;
      return response.bytes().catch((error: unknown) => {
        throw storageFailure(error);
      });
    },
    async open(key, range) {
      const headersTimeout = new AbortController();
      const timer = setTimeout(() => headersTimeout.abort(), timeoutMs);
      const headers = range && { range: `bytes=${range.start}-${range.end}` };
      const response = await sendRequest(key, { ...(headers && { headers }) }, headersTimeout.signal).finally(() =>
        clearTimeout(timer),
      );
      return response?.body ?? null;
    },
    async delete(key) {
      const response = await sendRequest(key, { method: 'DELETE' });
      await response?.body?.cancel();
    },
    // Objects are written atomically: there are no leftovers.
    async cleanUp() {},
  });
}
