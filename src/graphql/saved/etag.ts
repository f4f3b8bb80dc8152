import { createHash } from 'node:crypto';

/**
 * Adds to a response of a saved operation what a cache needs: its tag, which says nothing of how it is compressed. A
 * response that the caller has becomes 304.
 */
export async function withEtag(request: Request, response: Response): Promise<Response> {
  if (response.status !== 200) return response;
  const body = Buffer.from(await response.arrayBuffer());
  const tag = `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
  const headers = new Headers([...response.headers]);
  headers.set('etag', tag);
  headers.set('cache-control', 'private, no-cache');
  headers.append('vary', 'Accept, Authorization');
  headers.delete('content-length');
  const known = (request.headers.get('if-none-match') ?? '').split(',').map((each) => each.trim());
  if (!known.includes('*') && !known.map(weak).includes(tag)) return new Response(body, { status: 200, headers });
  headers.delete('content-type');
  return new Response(null, { status: 304, headers });
}

const weak = (tag: string): string => (tag.startsWith('W/') ? tag : `W/${tag}`);
