import { z } from 'zod';

const providers = ['openai', 'anthropic', 'google'] as const;

/** Prices per million tokens, in US dollars. */
export type ModelPrice = { input: number; output: number; cached: number };

/** A model that agents may choose by its `name`. */
export type ModelSettings = {
  name: string;
  /** `openai` stands for any endpoint that speaks OpenAI's chat completions. */
  provider: (typeof providers)[number];
  /** The provider's name for it. */
  model: string;
  /** Null: the provider's own endpoint. */
  baseUrl: string | null;
  apiKey: string | null;
  /** Of Azure's deployments, which also take the key in another header. */
  apiVersion?: string;
  /** Sent with each request, besides the protocol's own. */
  headers?: Record<string, string>;
  /** The context window in tokens; null if not configured. */
  contextTokens: number | null;
  price: ModelPrice | null;
  /** Whether it accepts images, and recordings. */
  images: boolean;
  audio: boolean;
};

/** The models besides the embedded one, and the name of the one that agents use by default. */
export type ModelsConfig = { list: ModelSettings[]; default: string };

/** The name under which agents choose the built-in model. */
export const embeddedName = 'embedded';

export type Env = Record<string, string | undefined>;
type Read = { models: ModelsConfig; issues: string[] };
type SingleModel = Pick<ModelSettings, 'name' | 'apiKey' | 'images' | 'audio'> & { baseUrl: string };

const form = /^([\w.-]{1,64})=(\w+):([^?\s]{1,200})(?:\?(\S*))?$/;
const keyOf = { openai: 'OPENAI_API_KEY', anthropic: 'ANTHROPIC_API_KEY', google: 'GOOGLE_API_KEY' } as const;

/** Where a model is called. Its key has a variable of its own: nothing sends what stands in a URL. */
export const endpointUrl = z
  .url({ protocol: /^https?$/ })
  .refine((url) => !/^\w+:\/\/[^/?#]*@/.test(url), 'must not contain a user name or password');

/** The options for an endpoint, and for the variable that holds its API key. */
export const addressOptions = {
  url: endpointUrl.optional(),
  key: z
    .string()
    .regex(/^[A-Z_][A-Z0-9_]*$/)
    .optional(),
};

/** The options for an endpoint that speaks the protocol of its provider. */
export const endpointOptions = {
  ...addressOptions,
  'api-version': z
    .string()
    .regex(/^[\w.-]{1,40}$/)
    .optional(),
  headers: z
    .string()
    .regex(/^[A-Z_][A-Z0-9_]*$/)
    .optional(),
};

const flag = z.stringbool().optional();
const amount = z.coerce.number().min(0).optional();
const options = z.strictObject({
  ...endpointOptions,
  context: z.coerce.number().int().min(500).max(100_000_000).optional(),
  input: amount,
  output: amount,
  cached: amount,
  images: flag,
  audio: flag,
});

/**
 * Reads `MODELS`, a list of `name=provider:model?options` separated by commas or white space, after the single model of
 * `MODEL_BASE_URL`, and `MODEL_DEFAULT`. Issues name the variable and the model at fault, and repeat no value.
 */
export function readModels(env: Env, single: SingleModel | null): Read {
  const issues: string[] = [];
  const list: ModelSettings[] = single
    ? [{ ...single, provider: 'openai', model: single.name, contextTokens: null, price: null }]
    : [];
  for (const [index, item] of (env.MODELS ?? '')
    .split(/[\s,]+/)
    .filter(Boolean)
    .entries()) {
    const read = readModel(item, env);
    if (typeof read === 'string') issues.push(`MODELS: item ${index + 1} ${read}`);
    else if (read.name === embeddedName || list.some(({ name }) => name === read.name))
      issues.push(`MODELS: item ${index + 1} has a name that another model has`);
    else list.push(read);
  }
  const first = list[0]?.name ?? embeddedName;
  const chosen = env.MODEL_DEFAULT?.trim() || first;
  if (chosen !== embeddedName && issues.length === 0 && !list.some(({ name }) => name === chosen)) {
    const names = [...list.map(({ name }) => name), embeddedName].join(', ');
    issues.push(`MODEL_DEFAULT: must be the name of a model, one of: ${names}`);
  }
  return { models: { list, default: chosen }, issues };
}

function readModel(item: string, env: Env): ModelSettings | string {
  const [, name, provider, model, query] = form.exec(item) ?? [];
  if (!name || !model || !isProvider(provider)) {
    return `must have the form name=provider:model, with the provider ${providers.join(', ')}`;
  }
  const given = readOptions(options, query);
  if (typeof given === 'string') return given;
  const { context, input, output, cached, images = true, audio = provider === 'google' } = given;
  const endpoint = readEndpoint(env, provider, given);
  if (typeof endpoint === 'string') return endpoint;
  const priced = input !== undefined && output !== undefined;
  if (!priced && (input ?? output ?? cached) !== undefined) return 'needs both prices, input and output, or none';
  return {
    name,
    provider,
    model,
    ...endpoint,
    contextTokens: context ?? null,
    price: priced ? { input, output, cached: cached ?? input } : null,
    images,
    audio,
  };
}

/**
 * Parses the options that follow a model like a query string. Returns a string that says what is wrong if they are
 * invalid.
 */
export function readOptions<Shape extends z.ZodRawShape>(
  shape: z.ZodObject<Shape>,
  query: string | undefined,
): z.output<z.ZodObject<Shape>> | string {
  const parsed = shape.safeParse(Object.fromEntries(new URLSearchParams(query)));
  if (parsed.success) return parsed.data;
  const wrong = parsed.error.issues.map(({ code, path, ...rest }) =>
    code === 'unrecognized_keys' && 'keys' in rest ? rest.keys.join(', ') : String(path[0]),
  );
  return `has options that are unknown or wrong: ${wrong.join(', ')}; it takes ${Object.keys(shape.shape).join(', ')}`;
}

type Endpoint = Pick<ModelSettings, 'baseUrl' | 'apiKey' | 'apiVersion' | 'headers'>;
type GivenEndpoint = z.output<z.ZodObject<typeof endpointOptions>>;

/** Returns where and how a model is called, or a string that says what is missing. */
export function readEndpoint(env: Env, provider: ModelSettings['provider'], given: GivenEndpoint): Endpoint | string {
  const { url, 'api-version': apiVersion } = given;
  if (apiVersion && (provider !== 'openai' || !url)) return 'needs the provider openai and a url, with an api-version';
  const key = readKey(env, provider, given);
  if (typeof key === 'string') return key;
  const headers = given.headers ? readHeaders(env[given.headers]) : {};
  if (!headers) return `needs its headers in ${given.headers}, as name=value,name=value with values as in a URL`;
  return {
    baseUrl: url ?? null,
    ...key,
    ...(apiVersion && { apiVersion }),
    ...(Object.keys(headers).length > 0 && { headers }),
  };
}

/** `name=value,name=value` with percent-encoded values, as OpenTelemetry has it; null for anything else. */
function readHeaders(text: string | undefined): Record<string, string> | null {
  const pairs = (text ?? '').split(',').map((pair) => /^\s*([\w-]{1,100})=([\x20-\x7e]{1,2000})$/.exec(pair.trimEnd()));
  const decoded = pairs.map((pair) => pair && decode(pair[2] ?? ''));
  if (decoded.some((value) => !value || !/^[\x20-\x7e]+$/.test(value))) return null;
  return Object.fromEntries(pairs.map((pair, index) => [pair?.[1] ?? '', decoded[index] ?? '']));
}

function decode(value: string): string | null {
  try {
    return decodeURIComponent(value);
  } catch {
    return null;
  }
}

/**
 * Returns the API key of a model, or a string that says what is missing. A key is only ever sent to its own provider,
 * or where `key` says.
 */
function readKey(
  env: Env,
  provider: ModelSettings['provider'],
  { url, key }: { url?: string | undefined; key?: string | undefined },
): { apiKey: string | null } | string {
  const variable = key ?? (url ? null : keyOf[provider]);
  const apiKey = (variable && env[variable]?.trim()) || null;
  return variable && !apiKey ? `needs its key in ${variable}` : { apiKey };
}

const isProvider = (name: string | undefined): name is ModelSettings['provider'] =>
  (providers as readonly string[]).includes(name ?? '');
