import type { JsonValue } from '../model/types.ts';

/** A JSON schema with all references inlined. */
export type Schema = { [keyword: string]: JsonValue };

/** Where a token is sent, and its prefix: `Bearer ` in the header `Authorization`. */
export type TokenLocation = { in: 'header' | 'query' | 'cookie'; name: string; prefix: string };

/** The addresses of an authorization server, as far as a description or a manifest gives them. */
export type OAuthServer = { authorizationUrl: string; tokenUrl: string; revocationUrl?: string; scope: string };
/** An authorization server that publishes metadata: its issuer, or the address of the metadata. */
export type NamedServer = { address: string; scope: string };

export type ParameterStyle =
  | 'matrix'
  | 'label'
  | 'simple'
  | 'form'
  | 'spaceDelimited'
  | 'pipeDelimited'
  | 'deepObject'
  /** The value as JSON. */
  | 'json';

/** A parameter of an operation. `key` is the name of the tool's argument. */
export type Parameter = {
  key: string;
  name: string;
  in: 'path' | 'query' | 'header' | 'cookie';
  style: ParameterStyle;
  explode: boolean;
  allowReserved: boolean;
};

export type BodyKind = 'json' | 'form' | 'multipart' | 'text';

/**
 * The body of an operation: the value of one argument, or an object of several. `deep`: fields of a form that are
 * written with brackets; `files`: those that are sent as files.
 */
export type Body = {
  kind: BodyKind;
  contentType: string;
  required: boolean;
  from: string | string[];
  deep?: string[];
  files?: string[];
};

/** An operation of an API as a tool. Plain data, stored as JSON: calling it needs no description. */
export type Operation = {
  name: string;
  description: string;
  method: string;
  /** The URL, with `{name}` for each path parameter. */
  url: string;
  parameters: Parameter[];
  body: Body | null;
  /** The JSON schema of the arguments. */
  arguments: Schema;
  /** Whether the API requires a token for it. */
  authorized: boolean;
};

/** The parts of an OpenAPI description that are needed to call the API. */
export type Interface = {
  title: string;
  description: string;
  version: string;
  operations: Operation[];
  /** Operations that were skipped, with the reason, such as an unsupported body. */
  skipped: string[];
  /** How a token is sent; null if the description does not say. */
  token: TokenLocation | null;
  oauth: OAuthServer | null;
  /** The authorization server, if it is only named. */
  named: NamedServer | null;
};
