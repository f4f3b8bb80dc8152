import type { Context } from '../context.ts';
import type { Lane, LaneRequest } from './lane.ts';

/** The media type of the answer, by what the caller accepts. Whoever asks for something else is answered by Yoga. */
const mediaTypes: Record<string, string> = {
  '*/*': 'application/json',
  'application/json': 'application/json',
  'application/graphql-response+json': 'application/graphql-response+json',
  'application/graphql-response+json,application/json': 'application/graphql-response+json',
  'application/graphql-response+json,application/json;q=0.9': 'application/graphql-response+json',
  'application/json,application/graphql-response+json': 'application/json',
};

/**
 * Answers a request to /graphql by the lane, or gives it back, to be answered by Yoga. The bytes of an answer are those
 * that the database wrote; the header `x-parley-lane` tells who answered.
 */
export async function serve(lane: Lane, request: Request, context: Context): Promise<Response | Request> {
  const mediaType = mediaTypes[(request.headers.get('accept') ?? '*/*').replaceAll(' ', '')];
  const contentType = request.headers.get('content-type');
  if (request.method !== 'POST' || !mediaType || !isJson(contentType)) return request;
  const text = await request.text();
  const asked = read(text);
  const body = asked && (await lane.answer(asked, context));
  if (body) return respond(body, mediaType);
  const { url, method, headers, signal } = request;
  return new Request(url, { method, headers, signal, body: text });
}

function respond(body: string, mediaType: string): Response {
  const headers = {
    'content-type': `${mediaType}; charset=utf-8`,
    'content-length': String(Buffer.byteLength(body)),
    'x-parley-lane': '1',
  };
  return new Response(body, { headers });
}

const isJson = (contentType: string | null) =>
  contentType === 'application/json' || contentType?.toLowerCase() === 'application/json; charset=utf-8';

/** What is asked, when it is of the ordinary shape. */
function read(text: string): LaneRequest | null {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return null;
  }
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return null;
  const { query, operationName, variables, ...others } = body as Record<string, unknown>;
  if (typeof query !== 'string' || Object.values(others).some((value) => value != null)) return null;
  if (operationName != null && (typeof operationName !== 'string' || operationName === '')) return null;
  if (variables != null && (typeof variables !== 'object' || Array.isArray(variables))) return null;
  return { query, operationName, variables } as LaneRequest;
}
