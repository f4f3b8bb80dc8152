const secrets: [RegExp, string][] = [
  [/\b(bearer|basic)\s+[^\s"',]+/gi, '$1 ***'],
  [/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@"']+@/gi, '$1***@'],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, '***'],
  [/\b((?:api[-_]?key|password|secret|(?:access|refresh|id)?_?token)["']?\s*[=:]\s*["']?)[^\s"',&]+/gi, '$1***'],
];

/** Redacts bearer tokens, JWTs, credentials in URLs and `key=value` secrets, and truncates to 2,000 characters. */
export function redact(text: string): string {
  return secrets.reduce((rest, [pattern, mask]) => rest.replace(pattern, mask), text.slice(0, 2_000));
}
