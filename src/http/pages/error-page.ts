import { barMark, documentHtml, escapeHtml, howToSignIn, linksFrom, pageHeaders, pageLinks } from './page.ts';

/** `session` and `outside`: how somebody signs in, as for the other pages. */
type Around = { session: boolean; outside: boolean; requestId: string };

const titles: Record<number, string> = {
  401: 'This address needs a token',
  404: 'Page not found',
  500: 'The gateway failed',
  503: 'Not available just now',
};

/** An error as a page for somebody who opened the address in a browser; as it is for every program. */
export async function readableError(
  request: Request,
  response: Response,
  { session, outside, requestId }: Around,
): Promise<Response> {
  const headers = new Headers(response.headers);
  headers.append('Vary', 'Sec-Fetch-Mode');
  const { status } = response;
  if (request.headers.get('sec-fetch-mode') !== 'navigate') return new Response(response.body, { status, headers });
  const { message, issues = [] } = (await response.json()) as { message: string; issues?: { message: string }[] };
  const up = '../'.repeat(new URL(request.url).pathname.split('/').length - 2);
  // What programs read about the header is of no use to someone who opened an address.
  const isUnsigned = status === 401 && !request.headers.has('authorization');
  const lines = isUnsigned ? [] : [message, ...issues.map((issue) => issue.message)].map(escapeHtml);
  if (status === 401) lines.push(...forPeople(up, howToSignIn(session, outside)));
  const title = titles[status] ?? 'This did not work';
  // A browser shows no headers.
  const id = status >= 500 ? `<p>X-Request-Id: <code>${escapeHtml(requestId)}</code></p>` : '';
  const html = documentHtml({
    title: `${title} · Parley`,
    styles: [`${up}graphiql/boards.css`],
    scripts: [],
    options: null,
    body: `<header id="bar"><a class="home" href="${up}docs">${barMark}Parley</a> ${pageLinks(linksFrom(session), up)}</header>
    <main><h1>${title}</h1>${lines.map((line) => `<p>${line}</p>`).join('')}${id}<p><a href="${up}docs/troubleshooting">Troubleshooting</a></p></main>`,
  });
  headers.set('Content-Type', 'text/html; charset=utf-8');
  for (const [name, value] of Object.entries(pageHeaders)) headers.set(name, value);
  return new Response(html, { status, headers });
}

/** A browser sends no token with an address that somebody opens. In HTML. */
const forPeople = (up: string, how: string): string[] => [
  'It is for programs, which send a token with each request: a browser sends none with an address that is opened.',
  `People sign in on the pages: run queries in <a href="${up}graphql">GraphiQL</a>, and see the boards of the workspace under <a href="${up}dashboards">Dashboards</a>.`,
  `${escapeHtml(how)} <a href="${up}docs/keys">How a program gets one</a>`,
];
