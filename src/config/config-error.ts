/** A missing or invalid setting. The message names every variable at fault, and never contains a value. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}
