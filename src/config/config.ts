import { z } from 'zod';
import type { Budgets } from '../core/viewer.ts';
import { ConfigError } from './config-error.ts';
import { type EmbeddingSettings, readEmbedding } from './embedding.ts';
import { type ModelSettings, type ModelsConfig, readModels } from './models.ts';
import { type RerankSettings, readRerank } from './rerank.ts';
import { day, flag, host, list, network, serverUrl, whole } from './shapes.ts';
import { readStandby } from './standby.ts';
import { readStorage, type StorageConfig } from './storage.ts';
import { type TracingSettings, tracingOf, tracingVariables } from './tracing.ts';
import { readVerifier } from './verify.ts';
import { readVision, type VisionSettings } from './vision.ts';
import { readWorkers } from './workers.ts';

const variables = z.object({
  PORT: whole(0, 65_535).default(4000),
  HOST: z.string().min(1).default('127.0.0.1'),
  DATA_DIR: z.string().min(1).default('.data'),
  DATABASE_URL: serverUrl.optional(),
  /** A standby of that server, for reads that may be stale. */
  DATABASE_READ_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// URL' }).optional(),
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
  OIDC_AUDIENCE: z.string().min(1).optional(),
  OIDC_JWKS_URL: z.url({ protocol: /^https?$/ }).optional(),
  /** How to treat a token without the claim `email_verified`; `assumed` is for an issuer that never sends it. */
  OIDC_EMAIL_VERIFIED: z.enum(['required', 'assumed']).optional(),
  MODEL_BASE_URL: z.url({ protocol: /^https?$/ }).optional(),
  MODEL_NAME: z.string().min(1).optional(),
  MODEL_API_KEY: z.string().min(1).optional(),
  /** Whether the model accepts images, and recordings. */
  MODEL_IMAGES: flag.default(true),
  MODEL_AUDIO: flag.default(false),
  /** The model, at the same endpoint, that transcribes recordings. */
  TRANSCRIPTION_MODEL: z.string().min(1).optional(),
  /** The name of the model that reads scanned pages of PDF files, and the most pages of one file. */
  VISION_MODEL: z.string().min(1).optional(),
  VISION_MAX_PAGES: whole(1, 1_000).default(50),
  /** The name of the model that judges what replies of restricted agents state. */
  VERIFY_MODEL: z.string().min(1).optional(),
  MODEL_TIMEOUT_MS: whole(100, 600_000).default(60_000),
  /** How much of a conversation is sent to a model, in estimated tokens. */
  MODEL_HISTORY_TOKENS: whole(200, 1_000_000).default(6_000),
  /** How often an idle stream sends a ping. */
  STREAM_PING_MS: whole(10, 60_000).default(15_000),
  /** Limits on requests in flight and on event loop delay, above which the most expensive requests are refused. */
  MAX_REQUESTS: whole(1, 1_000_000).default(2_000),
  MAX_EVENT_LOOP_DELAY_MS: whole(10, 60_000).default(1_500),
  /** How long a client may leave unread what it is sent. */
  UNREAD_TIMEOUT_MS: whole(1_000, 3_600_000).default(60_000),
  /** Hosts (`host` or `host:port`) that may be fetched even though their address is private. */
  FETCH_ALLOW_HOSTS: list.pipe(z.array(host)).default([]),
  /** Proxies in front of the gateway whose forwarding headers are trusted. */
  TRUSTED_PROXIES: list.pipe(z.array(network)).default([]),
  /** The delay between two pages of a site, unless its robots.txt asks for a longer one. */
  CRAWL_DELAY_MS: whole(0, 60_000).default(200),
  CRAWL_MAX_PAGES: whole(1, 100_000).default(1_000),
  CRAWL_MAX_DEPTH: whole(0, 100).default(10),
  TERMS_VERSION: z.string().min(1).default('2026-01'),
  /** The total time a request may wait for the database. */
  DATABASE_TIMEOUT_MS: whole(100, 30_000).default(25_000),
  /** Budgets per minute: of each workspace, and of each bearer that is not an API key. */
  WORKSPACE_REQUESTS_PER_MINUTE: whole(1, 1_000_000_000).optional(),
  WORKSPACE_COST_PER_MINUTE: whole(1, 1_000_000_000).optional(),
  TOKEN_REQUESTS_PER_MINUTE: whole(1, 1_000_000_000).optional(),
  TOKEN_COST_PER_MINUTE: whole(1, 1_000_000_000).optional(),
  RELATION_LOAD: z.enum(['join', 'query']).default('join'),
  /** Since when the REST layer is deprecated, and when it ends; announced by headers, and only then. */
  REST_DEPRECATED_SINCE: day.optional(),
  REST_SUNSET: day.optional(),
  /** How long backups and archived write-ahead log are kept, for the receipts of erasures. */
  BACKUP_RETENTION_DAYS: whole(0, 36_500).optional(),
  /** Where metrics are served in Prometheus's format; nowhere unless set. */
  METRICS_PORT: whole(0, 65_535).optional(),
  /** How many processes serve requests. */
  WORKERS: whole(1, 256).default(1),
  ...tracingVariables,
  /** Serves plain reads and single-row writes with one SQL statement each; when off, the resolvers serve them. */
  LANE: flag.default(true),
  /** Whether owners may see the SQL of operations, for development. */
  EXPLAIN_SQL: flag.default(false),
});

/** Each setting requires the one beside it. */
const requiredTogether = [
  ['OIDC_ISSUER', 'OIDC_AUDIENCE'],
  ['OIDC_AUDIENCE', 'OIDC_ISSUER'],
  ['OIDC_JWKS_URL', 'OIDC_ISSUER'],
  ['OIDC_EMAIL_VERIFIED', 'OIDC_ISSUER'],
  ['MODEL_BASE_URL', 'MODEL_NAME'],
  ['MODEL_NAME', 'MODEL_BASE_URL'],
  ['MODEL_API_KEY', 'MODEL_BASE_URL'],
] as const;

export type Config = {
  port: number;
  host: string;
  dataDir: string;
  databaseUrl: string | null;
  /** Null: all reads go to the primary. */
  databaseReadUrl: string | null;
  embeddedSync: 'second' | 'commit';
  storage: StorageConfig;
  demo: boolean;
  logLevel: NonNullable<z.infer<typeof variables>['LOG_LEVEL']>;
  encryptionKeys: string[] | null;
  publicUrl: string | null;
  oidc: {
    issuer: string;
    audience: string;
    jwksUrl: string | null;
    emailVerified: 'required' | 'assumed';
  } | null;
  models: ModelsConfig;
  /** Null: passages are found by full-text search only. */
  embedding: EmbeddingSettings | null;
  /** Null: passages stay in the order in which they were found. */
  rerank: RerankSettings | null;
  transcription: { baseUrl: string; name: string; apiKey: string | null; timeoutMs: number } | null;
  /** Null: pages without text are left out. */
  vision: VisionSettings | null;
  /** Null: rules alone judge what replies of restricted agents state. */
  verifier: ModelSettings | null;
  modelTimeoutMs: number;
  modelHistoryTokens: number;
  streamPingMs: number;
  /** How many processes serve requests, each with its part of the limits that concern the whole gateway. */
  workers: number;
  /** Above these, the most expensive requests are refused. */
  load: { requests: number; delayMs: number; unreadBytes: number };
  unreadTimeoutMs: number;
  fetchAllowHosts: string[];
  /** Networks in CIDR notation. */
  trustedProxies: string[];
  crawl: { delayMs: number; maxPages: number; maxDepth: number };
  termsVersion: string;
  databaseTimeoutMs: number;
  budgets: Budgets;
  relationLoad: 'join' | 'query';
  compiledQueries: boolean;
  explainSql: boolean;
  /** When the REST layer became or becomes deprecated, and when it ends; null unless announced. */
  restDeprecation: { since: Date | null; sunset: Date | null };
  /** How long the operator keeps backups; null: unknown. */
  backupRetentionDays: number | null;
  /** Null: metrics are not served, and no traces are recorded. */
  metricsPort: number | null;
  tracing: TracingSettings | null;
};

export { ConfigError };

/** The base URL of the gateway as callers know it, without a trailing slash. */
export function addressOf({ publicUrl, host, port }: Pick<Config, 'publicUrl' | 'host' | 'port'>): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return (publicUrl ?? `http://${name}:${port}`).replace(/\/+$/, '');
}

/** Settings that are not read through `variables`. */
const indirectNames = [
  'STORAGE_URL',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_REGION',
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

/** The names of all settings. */
export const settingNames: string[] = [...Object.keys(variables.shape), ...indirectNames];

/**
 * Reads and validates all settings from environment variables. `isTerminal`: whether a person reads the log. Throws
 * `ConfigError`.
 */
export function readConfig(env: Record<string, string | undefined>, isTerminal = process.stdout.isTTY): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value?.trim()));
  const parsed = variables.safeParse(given);
  if (!parsed.success) {
    throw new ConfigError(parsed.error.issues.map((issue) => `${String(issue.path[0])}: ${issue.message}`).join('\n'));
  }
  const v = parsed.data;
  const incomplete = requiredTogether.filter(([given, needed]) => v[given] && !v[needed]);
  if (incomplete.length > 0) {
    throw new ConfigError(
      incomplete.map(([given, needed]) => `${needed}: is required when ${given} is set`).join('\n'),
    );
  }
  if (v.REST_DEPRECATED_SINCE && v.REST_SUNSET && v.REST_SUNSET < v.REST_DEPRECATED_SINCE) {
    throw new ConfigError('REST_SUNSET: must not be before REST_DEPRECATED_SINCE');
  }
  if (v.TRANSCRIPTION_MODEL && !v.MODEL_BASE_URL) {
    throw new ConfigError('MODEL_BASE_URL: is required when TRANSCRIPTION_MODEL is set');
  }
  const single =
    v.MODEL_BASE_URL && v.MODEL_NAME
      ? {
          baseUrl: v.MODEL_BASE_URL,
          name: v.MODEL_NAME,
          apiKey: v.MODEL_API_KEY ?? null,
          images: v.MODEL_IMAGES,
          audio: v.MODEL_AUDIO,
        }
      : null;
  const workers = readWorkers(v);
  const { models, issues } = readModels(given, single);
  const embedding = readEmbedding(given);
  if (typeof embedding === 'string') throw new ConfigError([...issues, embedding].join('\n'));
  const vision = readVision(models, v);
  if (typeof vision === 'string') throw new ConfigError([...issues, vision].join('\n'));
  const verifier = readVerifier(models, v.VERIFY_MODEL);
  if (typeof verifier === 'string') throw new ConfigError([...issues, verifier].join('\n'));
  const rerank = readRerank(given);
  if (typeof rerank === 'string') throw new ConfigError([...issues, rerank].join('\n'));
  const stored = readStorage(given, v.DATA_DIR);
  if (!stored.storage || issues.length > 0) throw new ConfigError([...issues, ...(stored.issues ?? [])].join('\n'));
  return {
    port: v.PORT,
    host: v.HOST,
    dataDir: v.DATA_DIR,
    databaseUrl: v.DATABASE_URL ?? null,
    databaseReadUrl: readStandby(v),
    embeddedSync: v.EMBEDDED_SYNC,
    storage: stored.storage,
    demo: v.DEMO ?? !v.DATABASE_URL,
    logLevel: v.LOG_LEVEL ?? (isTerminal ? 'warn' : 'info'),
    encryptionKeys: v.ENCRYPTION_KEYS ?? null,
    publicUrl: v.PUBLIC_URL ?? null,
    oidc:
      v.OIDC_ISSUER && v.OIDC_AUDIENCE
        ? {
            issuer: v.OIDC_ISSUER,
            audience: v.OIDC_AUDIENCE,
            jwksUrl: v.OIDC_JWKS_URL ?? null,
            emailVerified: v.OIDC_EMAIL_VERIFIED ?? 'required',
          }
        : null,
    models,
    embedding,
    rerank,
    transcription:
      v.MODEL_BASE_URL && v.TRANSCRIPTION_MODEL
        ? {
            baseUrl: v.MODEL_BASE_URL,
            name: v.TRANSCRIPTION_MODEL,
            apiKey: v.MODEL_API_KEY ?? null,
            // A long recording takes longer than a reply.
            timeoutMs: v.MODEL_TIMEOUT_MS * 5,
          }
        : null,
    vision,
    verifier,
    modelTimeoutMs: v.MODEL_TIMEOUT_MS,
    modelHistoryTokens: v.MODEL_HISTORY_TOKENS,
    streamPingMs: v.STREAM_PING_MS,
    workers,
    load: {
      requests: Math.ceil(v.MAX_REQUESTS / workers),
      delayMs: v.MAX_EVENT_LOOP_DELAY_MS,
      unreadBytes: 200_000_000 / workers,
    },
    unreadTimeoutMs: v.UNREAD_TIMEOUT_MS,
    fetchAllowHosts: v.FETCH_ALLOW_HOSTS,
    trustedProxies: v.TRUSTED_PROXIES,
    crawl: { delayMs: v.CRAWL_DELAY_MS, maxPages: v.CRAWL_MAX_PAGES, maxDepth: v.CRAWL_MAX_DEPTH },
    termsVersion: v.TERMS_VERSION,
    databaseTimeoutMs: v.DATABASE_TIMEOUT_MS,
    budgets: {
      requestsPerMinute: v.WORKSPACE_REQUESTS_PER_MINUTE ?? null,
      costPerMinute: v.WORKSPACE_COST_PER_MINUTE ?? null,
      tokenRequestsPerMinute: v.TOKEN_REQUESTS_PER_MINUTE ?? null,
      tokenCostPerMinute: v.TOKEN_COST_PER_MINUTE ?? null,
    },
    relationLoad: v.RELATION_LOAD,
    compiledQueries: v.LANE,
    explainSql: v.EXPLAIN_SQL,
    restDeprecation: { since: v.REST_DEPRECATED_SINCE ?? null, sunset: v.REST_SUNSET ?? null },
    backupRetentionDays: v.BACKUP_RETENTION_DAYS ?? null,
    metricsPort: v.METRICS_PORT ?? null,
    tracing: tracingOf(v),
  };
}
