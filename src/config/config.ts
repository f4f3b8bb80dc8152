import { z } from 'zod';
import type { Budgets } from '../core/viewer.ts';
import { type EmbeddingSettings, readEmbedding } from './embedding.ts';
import { type ModelSettings, type ModelsConfig, readModels } from './models.ts';
import { type RerankSettings, readRerank } from './rerank.ts';
import { readStorage, type StorageConfig } from './storage.ts';
import { type TracingSettings, tracingOf } from './tracing.ts';
import { formerNames, requiredTogether, variables } from './variables.ts';

/** A missing or invalid setting. The message names every variable at fault, and never contains a value. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

export type Config = {
  port: number;
  host: string;
  dataDir: string;
  databaseUrl: string | null;
  /** Null: all reads go to the primary. */
  databaseReadUrl: string | null;
  embeddedSync: 'second' | 'commit';
  /** How many connections a replica opens for exclusive use; null: by the number of cores. */
  databasePoolSize: number | null;
  /** Where the job queue has its tables. */
  queueSchema: string;
  storage: StorageConfig;
  demo: boolean;
  logLevel: NonNullable<z.infer<typeof variables>['LOG_LEVEL']>;
  encryptionKeys: string[] | null;
  publicUrl: string | null;
  /** Null: outgoing requests connect directly. */
  proxy: ProxyConfig | null;
  oidc: {
    issuer: string;
    /** A token must be for one of them. */
    audiences: string[];
    /** The claim with the person's email address. */
    emailClaim: string;
    jwksUrl: string | null;
    emailVerified: 'required' | 'assumed';
  } | null;
  /** How long a token may be valid that was signed elsewhere. */
  maxTokenSeconds: number;
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
  trustedDocuments: 'any' | 'only';
  /** When the REST layer became or becomes deprecated, and when it ends; null unless announced. */
  restDeprecation: { since: Date | null; sunset: Date | null };
  /** How long the operator keeps backups; null: unknown. */
  backupRetentionDays: number | null;
  /** Null: metrics are not served, and no traces are recorded. */
  metricsPort: number | null;
  tracing: TracingSettings | null;
};

/** The base URL of the gateway as callers know it, without a trailing slash. */
export function addressOf({ publicUrl, host, port }: Pick<Config, 'publicUrl' | 'host' | 'port'>): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return (publicUrl ?? `http://${name}:${port}`).replace(/\/+$/, '');
}

/**
 * Reads and validates all settings from environment variables. `isTerminal`: whether a person reads the log. Throws
 * `ConfigError`.
 */
export function readConfig(env: Record<string, string | undefined>, isTerminal = process.stdout.isTTY): Config {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value?.trim()));
  const former = Object.entries(formerNames).filter(([name]) => name in set);
  const given = { ...Object.fromEntries(former.map(([name, present]) => [present, set[name]])), ...set };
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
  if (v.DATABASE_READ_URL && !v.DATABASE_URL) {
    throw new ConfigError(
      'DATABASE_READ_URL: needs a PostgreSQL server, named by DATABASE_URL, whose standby it is: the embedded database has none',
    );
  }
  if (v.WORKERS > 1 && !v.DATABASE_URL) {
    throw new ConfigError(
      'WORKERS: more than 1 needs a PostgreSQL server, named by DATABASE_URL: the embedded database belongs to one process',
    );
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
  const { models, issues } = readModels(given, single);
  const embedding = readEmbedding(given);
  if (typeof embedding === 'string') throw new ConfigError([...issues, embedding].join('\n'));
  const vision = readVision(models, v);
  if (typeof vision === 'string') throw new ConfigError([...issues, vision].join('\n'));
  const verifier = readVerifier(models, v.VERIFY_MODEL);
  if (typeof verifier === 'string') throw new ConfigError([...issues, verifier].join('\n'));
  const rerank = readRerank(given);
  if (typeof rerank === 'string') throw new ConfigError([...issues, rerank].join('\n'));
  const proxy = readProxy(env);
  if (typeof proxy === 'string') throw new ConfigError([...issues, proxy].join('\n'));
  const stored = readStorage(given, v.DATA_DIR);
  if (!stored.storage || issues.length > 0) throw new ConfigError([...issues, ...(stored.issues ?? [])].join('\n'));
  return {
    port: v.PORT,
    host: v.HOST,
    dataDir: v.DATA_DIR,
    databaseUrl: v.DATABASE_URL ?? null,
    databaseReadUrl: v.DATABASE_READ_URL ?? null,
    embeddedSync: v.EMBEDDED_SYNC,
    databasePoolSize: v.DATABASE_POOL_SIZE ?? null,
    queueSchema: v.QUEUE_SCHEMA,
    storage: stored.storage,
    demo: v.DEMO ?? !v.DATABASE_URL,
    logLevel: v.LOG_LEVEL ?? (isTerminal ? 'warn' : 'info'),
    encryptionKeys: v.ENCRYPTION_KEYS ?? null,
    publicUrl: v.PUBLIC_URL ?? null,
    proxy,
    oidc:
      v.OIDC_ISSUER && v.OIDC_AUDIENCE?.length
        ? {
            issuer: v.OIDC_ISSUER,
            audiences: v.OIDC_AUDIENCE,
            emailClaim: v.OIDC_EMAIL_CLAIM,
            jwksUrl: v.OIDC_JWKS_URL ?? null,
            emailVerified: v.OIDC_EMAIL_VERIFIED ?? 'required',
          }
        : null,
    maxTokenSeconds: v.TOKEN_MAX_SECONDS,
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
    workers: v.WORKERS,
    load: {
      requests: Math.ceil(v.MAX_REQUESTS / v.WORKERS),
      delayMs: v.MAX_EVENT_LOOP_DELAY_MS,
      unreadBytes: 200_000_000 / v.WORKERS,
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
    compiledQueries: v.COMPILED_QUERIES,
    explainSql: v.EXPLAIN_SQL,
    trustedDocuments: v.TRUSTED_DOCUMENTS,
    restDeprecation: { since: v.REST_DEPRECATED_SINCE ?? null, sunset: v.REST_SUNSET ?? null },
    backupRetentionDays: v.BACKUP_RETENTION_DAYS ?? null,
    metricsPort: v.METRICS_PORT ?? null,
    tracing: tracingOf(v),
  };
}

/** Reads `VERIFY_MODEL`, the name of a configured model. Null if it is not set, or a string that says what is wrong. */
function readVerifier({ list }: ModelsConfig, name: string | undefined): ModelSettings | string | null {
  if (!name) return null;
  return (
    list.find((model) => model.name === name) ?? 'VERIFY_MODEL: must be the name of a model in MODELS, or MODEL_NAME'
  );
}

/** The model that reads scanned pages, and the most pages of one file. */
type VisionSettings = { settings: ModelSettings; maxPages: number };

/** Reads `VISION_MODEL`, the name of a configured model. Null if it is not set, or a string that says what is wrong. */
function readVision(
  { list }: ModelsConfig,
  { VISION_MODEL: name, VISION_MAX_PAGES: maxPages }: { VISION_MODEL?: string | undefined; VISION_MAX_PAGES: number },
): VisionSettings | string | null {
  if (!name) return null;
  const settings = list.find((model) => model.name === name);
  if (!settings) return 'VISION_MODEL: must be the name of a model in MODELS, or MODEL_NAME';
  return settings.images ? { settings, maxPages } : 'VISION_MODEL: must be a model that takes images';
}

/** As everywhere, the names of these settings may be in lower case, which then goes first. */
const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'] as const;
const address = z.url({ protocol: /^https?$/ });

type Env = Record<string, string | undefined>;
type ProxyConfig = { http: string | null; https: string | null; none: string };

/**
 * The proxies for outgoing requests; null without any. A string says what is wrong, and does not repeat the address,
 * which may have a password.
 */
function readProxy(env: Env): ProxyConfig | null | string {
  const [http, https, none] = names.map((name) => (env[name.toLowerCase()] ?? env[name])?.trim() || null);
  const wrong = [http, https].findIndex((given) => given && !address.safeParse(given).success);
  if (wrong >= 0) return `${names[wrong]}: must be an address such as http://proxy.example:3128`;
  return http || https ? { http: http ?? null, https: https ?? http ?? null, none: none ?? '' } : null;
}
