import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { wordsOf } from './words.ts';

const perIndex = 100;

export type Web = { origin: string; visits: () => number; close(): void };

/** Serves, on loopback, a site of `pages` pages of about 20 kB each, and a file. */
export async function serve(pages: number, file: string): Promise<Web> {
  let visits = 0;
  const server = createServer(({ url = '/' }, response) => {
    if (url === '/large.pdf') {
      response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': statSync(file).size });
      createReadStream(file).pipe(response);
      return;
    }
    const number = /^\/site\/(\d*)$/.exec(url)?.[1];
    if (number === undefined || Number(number) >= pages) return void response.writeHead(404).end();
    visits += 1;
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(pageAt(Number(number), pages));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    visits: () => visits,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/**
 * Each page links to its block of a hundred, and page 0 also to the first page of each block: every page is at most two
 * links away.
 */
function pageAt(number: number, pages: number): string {
  const first = number - (number % perIndex);
  const links = Array.from({ length: Math.min(perIndex, pages - first) }, (_, index) => first + index);
  if (number === 0) for (let index = perIndex; index < pages; index += perIndex) links.push(index);
  const menu = links.map(
    (link) => `<li class="menu-item menu-item-type-page"><a href="/site/${link || ''}">Page ${link}</a></li>`,
  );
  const paragraphs = Array.from({ length: 12 }, (_, index) => `<p>${wordsOf(number * 20 + index, 40)}.</p>`);
  return `<!doctype html><html lang="en"><head><title>Page ${number}</title><style>${'.a{color:red}'.repeat(200)}</style></head>
    <body><nav><ul>${menu.join('\n')}</ul></nav><main><h1>Page ${number}</h1>${paragraphs.join('\n')}</main></body></html>`;
}
