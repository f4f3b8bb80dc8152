import { createHash } from 'node:crypto';

/**
 * Adds to a response of a saved operation what a cache needs: its tag, which says nothing of how it is compressed. A
 * response that the caller has becomes 304. `maxAge`: for how many seconds it may be kept without asking again.
 */
export async function withEtag(request: Request, response: Response, maxAge?: number | null): Promise<Response> {
  if (response.status !== 200) return response;
  const body = Buffer.from(await response.arrayBuffer());
  return tagged(
    request,
    { content: body, maxAge },
    async () => new Response(body, { status: 200, headers: [...response.headers] }),
  );
}

/** The same for a response that follows from `content`, and is only made if the caller does not have it. */
export async function tagged(
  request: Request,
  { content, maxAge }: { content: string | Buffer; maxAge?: number | null | undefined },
  make: () => Promise<Response>,
): Promise<Response> {
  const tag = `W/"${createHash('sha256').update(content).digest('base64url').slice(0, 27)}"`;
  const known = (request.headers.get('if-none-match') ?? '').split(',').map((each) => each.trim());
  const isKnown = known.includes('*') || known.map(weak).includes(tag);
  const response = isKnown ? new Response(null, { status: 304 }) : await make();
  response.headers.set('etag', tag);
  response.headers.set('cache-control', maxAge ? `private, max-age=${maxAge}` : 'private, no-cache');
  response.headers.append('vary', 'Accept, Authorization');
  response.headers.delete('content-length');
  return response;
}

const weak = (tag: string): string => (tag.startsWith('W/') ? tag : `W/${tag}`);
