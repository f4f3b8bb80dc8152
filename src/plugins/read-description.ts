import { readInterface } from './read-interface.ts';
import { type Manifest, readManifest } from './read-manifest.ts';
import type { Interface } from './types.ts';

/** The content of a plugin's address: its manifest, or the description of its API. */
export type Description = { manifest: Manifest } | { interface: Interface };

/** Parses either. `url` is the address that it was fetched from. Throws `ExtractFailure`. */
export function readDescription({ bytes, url }: { bytes: Uint8Array; url: string }): Description {
  const text = new TextDecoder().decode(bytes);
  const manifest = readManifest(text, url);
  return manifest ? { manifest } : { interface: readInterface(text, url) };
}
