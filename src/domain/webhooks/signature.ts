import { createHmac, randomBytes } from 'node:crypto';

const prefix = 'whsec_';

/** A new secret, as the Standard Webhooks convention writes them: `whsec_` and 32 random bytes in base64. */
export const newWebhookSecret = (): string => `${prefix}${randomBytes(32).toString('base64')}`;

/**
 * The headers by which a receiver knows a message of ours, by the Standard Webhooks convention: HMAC-SHA-256 over
 * `id.timestamp.body`, one signature for each secret. `time` is when it is sent.
 */
export function signedHeaders(secrets: string[], id: string, time: Date, body: string): Record<string, string> {
  const timestamp = String(Math.floor(time.getTime() / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
