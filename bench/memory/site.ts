import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { wordsOf } from './words.ts';

const perIndex = 100;

export type Web = { origin: string; visits: () => number; close(): void };

/** Serves a site of so many pages, of some 20 kB each, and a file, on loopback. */
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

/** Page 0 links to the first of every hundred, each of which links to its hundred: nothing is further than two links. */
function pageAt(number: number, pages: number): string {
  const links =
    number === 0
      ? Array.from({ length: Math.ceil(pages / perIndex) }, (_, index) => index * perIndex)
      : Array.from({ length: perIndex }, (_, index) => Math.floor(number / perIndex) * perIndex + index);
  const menu = links.map(
    (link) => `<li class="menu-item menu-item-type-page"><a href="/site/${link || ''}">Page ${link}</a></li>`,
  );
  const paragraphs = Array.from({ length: 12 }, (_, index) => `<p>${wordsOf(number * 20 + index, 40)}.</p>`);
  return `<!doctype html><html lang="en"><head><title>Page ${number}</title><style>${'.a{color:red}'.repeat(200)}</style></head>
    <body><nav><ul>${menu.join('\n')}</ul></nav><main><h1>Page ${number}</h1>${paragraphs.join('\n')}</main></body></html>`;
}
