import { z } from 'zod';
import { isObject, parsedJson } from '../core/json.ts';
import { ExtractFailure } from '../sandbox/extract-failure.ts';
import { modelName } from './names.ts';
import { textOf } from './read-document.ts';
import type { NamedServer, OAuthServer, TokenLocation } from './types.ts';

type AuthType = 'none' | 'service_http' | 'user_http' | 'oauth';

/** The content of a plugin's manifest (`ai-plugin.json`). Addresses are absolute; empty if missing. */
export type Manifest = {
  schemaVersion: string;
  nameForHuman: string;
  nameForModel: string;
  descriptionForHuman: string;
  descriptionForModel: string;
  authType: AuthType;
  apiUrl: string;
  hasUserAuthentication: boolean;
  logoUrl: string;
  contactEmail: string;
  legalInfoUrl: string;
  token: TokenLocation | null;
  oauth: OAuthServer | null;
  /** The authorization server, if it is only named. */
  named: NamedServer | null;
};

const authTypes = ['none', 'service_http', 'user_http', 'oauth'] as const;
const email = z.email();

/** Parses a manifest; null if the text is something else. Throws `ExtractFailure` if the manifest cannot be used. */
export function readManifest(text: string, url: string): Manifest | null {
  const given = parsedJson(text);
  if (!isObject(given) || !isObject(given.api) || typeof given.name_for_model !== 'string') return null;
  const address = (value: unknown): string => {
    const found = typeof value === 'string' && value !== '' ? URL.parse(value, url) : null;
    return found && /^https?:$/.test(found.protocol) && !found.username && !found.password
      ? found.href.slice(0, 2_000)
      : '';
  };
  const { api, auth } = { api: given.api, auth: isObject(given.auth) ? given.auth : { type: 'none' } };
  const authType = authTypes.find((type) => type === auth.type);
  if (!authType)
    throw new ExtractFailure(
      `The auth.type of the manifest must be one of ${authTypes.join(', ')}; it is ${JSON.stringify(auth.type)?.slice(0, 100) ?? 'missing'}`,
    );
  const apiUrl = address(api.url);
  if (api.type !== 'openapi' || !apiUrl) throw new ExtractFailure('The manifest names no OpenAPI description');
  const contact = email.safeParse(given.contact_email);
  return {
    schemaVersion: textOf(given.schema_version, 100) || 'v1',
    nameForHuman: textOf(given.name_for_human, 200) || textOf(given.name_for_model, 200),
    nameForModel: modelName(given.name_for_model),
    descriptionForHuman: textOf(given.description_for_human, 2_000),
    descriptionForModel: textOf(given.description_for_model, 2_000),
    authType,
    apiUrl,
    hasUserAuthentication: api.has_user_authentication === true || authType === 'oauth' || authType === 'user_http',
    logoUrl: address(given.logo_url),
    contactEmail: contact.success ? contact.data : '',
    legalInfoUrl: address(given.legal_info_url),
    token: tokenPlaceOf(auth),
    oauth: serverOf(auth, address),
    named: namedIn(auth, address),
  };
}

function tokenPlaceOf({ authorization_type, custom_auth_header }: Record<string, unknown>): TokenLocation | null {
  if (typeof custom_auth_header === 'string' && /^[\w-]{1,100}$/.test(custom_auth_header)) {
    return { in: 'header', name: custom_auth_header, prefix: '' };
  }
  if (authorization_type === 'basic') return { in: 'header', name: 'Authorization', prefix: 'Basic ' };
  return authorization_type === 'bearer' ? { in: 'header', name: 'Authorization', prefix: 'Bearer ' } : null;
}

function serverOf(auth: Record<string, unknown>, address: (value: unknown) => string): OAuthServer | null {
  const server = { authorizationUrl: address(auth.client_url), tokenUrl: address(auth.authorization_url) };
  if (!server.authorizationUrl || !server.tokenUrl) return null;
  return { ...server, scope: textOf(auth.scope, 2_000) };
}

/** Manifests have no standard key for this: these are those of OpenID Connect and OpenAPI. */
function namedIn(auth: Record<string, unknown>, address: (value: unknown) => string): NamedServer | null {
  const found = address(auth.openIdConnectUrl) || address(auth.issuer);
  return found ? { address: found, scope: textOf(auth.scope, 2_000) } : null;
}
