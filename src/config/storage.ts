import { isIP } from 'node:net';
import path from 'node:path';
import { z } from 'zod';

/** Where attachments are stored: in a folder, or in an S3-compatible bucket. */
export type StorageConfig = { kind: 'folder'; folder: string } | ({ kind: 's3' } & BucketConfig);

export type BucketConfig = {
  bucket: string;
  /** Prefix of every key: empty, or ends with a slash. */
  prefix: string;
  /** Null: Amazon S3. */
  endpoint: string | null;
  /** Where a request names the bucket: in the path, or in the host name. */
  addressing: 'path' | 'virtual';
  region: string;
  /** Null: those of a role, by AWS's chain of credential providers. */
  keys: AwsKeys | null;
};

export type AwsKeys = { accessKeyId: string; secretAccessKey: string; sessionToken?: string };

type Env = Record<string, string | undefined>;
type Read = { storage: StorageConfig; issues?: never } | { issues: string[]; storage?: never };

const form = 's3://bucket/prefix?endpoint=https://…&region=…';
const bucketName = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const prefixForm = /^[\w.-]+(?:\/[\w.-]+)*$/;
const options = z.strictObject({
  endpoint: z.url({ protocol: /^https?$/ }).optional(),
  region: z
    .string()
    .regex(/^[\w-]+$/)
    .optional(),
  addressing: z.enum(['path', 'virtual']).optional(),
});

const isAddress = (host: string): boolean => isIP(host.replace(/^\[|\]$/g, '')) > 0;

/** Reads `STORAGE_URL` and the usual AWS variables. Issues name what is at fault, and repeat no value. */
export function readStorage(env: Env, dataDir: string): Read {
  const given = env.STORAGE_URL?.trim();
  if (!given) return { storage: { kind: 'folder', folder: path.join(dataDir, 'files') } };
  const url = URL.parse(given);
  const bucket = url?.hostname ?? '';
  const prefix = (url?.pathname ?? '').replace(/^\/+|\/+$/g, '');
  if (url?.protocol !== 's3:' || !bucketName.test(bucket) || url.username || (prefix && !prefixForm.test(prefix)))
    return { issues: [`STORAGE_URL: must have the form ${form}`] };
  const parsed = options.safeParse(Object.fromEntries(url.searchParams));
  if (!parsed.success) {
    const reason = 'takes the options endpoint (an address), region and addressing (path or virtual)';
    return { issues: [`STORAGE_URL: ${reason}: ${form}`] };
  }
  const { endpoint, region } = parsed.data;
  // Amazon's certificate is for one name before its own, which a bucket with a dot is not.
  const { addressing = endpoint || bucket.includes('.') ? 'path' : 'virtual' } = parsed.data;
  if (endpoint && addressing === 'virtual' && isAddress(new URL(endpoint).hostname))
    return {
      issues: ['STORAGE_URL: addressing=virtual needs an endpoint with a name, before which the bucket is put'],
    };
  const accessKeyId = env.AWS_ACCESS_KEY_ID?.trim();
  const secretAccessKey = env.AWS_SECRET_ACCESS_KEY?.trim();
  const sessionToken = env.AWS_SESSION_TOKEN?.trim();
  if (!accessKeyId !== !secretAccessKey) {
    const [missing, given] = accessKeyId
      ? ['SECRET_ACCESS_KEY', 'ACCESS_KEY_ID']
      : ['ACCESS_KEY_ID', 'SECRET_ACCESS_KEY'];
    return { issues: [`AWS_${missing}: is required beside AWS_${given}; without both, the keys of a role are used`] };
  }
  return {
    storage: {
      kind: 's3',
      bucket,
      prefix: prefix && `${prefix}/`,
      endpoint: endpoint ?? null,
      addressing,
      region: region ?? (env.AWS_REGION?.trim() || env.AWS_DEFAULT_REGION?.trim() || 'us-east-1'),
      keys:
        accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) } : null,
    },
  };
}
