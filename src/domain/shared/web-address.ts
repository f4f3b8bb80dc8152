/** Whether a URL contains a user name or password, which every reader of the row would see. */
export function hasCredentials(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && (url.username !== '' || url.password !== '');
}

export const noCredentials = 'must not contain a user name or password';

/** Pattern of an http or https URL without credentials, for API descriptions. */
export const addressPattern = '^https?://[^/?#@]+([/?#]|$)';
