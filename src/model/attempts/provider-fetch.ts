/**
 * The fetch used for all providers. It does not follow redirects, which would send the API key and the conversation to
 * an address that the operator did not configure.
 */
export const providerFetch: typeof fetch = (address, init) => fetch(address, { ...init, redirect: 'manual' });
