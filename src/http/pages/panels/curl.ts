/** The request of a curl command. */
export type CurlRequest = { method: string; url: string; headers: Record<string, string>; body: string };

const flags = 'sSkivLfgNO#046';
/** Options with a value that do not affect the request. */
const ignored = [
  '-o',
  '-A',
  '-b',
  '-c',
  '-e',
  '-m',
  '-u',
  '-w',
  '-x',
  '-F',
  '--output',
  '--user-agent',
  '--cookie',
  '--cookie-jar',
  '--referer',
  '--max-time',
  '--connect-timeout',
  '--user',
  '--write-out',
  '--proxy',
  '--retry',
  '--cacert',
  '--cert',
  '--key',
  '--resolve',
];
const named: Record<string, string> = {
  '--request': '-X',
  '--header': '-H',
  '--data': '-d',
  '--data-raw': '--data-raw',
  '--data-binary': '-d',
  '--data-ascii': '-d',
  '--get': '-G',
  '--head': '-I',
};

/** Parses a curl command as a shell would. Throws an error that names what it cannot parse. */
export function readCurl(text: string): CurlRequest {
  const words = shellWords(text);
  if (words[0] === '$') words.shift();
  if (words.shift() !== 'curl') throw new Error('Paste a command that begins with “curl”.');
  const read: Reading = { urls: [], headers: {}, data: [], isJson: false, isGet: false };
  while (words.length > 0) readWord(words.shift() ?? '', words, read);
  const [url] = read.urls;
  if (!url) throw new Error('The curl has no address.');
  const body = read.data.join(read.isJson ? '' : '&');
  const method = read.method ?? (read.data.length > 0 && !read.isGet ? 'POST' : 'GET');
  const headers = { ...defaultsOf(read), ...read.headers };
  if (!read.isGet) return { method, url, headers, body };
  return { method, url: body ? `${url}${url.includes('?') ? '&' : '?'}${body}` : url, headers, body: '' };
}

type Reading = {
  method?: string;
  urls: string[];
  headers: Record<string, string>;
  data: string[];
  isJson: boolean;
  isGet: boolean;
};

function defaultsOf({ isJson, isGet, data, headers }: Reading): Record<string, string> {
  if (isGet || data.length === 0 || Object.keys(headers).some((name) => name.toLowerCase() === 'content-type'))
    return {};
  if (isJson) return { 'Content-Type': 'application/json', Accept: 'application/json' };
  return { 'Content-Type': 'application/x-www-form-urlencoded' };
}

function readWord(word: string, rest: string[], read: Reading): void {
  if (!word.startsWith('-') || word === '-') {
    read.urls.push(word);
    return;
  }
  if (!word.startsWith('--')) {
    readShort(word, rest, read);
    return;
  }
  const [name = '', ...given] = word.split('=');
  const value = () => (given.length > 0 ? given.join('=') : valueOf(name, rest));
  if (name === '--url') read.urls.push(value());
  else if (name === '--json' || name === '--data-urlencode') apply(name, value(), read);
  else if (named[name] === '-G' || named[name] === '-I') apply(named[name] ?? '', '', read);
  else if (named[name]) apply(named[name] ?? '', value(), read);
  else if (name === '--form') throw new Error('The curl sends a form: REST bodies are JSON.');
  else if (ignored.includes(name)) value();
}

/** Splits joined short options and their value, such as `-sXPOST`. */
function readShort(word: string, rest: string[], read: Reading): void {
  for (let at = 1; at < word.length; at += 1) {
    const name = `-${word[at]}`;
    if (name === '-G' || name === '-I') apply(name, '', read);
    else if (!flags.includes(word[at] ?? '')) {
      const value = word.slice(at + 1) || valueOf(name, rest);
      if (name === '-F') throw new Error('The curl sends a form: REST bodies are JSON.');
      if (ignored.includes(name)) return;
      if (!['-X', '-H', '-d'].includes(name)) throw new Error(`The option ${name} is not known here.`);
      apply(name, value, read);
      return;
    }
  }
}

function valueOf(name: string, rest: string[]): string {
  const value = rest.shift();
  if (value === undefined) throw new Error(`The option ${name} has no value.`);
  return value;
}

function apply(name: string, value: string, read: Reading): void {
  if (name === '-X') read.method = value.toUpperCase();
  else if (name === '-G') read.isGet = true;
  else if (name === '-I') read.method = 'HEAD';
  else if (name === '-H') {
    const [, header, content = ''] = /^([^:;]+)[:;]\s*([^]*)$/.exec(value) ?? [];
    if (header && content) read.headers[header.trim()] = content.trim();
  } else {
    if (value.startsWith('@') && name !== '--data-raw')
      throw new Error(`The body is in a file (${value}): paste its text instead.`);
    if (name === '--json') read.isJson = true;
    read.data.push(name === '--data-urlencode' ? urlEncoded(value) : value);
  }
}

/** `name=content` and `content`, as curl encodes them. */
function urlEncoded(value: string): string {
  const at = value.indexOf('=');
  const encode = (text: string) =>
    encodeURIComponent(text).replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
  return at <= 0 ? encode(value.slice(at + 1)) : `${value.slice(0, at)}=${encode(value.slice(at + 1))}`;
}

const escapes: Record<string, string> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
  e: '\x1b',
  '0': '\0',
};
const word = /\\\r?\n|(\s+)|'([^']*)'|\$'((?:[^'\\]|\\[^])*)'|"((?:[^"\\]|\\[^])*)"|\\([^])|([^\s'"\\$]+|\$)/gy;

/** Splits a command into words: quotes, escapes and continued lines as in a POSIX shell, and `$'…'`. */
export function shellWords(text: string): string[] {
  const words: string[] = [];
  let current: string | null = null;
  word.lastIndex = 0;
  const source = text.trim();
  while (word.lastIndex < source.length) {
    const at = word.lastIndex;
    const found = word.exec(source);
    if (!found) throw new Error(`A quote is not closed: ${source.slice(at, at + 20)}…`);
    const [whole, space, single, dollar, double, escaped, plain] = found;
    if (space !== undefined) {
      if (current !== null) words.push(current);
      current = null;
    } else if (/^\\\r?\n$/.test(whole)) continue;
    else
      current =
        (current ?? '') +
        (single ?? unescaped(dollar) ?? double?.replaceAll(/\\(?:([$`"\\])|\r?\n)/g, '$1') ?? escaped ?? plain ?? '');
  }
  if (current !== null) words.push(current);
  return words;
}

/** The text of `$'…'`. */
const unescaped = (text: string | undefined): string | undefined =>
  text?.replaceAll(
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|([^]))/g,
    (_, hex?: string, code?: string, letter?: string) =>
      letter === undefined
        ? String.fromCodePoint(Number.parseInt(hex ?? code ?? '0', 16))
        : (escapes[letter] ?? letter),
  );

/** Writes a request as a curl command; its token is the shell variable TOKEN. */
export function curlOf({ method, url, headers, body }: CurlRequest, gateway: string): string {
  const lines = [
    `curl${method === 'GET' && !body ? '' : ` -X ${method}`} ${quoted(`${gateway}${url}`)}`,
    '-H "Authorization: Bearer $TOKEN"',
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body ? [`--data-raw ${quoted(body)}`] : []),
  ];
  return lines.join(' \\\n  ');
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
