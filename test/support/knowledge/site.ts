import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll } from 'vitest';

type Page = {
  status?: number;
  body?: string | Uint8Array;
  type?: string;
  location?: string;
  headers?: Record<string, string>;
  until?: Promise<void>;
  next?: Page;
  by?: (request: IncomingMessage) => Page;
};

/**
 * A web server on loopback with the test's pages. `until` delays a response, `next` replaces the page after its
 * first request, `by` makes the response from the request; `visits` counts requests.
 */
export type Site = { pages: Map<string, Page>; visits: Map<string, number>; url(path: string): string };

/** A site for all tests of a file. A path without a page answers 404. */
export function useSite(): Site {
  const pages = new Map<string, Page>();
  const visits = new Map<string, number>();
  let server: Server;
  beforeAll(async () => {
    server = createServer((request, response) => {
      const { url = '/' } = request;
      visits.set(url, (visits.get(url) ?? 0) + 1);
      const page: Page = pages.get(url) ?? { status: 404 };
      if (page.next) pages.set(url, page.next);
      const {
        status = 200,
        body = '',
        type = 'text/html; charset=utf-8',
        location,
        headers: more,
        until,
      } = page.by?.(request) ?? page;
      const headers = { 'content-type': type, ...more, ...(location && { location }) };
      void (until ?? Promise.resolve()).then(() => response.writeHead(status, headers).end(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return { pages, visits, url: (path) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}` };
}
