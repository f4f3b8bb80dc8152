import { readInterface } from './read-interface.ts';
import { type Manifest, readManifest } from './read-manifest.ts';
import type { Interface } from './types.ts';

/** What an address that was given for a plugin holds: its manifest, or the description of its API. */
export type Description = { manifest: Manifest } | { interface: Interface };

/** Reads the bytes of either. `url` is where they are from. Throws `ExtractFailure`. */
export function readDescription({ bytes, url }: { bytes: Uint8Array; url: string }): Description {
  const text = new TextDecoder().decode(bytes);
  const manifest = readManifest(text, url);
  return manifest ? { manifest } : { interface: readInterface(text, url) };
}
