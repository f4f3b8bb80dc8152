import { inHttpSpan } from '../../core/http-span.ts';

/**
 * The fetch used for all providers. It does not follow redirects, which would send the API key and the conversation to
 * an address that the operator did not configure.
 */
export const providerFetch: typeof fetch = (address, init) => {
  const url = new URL(address instanceof Request ? address.url : address);
  return inHttpSpan({ method: init?.method ?? 'GET', url, propagates: true }, (traceHeaders) => {
    const headers = { ...Object.fromEntries(new Headers(init?.headers)), ...traceHeaders };
    return fetch(address, { ...init, headers, redirect: 'manual' });
  });
};
