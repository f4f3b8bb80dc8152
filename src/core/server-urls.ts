/**
 * Returns a URL for each server that a postgres:// URL names, as libpq does: `postgres://a:5432,b/parley`. The
 * parameter `target_session_attrs` is left out: the gateway always uses the server that accepts writes.
 */
export function serverUrls(databaseUrl: string): string[] {
  const [, start = '', hosts = '', rest = ''] = /^(\w+:\/\/(?:[^@/?]*@)?)([^/?#]*)(.*)$/.exec(databaseUrl) ?? [];
  const [path = '', query = ''] = rest.split('?', 2);
  const kept = query.split('&').filter((parameter) => parameter !== '' && !parameter.startsWith(`${attributes}=`));
  const search = kept.length > 0 ? `?${kept.join('&')}` : '';
  return hosts.split(',').map((host) => `${start}${host}${path}${search}`);
}

const attributes = 'target_session_attrs';

/**
 * The server and database, or servers and database, without the user and the password: `a:5432,b/parley`. A server that
 * is reached by a socket has the folder of the socket as its name.
 */
export function serverName(databaseUrl: string): string {
  const urls = serverUrls(databaseUrl).map(parsed);
  const names = urls.map((url) => url?.searchParams.get('host') ?? url?.host ?? '');
  return `${names.join(',')}${urls[0]?.pathname ?? ''}`;
}

/**
 * Null if it is not a URL. One of a socket has no host before its database:
 * `postgres://me@/parley?host=/run/postgresql`.
 */
const parsed = (url: string): URL | null => URL.parse(url) ?? URL.parse(url.replace('@/', '@socket/'));

const unlike = 'must be a postgres:// URL of the server that accepts writes, or of several of which it is one';

/**
 * What is wrong with the URL of a PostgreSQL server, or of several of which one is the primary, and what to write
 * instead; null if nothing is. It never shows the URL, which has a password.
 */
export function serverUrlProblem(text: string): string | null {
  if (text !== text.trim()) return 'ends or begins with spaces or a line break: remove them';
  if (/^(["'`]).*\1$/.test(text)) return 'has quotes around it: remove them';
  if (!/^postgres(ql)?:\/\//.test(text)) return unlike;
  const raw = rawCharacter(text);
  if (raw) return `has a ${raw} that ends the password or the user too early: write %${hex(raw)} for it`;
  if (/%(?![\da-f]{2})/i.test(text)) return 'has a % without two hexadecimal digits after it: write %25 for it';
  const [, wanted = 'read-write'] = /[?&]target_session_attrs=([^&]*)/.exec(text) ?? [];
  const urls = serverUrls(text).map(parsed);
  const [first] = urls;
  if (!first || urls.includes(null) || !['read-write', 'primary', 'any'].includes(wanted)) return unlike;
  if (first.pathname.length < 2) return 'names no database: write it after the server, as in postgres://server/parley';
  const schema = first.searchParams.get('schema');
  if (schema === null || schema === 'public') return null;
  return "names a schema, but the gateway's tables live in public: leave schema out, and give the gateway a database of its own";
}

const hex = (character: string): string => character.charCodeAt(0).toString(16).toUpperCase();

/** The first character of the user and the password that would end them; null if there is none. */
function rawCharacter(text: string): string | null {
  const rest = text.slice(text.indexOf('://') + 3);
  if (rest.includes('#')) return '#';
  const [before = ''] = /^[^/?]*/.exec(rest) ?? [];
  if (before.split('@').length > 2) return '@';
  // A user, colon and what is no port, with the @ further on.
  const isCut = !before.includes('@') && rest.includes('@') && /^[^,[\]]*:(?!\d+$)/.test(before);
  return isCut ? (rest[before.length] ?? null) : null;
}
