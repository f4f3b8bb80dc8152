import { isIP, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { serverUrlProblem } from '../core/server-urls.ts';
import { endpointUrl } from './models.ts';
import { tracingVariables } from './tracing.ts';

const flag = z.stringbool({ truthy: ['true', '1', 'yes', 'on'], falsy: ['false', '0', 'no', 'off'] });
const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
);

const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .transform(Number)
    .refine((value) => Number.isInteger(value) && value >= min && value <= max, {
      error: `must be a whole number from ${min} to ${max}`,
    });
const host = z.string().refine((name) => isIPv6(name) || /^(?:\[[\da-f:.]+\]|[^\s/:@[\]]+)(?::\d{1,5})?$/i.test(name), {
  error: 'must be host or host:port, comma-separated, without a scheme or a path',
});
/** An IP address or a CIDR network, normalized to CIDR. */
const network = z
  .string()
  .transform((given) => (given.includes('/') ? given : `${given}/${isIPv6(given) ? 128 : 32}`))
  .refine((given) => isIP(given.split('/')[0] ?? '') !== 0 && ipaddr.isValidCIDR(given), {
    error: 'must be addresses or networks such as 10.0.0.0/8, comma-separated',
  });

/** The URL of a PostgreSQL server, or of several of which one is the primary. */
const serverUrl = z.string().superRefine((text, context) => {
  const message = serverUrlProblem(text);
  if (message) context.addIssue({ code: 'custom', message });
});

/** A day, as its first moment in UTC. */
const day = z.iso.date({ error: 'must be a date such as 2027-06-30' }).transform((text) => new Date(text));

/** The settings that are read by themselves: their types and defaults. */
export const variables = z.object({
  PORT: wholeNumber(0, 65_535).default(4000),
  HOST: z.string().min(1).default('127.0.0.1'),
  DATA_DIR: z.string().min(1).default('.data'),
  DATABASE_URL: serverUrl.optional(),
  /** A standby of that server, for reads that may be stale. */
  DATABASE_READ_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// URL' }).optional(),
  /** How many connections a replica opens for exclusive use, whatever its cores. */
  DATABASE_POOL_SIZE: wholeNumber(6, 500).optional(),
  /** The schema of the job queue, which several applications of one database must not share. */
  QUEUE_SCHEMA: z
    .string()
    .regex(/^(?!pg_)[a-z_][a-z0-9_]{0,49}$/, 'must be lower-case letters, digits and _, 50 at most, such as pgboss')
    .default('pgboss'),
  /** When a write to the embedded database is flushed to disk: within about a second of its response, or before it. */
  EMBEDDED_SYNC: z.enum(['second', 'commit']).default('second'),
  DEMO: flag.optional(),
  /** By default `warn` in a terminal, and `info` elsewhere. */
  LOG_LEVEL: z.enum(['silent', 'error', 'warn', 'info', 'debug']).optional(),
  /** 32 bytes in base64, optionally prefixed with `id:`; the first encrypts, all decrypt. */
  ENCRYPTION_KEYS: list.optional(),
  /** The public URL of the service; also the `iss` claim of its tokens. */
  PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
  OIDC_ISSUER: z.url({ protocol: /^https?$/ }).optional(),
  /** Several, separated by commas: a token must be for one of them. */
  OIDC_AUDIENCE: list.refine((all) => all.length > 0, 'must name an audience').optional(),
  OIDC_JWKS_URL: z.url({ protocol: /^https?$/ }).optional(),
  /** The claim with the person's email address; the one with `_verified` at its end says whether it is verified. */
  OIDC_EMAIL_CLAIM: z.string().trim().min(1).max(200).default('email'),
  /** How to treat a token without the claim `email_verified`; `assumed` is for an issuer that never sends it. */
  OIDC_EMAIL_VERIFIED: z.enum(['required', 'assumed']).optional(),
  /** How long a token may be valid that the identity provider, or a site for its users, has signed. */
  TOKEN_MAX_SECONDS: wholeNumber(60, 31_536_000).default(2_592_000),
  MODEL_BASE_URL: endpointUrl.optional(),
  MODEL_NAME: z.string().min(1).optional(),
  MODEL_API_KEY: z.string().min(1).optional(),
  /** Whether the model accepts images, and recordings. */
  MODEL_IMAGES: flag.default(true),
  MODEL_AUDIO: flag.default(false),
  /** The model, at the same endpoint, that transcribes recordings. */
  TRANSCRIPTION_MODEL: z.string().min(1).optional(),
  /** The name of the model that reads scanned pages of PDF files, and the most pages of one file. */
  VISION_MODEL: z.string().min(1).optional(),
  VISION_MAX_PAGES: wholeNumber(1, 1_000).default(50),
  /** The name of the model that judges what replies of restricted agents state. */
  VERIFY_MODEL: z.string().min(1).optional(),
  MODEL_TIMEOUT_MS: wholeNumber(100, 600_000).default(60_000),
  /** How much of a conversation is sent to a model, in estimated tokens. */
  MODEL_HISTORY_TOKENS: wholeNumber(200, 1_000_000).default(6_000),
  /** How often an idle stream sends a ping. */
  STREAM_PING_MS: wholeNumber(10, 60_000).default(15_000),
  /** Limits on requests in flight and on event loop delay, above which the most expensive requests are refused. */
  MAX_REQUESTS: wholeNumber(1, 1_000_000).default(2_000),
  MAX_EVENT_LOOP_DELAY_MS: wholeNumber(10, 60_000).default(1_500),
  /** How long a client may leave unread what it is sent. */
  UNREAD_TIMEOUT_MS: wholeNumber(1_000, 3_600_000).default(60_000),
  /** Hosts (`host` or `host:port`) that may be fetched even though their address is private. */
  FETCH_ALLOW_HOSTS: list.pipe(z.array(host)).default([]),
  /** Proxies in front of the gateway whose forwarding headers are trusted. */
  TRUSTED_PROXIES: list.pipe(z.array(network)).default([]),
  /** The delay between two pages of a site, unless its robots.txt asks for a longer one. */
  CRAWL_DELAY_MS: wholeNumber(0, 60_000).default(200),
  CRAWL_MAX_PAGES: wholeNumber(1, 100_000).default(1_000),
  CRAWL_MAX_DEPTH: wholeNumber(0, 100).default(10),
  TERMS_VERSION: z.string().min(1).default('2026-01'),
  /** The total time a request may wait for the database. */
  DATABASE_TIMEOUT_MS: wholeNumber(100, 30_000).default(25_000),
  /** Budgets per minute: of each workspace, and of each bearer that is not an API key. */
  WORKSPACE_REQUESTS_PER_MINUTE: wholeNumber(1, 1_000_000_000).optional(),
  WORKSPACE_COST_PER_MINUTE: wholeNumber(1, 1_000_000_000).optional(),
  TOKEN_REQUESTS_PER_MINUTE: wholeNumber(1, 1_000_000_000).optional(),
  TOKEN_COST_PER_MINUTE: wholeNumber(1, 1_000_000_000).optional(),
  RELATION_LOAD: z.enum(['join', 'query']).default('join'),
  /** Since when the REST layer is deprecated, and when it ends; announced by headers, and only then. */
  REST_DEPRECATED_SINCE: day.optional(),
  REST_SUNSET: day.optional(),
  /** How long backups and archived write-ahead log are kept, for the receipts of erasures. */
  BACKUP_RETENTION_DAYS: wholeNumber(0, 36_500).optional(),
  /** Where metrics are served in Prometheus's format; nowhere unless set. */
  METRICS_PORT: wholeNumber(0, 65_535).optional(),
  /** How many processes serve requests. */
  WORKERS: wholeNumber(1, 256).default(1),
  ...tracingVariables,
  /** Serves plain reads and single-row writes with one SQL statement each; when off, the resolvers serve them. */
  COMPILED_QUERIES: flag.default(true),
  /** Which documents are run: any, or only saved operations, except for an owner with their own token. */
  TRUSTED_DOCUMENTS: z.enum(['any', 'only']).default('any'),
  /** Whether owners may see the SQL of operations, for development. */
  EXPLAIN_SQL: flag.default(false),
});

/** Each setting requires the one beside it. */
export const requiredTogether = [
  ['OIDC_ISSUER', 'OIDC_AUDIENCE'],
  ['OIDC_AUDIENCE', 'OIDC_ISSUER'],
  ['OIDC_JWKS_URL', 'OIDC_ISSUER'],
  ['OIDC_EMAIL_VERIFIED', 'OIDC_ISSUER'],
  ['MODEL_BASE_URL', 'MODEL_NAME'],
  ['MODEL_NAME', 'MODEL_BASE_URL'],
  ['MODEL_API_KEY', 'MODEL_BASE_URL'],
] as const;

/** Settings that are not read through `variables`. */
const indirectNames = [
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'STORAGE_URL',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_REGION',
  'AWS_DEFAULT_REGION',
  'MODELS',
  'MODEL_DEFAULT',
  'EMBEDDING_MODEL',
  'RERANK_MODEL',
  'COHERE_API_KEY',
  'JINA_API_KEY',
  'OPENAI_API_KEY',
  'ANTHROPIC_API_KEY',
  'GOOGLE_API_KEY',
];

/** Former names of settings, which are read where the present one is not set. */
export const formerNames: Record<string, string> = { LANE: 'COMPILED_QUERIES' };

/** The names of all settings. */
export const settingNames: string[] = [...Object.keys(variables.shape), ...indirectNames];
