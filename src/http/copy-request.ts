/** The copies of requests, by the signals that they follow. */
const copies = new WeakMap<AbortSignal, Request>();

/**
 * Copies a request, with changes. A copy learns that its caller has left only while somebody holds the copy itself, its
 * signal is not enough: it is held for as long as the original.
 */
export function copyRequest(request: Request, changes: RequestInit): Request {
  const copy = new Request(request, changes);
  copies.set(request.signal, copy);
  return copy;
}
