/** Whether an address holds a user name or a password, which would be shown to all who may read the row. */
export function hasCredentials(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && (url.username !== '' || url.password !== '');
}

export const noCredentials = 'must not hold a user name or password';

/** An http or https address without credentials, for descriptions. */
export const addressPattern = '^https?://[^/?#@]+([/?#]|$)';
