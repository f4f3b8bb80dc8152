import { methodNotAllowed, notFound, type ParleyError } from '../core/errors.ts';

/** An error as an HTTP response: `{message, code, issues?}` as JSON, with its status and headers. */
export function respond({ body, status, headers }: ParleyError): Response {
  return Response.json(body, { status, headers });
}

/** 404 for a path that no route serves. */
export function notFoundResponse(path: string): Response {
  return respond(notFound(`The path ${path.slice(0, 200)} was`));
}

/** 405 for a read-only path. */
export function readOnlyResponse(): Response {
  return respond(methodNotAllowed('GET, HEAD'));
}
