import type { JsonValue } from '../model/types.ts';

/** A JSON schema without references: what they meant stands in their places. */
export type Schema = { [keyword: string]: JsonValue };

/** Where a token goes into a request, and what stands before it: `Bearer ` in the header `Authorization`. */
export type TokenPlace = { in: 'header' | 'query' | 'cookie'; name: string; prefix: string };

/** The addresses of an authorization server, as far as a description or a manifest tells them. */
export type OAuthServer = { authorizationUrl: string; tokenUrl: string; revocationUrl?: string; scope: string };
/** An authorization server that tells its addresses itself: its issuer, or where its metadata is. */
export type NamedServer = { address: string; scope: string };

export type ParameterStyle =
  | 'matrix'
  | 'label'
  | 'simple'
  | 'form'
  | 'spaceDelimited'
  | 'pipeDelimited'
  | 'deepObject'
  /** The value as JSON text. */
  | 'json';

/** A parameter of an operation. `key` is the argument of the tool that holds its value. */
export type Parameter = {
  key: string;
  name: string;
  in: 'path' | 'query' | 'header' | 'cookie';
  style: ParameterStyle;
  explode: boolean;
  allowReserved: boolean;
};

export type BodyKind = 'json' | 'form' | 'multipart' | 'text';

/** The body of an operation: the value of one argument, or an object put together from several. */
export type Body = { kind: BodyKind; contentType: string; required: boolean; from: string | string[] };

/** An operation of an API as a tool. It is plain data: it is kept as JSON and needs no description to be called. */
export type Operation = {
  name: string;
  description: string;
  method: string;
  /** The address with `{name}` for each parameter in the path. */
  url: string;
  parameters: Parameter[];
  body: Body | null;
  /** The JSON schema of the arguments. */
  arguments: Schema;
  /** Whether the API wants a token for it. */
  authorized: boolean;
};

/** What an OpenAPI description says, as far as calling goes. */
export type Interface = {
  title: string;
  description: string;
  version: string;
  operations: Operation[];
  /** What was left out, with the reason: operations with a body of another kind, or too many. */
  skipped: string[];
  /** How the description says that a token is sent; null when it does not say. */
  token: TokenPlace | null;
  oauth: OAuthServer | null;
  /** The authorization server when it is only named. */
  named: NamedServer | null;
};
