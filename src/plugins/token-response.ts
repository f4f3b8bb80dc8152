/** What an authorization server answered. */
type Answer = { bytes: Uint8Array; status: number; contentType: string };
type Values = Record<string, unknown>;

/** No server means a longer lifetime, in seconds; later dates than ours could not be stored either. */
const longestSeconds = 3_000_000_000;

/**
 * The answer as the standard has it. Servers send forms, 201, errors with 200, lists of scopes, null where nothing is
 * meant, numbers as text, and types of tokens that are bearers by another name; the standard's reader takes none of
 * these. The id token is left out: the user's identity is not needed, and would have to be verified.
 */
export function tokenResponse({ bytes, status, contentType }: Answer): Response {
  const text = new TextDecoder().decode(bytes);
  const given = valuesIn(text, contentType);
  if (!given) return new Response(text || null, { status: ok(status), headers: { 'content-type': contentType } });
  const error = errorIn(given);
  const values = error ? { error } : readToken(given);
  const code = error ? (status < 400 ? 400 : status) : ok(status);
  return new Response(JSON.stringify(values), { status: code, headers: { 'content-type': 'application/json' } });
}

const ok = (status: number): number => (status >= 200 && status < 300 ? 200 : status);

/** The object of a body in JSON, or the fields of a form. */
function valuesIn(text: string, contentType: string): Values | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    const isForm = /form-urlencoded/i.test(contentType) || /^[\w.]+=[^&\s]*(?:&[\w.]+=[^&\s]*)*$/.test(text.trim());
    return isForm ? Object.fromEntries(new URLSearchParams(text.trim())) : null;
  }
}

/** The code of an error, also of one that is an object; null if there is none. */
function errorIn({ access_token, token_type, error, ok: isOk }: Values): string | null {
  // These prove that their sender holds a key, which no bearer does.
  if (access_token) return /^(dpop|mac|pop)$/i.test(String(token_type)) ? 'unsupported_token_type' : null;
  const { code, type, status } = (typeof error === 'object' && error !== null ? error : {}) as Values;
  const found = [error, type, status, code].find((each) => typeof each === 'string' && each !== '');
  return typeof found === 'string' ? found : error || isOk === false ? 'server_error' : null;
}

function readToken({
  id_token: _,
  access_token,
  token_type,
  scope,
  refresh_token,
  expires_in,
  ...others
}: Values): Values {
  const scopes = Array.isArray(scope) ? scope.filter((each) => typeof each === 'string').join(' ') : scope;
  const seconds = typeof expires_in === 'string' && expires_in.trim() ? Number(expires_in) : expires_in;
  const isLifetime = typeof seconds === 'number' && seconds > 0 && seconds <= longestSeconds;
  return {
    ...others,
    ...(access_token !== null && access_token !== undefined && { access_token: String(access_token) }),
    token_type: 'bearer',
    ...(typeof scopes === 'string' && { scope: scopes }),
    ...(typeof refresh_token === 'string' && refresh_token && { refresh_token }),
    ...(isLifetime && { expires_in: seconds }),
  };
}

/** Whether a server refuses how the client proves itself: as 401, or by code. */
export async function refusesClient(response: Response): Promise<boolean> {
  if (response.status === 401) return true;
  if (response.status !== 400 && response.status !== 403) return false;
  const { error } = (await response
    .clone()
    .json()
    .catch(() => ({}))) as Values;
  return error === 'invalid_client' || error === 'unauthorized_client' || error === 'incorrect_client_credentials';
}
