const kinds: [form: RegExp, mediaType: string][] = [
  [/^\x89PNG\r\n\x1a\n/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^GIF8[79]a/, 'image/gif'],
  [/^RIFF.{4}WEBP/s, 'image/webp'],
  [/^RIFF.{4}WAVE/s, 'audio/wav'],
  [/^(?:ID3|\xff[\xfb\xf3\xf2\xfa])/, 'audio/mpeg'],
  [/^\xff[\xf1\xf9]/, 'audio/aac'],
  [/^OggS/, 'audio/ogg'],
  [/^fLaC/, 'audio/flac'],
  // Browsers and phones record sound in video containers.
  [/^\x1aE\xdf\xa3/, 'audio/webm'],
  [/^.{4}ftyp/s, 'audio/mp4'],
];

/** The supported image and audio types, for error messages. */
export const knownMedia = {
  image: 'a PNG, JPEG, GIF or WebP image',
  audio: 'a recording as WAV, MP3, AAC, Ogg, FLAC, WebM or M4A',
};

/**
 * The media type of an image or a recording, detected from its first bytes rather than declared by its sender; null for
 * anything else.
 */
export function mediaTypeOf(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 16)).toString('latin1');
  return kinds.find(([form]) => form.test(head))?.[1] ?? null;
}
