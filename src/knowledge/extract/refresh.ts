/** How many bytes of a page to search, and how long it may stand before it goes on, in seconds. */
const headSize = 20_000;
const maxSeconds = 10;

/** The address that a page goes on to by itself (`<meta http-equiv="refresh">`), or null. */
export function refreshOf(bytes: Uint8Array, contentType: string, url: string): string | null {
  if (!/html/i.test(contentType)) return null;
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, headSize)).toString('utf8');
  // What is for browsers without scripts often leads to an apology.
  const shown = head.replace(/<!--[\s\S]*?-->|<noscript[\s>][\s\S]*?<\/noscript>|<script[\s>][\s\S]*?<\/script>/gi, '');
  for (const [tag] of shown.matchAll(/<meta\s[^<>]{0,2000}>/gi)) {
    if (!/http-equiv\s*=\s*["']?refresh\b/i.test(tag)) continue;
    const [, , content = ''] = /content\s*=\s*(["'])([\s\S]*?)\1/i.exec(tag) ?? [];
    const [, seconds, target = ''] =
      /^\s*(\d+)(?:\.\d*)?\s*[;,]\s*(?:url\s*=\s*)?["']?(.*?)["']?\s*$/i.exec(content) ?? [];
    const address = target ? URL.parse(target.replaceAll('&amp;', '&'), url) : null;
    if (address && Number(seconds) <= maxSeconds && address.href !== url) return address.href;
  }
  return null;
}
