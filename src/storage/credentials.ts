import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import type { AwsKeys, BucketConfig } from '../config/storage.ts';
import { lazy } from '../core/lazy.ts';
import { boundedAgent } from '../net/bounded-agent.ts';
import { clock, Deadline, withTimeout } from '../net/deadline.ts';

/** How long the provider of the keys may take, in milliseconds: shorter than a request to the bucket. */
const timeoutMs = 10_000;

/** Where the chain runs: until when its requests may take, by the clock of deadlines. */
const inChain = new AsyncLocalStorage<{ until: number }>();

/**
 * Ends requests of the chain that take too long. It asks a container's agent by a client that no agent or signal can be
 * given to, and that only warns on the console of an agent that does not answer.
 */
function endSlowRequests(message: unknown): void {
  const asked = inChain.getStore();
  if (!asked) return;
  const { request } = message as { request: ClientRequest };
  const deadline = new Deadline(asked.until - clock.now());
  const end = () => {
    // Node keeps the connection of a request that was destroyed before it had one.
    if (request.socket) request.destroy(deadline.signal.reason as Error);
    else request.once('socket', end);
  };
  if (deadline.hasPassed) end();
  else deadline.signal.addEventListener('abort', end);
  request.once('close', () => deadline.end());
}

const listen = lazy(() => subscribe('http.client.request.start', endSlowRequests));

/**
 * Later than our own deadlines, so that the client of a container's agent has nothing to warn of. It would wait for as
 * long before another attempt.
 */
const container = { timeout: 2 * timeoutMs, maxRetries: 0 };
/** Read where AWS's chain reads it itself. */
const isInContainer = () =>
  Boolean(process.env.AWS_CONTAINER_CREDENTIALS_FULL_URI || process.env.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI);

/**
 * Returns what asks for the keys of a role, by AWS's chain: a web identity (IRSA), a profile, a container's credentials
 * (EKS, ECS), the metadata of an instance. They are kept, and renewed in the background from five minutes before they
 * expire.
 */
export function roleKeys({ region }: Pick<BucketConfig, 'region'>): () => Promise<AwsKeys> {
  const open = async () => {
    // Loaded only where a role is used.
    const { defaultProvider } = await import('@aws-sdk/credential-provider-node');
    listen();
    const [httpAgent, httpsAgent] = [boundedAgent('http:', timeoutMs), boundedAgent('https:', timeoutMs)];
    // Once: another attempt would outlast the caller, who is asked to try again.
    const clientConfig = { region, maxAttempts: 1, requestHandler: { httpAgent, httpsAgent } };
    return defaultProvider({ clientConfig, ...(isInContainer() && container) });
  };
  let chain: ReturnType<typeof open> | null = null;
  return async () => {
    const asked = (chain ??= open());
    try {
      return await withTimeout(timeoutMs, async () => inChain.run({ until: clock.now() + timeoutMs }, await asked));
    } catch (cause) {
      // One that hangs would be waited for by everybody after.
      if (chain === asked) chain = null;
      throw new Error(
        'No credentials for the bucket: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give the gateway a role',
        { cause },
      );
    }
  };
}
