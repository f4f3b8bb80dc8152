import { barMark, documentHtml, escapeHtml, linksFrom, pageHeaders, pageLinks } from './page.ts';

type Around = { session: boolean; requestId: string };

const titles: Record<number, string> = {
  401: 'Nobody is signed in here',
  403: 'This is not allowed',
  404: 'Page not found',
  500: 'The gateway failed',
  503: 'Not available just now',
};

/** An error as a page for somebody who opened the address in a browser; as it is for every program. */
export async function readableError(
  request: Request,
  response: Response,
  { session, requestId }: Around,
): Promise<Response> {
  const headers = new Headers(response.headers);
  headers.append('Vary', 'Sec-Fetch-Mode');
  const { status } = response;
  if (request.headers.get('sec-fetch-mode') !== 'navigate') return new Response(response.body, { status, headers });
  const { message, issues = [] } = (await response.json()) as { message: string; issues?: { message: string }[] };
  const lines = [message, ...issues.map((issue) => issue.message)];
  const up = '../'.repeat(new URL(request.url).pathname.split('/').length - 2);
  const title = titles[status] ?? 'This did not work';
  // A browser shows no headers.
  const id = status >= 500 ? `<p>X-Request-Id: <code>${escapeHtml(requestId)}</code></p>` : '';
  const html = documentHtml({
    title: `${title} · Parley`,
    styles: [`${up}graphiql/boards.css`],
    scripts: [],
    options: null,
    body: `<header id="bar"><a class="home" href="${up}docs">${barMark}Parley</a> ${pageLinks(linksFrom(session), up)}</header>
    <main><h1>${title}</h1>${lines.map((line) => `<p>${escapeHtml(line)}</p>`).join('')}${id}<p><a href="${up}docs/troubleshooting">Troubleshooting</a></p></main>`,
  });
  headers.set('Content-Type', 'text/html; charset=utf-8');
  for (const [name, value] of Object.entries(pageHeaders)) headers.set(name, value);
  return new Response(html, { status, headers });
}
