/**
 * How models are asked: a redirect is not followed. It would send the key and the conversation to another address than
 * the operator's, and one that leads to itself would be asked again and again.
 */
export const providerFetch: typeof fetch = (address, init) => fetch(address, { ...init, redirect: 'manual' });
