import type { AwsKeys, BucketConfig } from '../config/storage.ts';
import { boundedAgent } from '../net/bounded-agent.ts';
import { within } from '../net/deadline.ts';

/** How long the provider of the keys may take, in milliseconds: shorter than a request to the bucket. */
const timeoutMs = 10_000;

/**
 * Returns what asks for the keys of a role, by AWS's chain: a web identity (IRSA), a profile, a container's credentials
 * (EKS, ECS), the metadata of an instance. They are kept, and renewed in the background from five minutes before they
 * expire.
 */
export function roleKeys({ region }: Pick<BucketConfig, 'region'>): () => Promise<AwsKeys> {
  const open = async () => {
    // Loaded only where a role is used.
    const { defaultProvider } = await import('@aws-sdk/credential-provider-node');
    const [httpAgent, httpsAgent] = [boundedAgent('http:', timeoutMs), boundedAgent('https:', timeoutMs)];
    // Once: another attempt would outlast the caller, who is told to try again.
    const clientConfig = { region, maxAttempts: 1, requestHandler: { httpAgent, httpsAgent } };
    return defaultProvider({ clientConfig });
  };
  let chain: ReturnType<typeof open> | null = null;
  return async () => {
    const asked = (chain ??= open());
    try {
      return await within(timeoutMs, async () => (await asked)());
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
