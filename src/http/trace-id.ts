/** Returns the trace id of a `traceparent` header (W3C Trace Context); null if there is none or it is invalid. */
export function traceIdOf(traceparent: string | null | undefined): string | null {
  const [, version, id] = /^([\da-f]{2})-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}(?:-|$)/.exec(traceparent ?? '') ?? [];
  return id === undefined || version === 'ff' || /^0+$/.test(id) ? null : id;
}
