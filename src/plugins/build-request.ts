import type { JsonValue } from '../model/types.ts';
import { deepFields, encodeHeader, encodePath, encodeQuery } from './encode-parameter.ts';
import type { Body, Operation, TokenLocation } from './types.ts';

export type Arguments = Record<string, JsonValue>;
/** `origins`: where it may be sent. */
export type Token = TokenLocation & { token: string; origins: string[] };
export type PluginRequest = {
  url: string;
  method: string;
  headers: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
};

/** Arguments that cannot be turned into a request; the message is meant for the model. */
export class UnusableArguments extends Error {
  override name = 'UnusableArguments';
}

/** A token that was not given for the server of the call. */
export class TokenOfAnotherServer extends Error {
  override name = 'TokenOfAnotherServer';

  constructor({ origins }: Token, origin: string) {
    super(`the token was given for ${origins.join(', ') || 'no server'}, not for ${origin}: enter it again`);
  }
}

/** Builds the HTTP request of a call, including its token. Throws `UnusableArguments` and `TokenOfAnotherServer`. */
export async function buildRequest(operation: Operation, args: Arguments, token: Token | null): Promise<PluginRequest> {
  let url = operation.url;
  const query: string[] = [];
  const cookies: string[] = [];
  const headers: Record<string, string> = {};
  for (const parameter of operation.parameters) {
    const value = Object.hasOwn(args, parameter.key) ? args[parameter.key] : undefined;
    if (value === undefined) continue;
    if (parameter.in === 'path')
      url = url.replaceAll(`{${parameter.name}}`, () => inPath(parameter.key, encodePath(parameter, value)));
    else if (parameter.in === 'query') query.push(...encodeQuery(parameter, value));
    else if (parameter.in === 'cookie') cookies.push(encodeQuery(parameter, value).join('; '));
    else headers[parameter.name.toLowerCase()] = inHeader(parameter.key, encodeHeader(parameter, value));
  }
  const { origin } = new URL(url);
  if (token && !token.origins.includes(origin)) throw new TokenOfAnotherServer(token, origin);
  if (token?.in === 'query') query.push(`${encodeURIComponent(token.name)}=${encodeURIComponent(token.token)}`);
  if (token?.in === 'cookie') cookies.push(`${token.name}=${encodeURIComponent(token.token)}`);
  // In lower case, so that no parameter duplicates the token's header in another spelling.
  if (token?.in === 'header') headers[token.name.toLowerCase()] = `${token.prefix}${token.token}`;
  if (cookies.length > 0) headers.cookie = cookies.join('; ');
  const { body, contentType } = await writeBody(operation.body, args);
  if (contentType) headers['content-type'] = contentType;
  return {
    url: query.length > 0 ? `${url}${url.includes('?') ? '&' : '?'}${query.join('&')}` : url,
    method: operation.method,
    headers,
    ...(body !== undefined && { body }),
  };
}

/** A value must not escape its path segment: "." and ".." would, however they are encoded. */
function inPath(key: string, encoded: string): string {
  if (encoded === '') throw new UnusableArguments(`${key}: must not be empty`);
  if (/^\.{1,2}$/.test(encoded)) throw new UnusableArguments(`${key}: must not be "${encoded}"`);
  return encoded;
}

function inHeader(key: string, value: string): string {
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
    throw new UnusableArguments(`${key}: has characters that no header may have`);
  return value;
}

type EncodedBody = { body?: string | Uint8Array<ArrayBuffer>; contentType?: string };

async function writeBody(body: Body | null, args: Arguments): Promise<EncodedBody> {
  if (!body) return {};
  const { kind, contentType, from, deep = [], files = [] } = body;
  const value = typeof from === 'string' ? args[from] : pick(args, from);
  if (value === undefined) return {};
  if (kind === 'json') return { body: JSON.stringify(value), contentType };
  if (kind === 'text') return { body: asText(value), contentType };
  const fields = Object.entries(typeof value === 'object' && value !== null ? value : {}).flatMap(([name, held]) =>
    deep.includes(name)
      ? deepFields(name, held)
      : (Array.isArray(held) ? held : [held]).map((one): [string, string] => [name, asText(one)]),
  );
  if (kind === 'form') return { body: new URLSearchParams(fields).toString(), contentType };
  const form = new FormData();
  for (const [name, text] of fields) {
    if (files.includes(name)) form.append(name, new Blob([text], { type: 'text/plain' }), `${name}.txt`);
    else form.append(name, text);
  }
  const encoded = new Response(form);
  const type = encoded.headers.get('content-type') ?? contentType;
  return { body: new Uint8Array(await encoded.arrayBuffer()), contentType: type };
}

function pick(args: Arguments, names: string[]): Arguments | undefined {
  const found = names.filter((name) => Object.hasOwn(args, name)).map((name) => [name, args[name] ?? null] as const);
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}

const asText = (value: JsonValue): string => (typeof value === 'string' ? value : JSON.stringify(value));
