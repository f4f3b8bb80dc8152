/**
 * Returns a URL for each server that a postgres:// URL names, as libpq does: `postgres://a:5432,b/parley`. The parameter
 * `target_session_attrs` is left out: the gateway always uses the server that accepts writes.
 */
export function serverUrls(databaseUrl: string): string[] {
  const [, start = '', hosts = '', rest = ''] = /^(\w+:\/\/(?:[^@/?]*@)?)([^/?#]*)(.*)$/.exec(databaseUrl) ?? [];
  const [path = '', query = ''] = rest.split('?', 2);
  const kept = query.split('&').filter((parameter) => parameter !== '' && !parameter.startsWith(`${attributes}=`));
  const search = kept.length > 0 ? `?${kept.join('&')}` : '';
  return hosts.split(',').map((host) => `${start}${host}${path}${search}`);
}

const attributes = 'target_session_attrs';

/** The server and database, or servers and database, without the user and the password: `a:5432,b/parley`. */
export function serverName(databaseUrl: string): string {
  const urls = serverUrls(databaseUrl).map((url) => new URL(url));
  return `${urls.map(({ host }) => host).join(',')}${urls[0]?.pathname ?? ''}`;
}

/** Whether it is a postgres:// URL of one server or several, that does not ask for one that only reads. */
export function isServerUrl(text: string): boolean {
  const [, wanted = 'read-write'] = /[?&]target_session_attrs=([^&]*)/.exec(text) ?? [];
  const isUrl = (url: string) => /^postgres(ql)?:$/.test(URL.parse(url)?.protocol ?? '');
  return serverUrls(text).every(isUrl) && ['read-write', 'primary', 'any'].includes(wanted);
}
