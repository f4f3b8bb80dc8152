import type { Section } from './extract.ts';
import { createTaskRunner } from './worker.ts';

/** What is kept of a file's text, in characters; a model is told less of it than that. */
const mostCharacters = 200_000;

/** A thread of its own: a message does not wait for a source that is being read. */
const run = createTaskRunner({ timeoutMs: 20_000 });

/** The text of a file that somebody sent, by what it is and not by its name. Rejects with `ExtractFailure`. */
export async function readFileText(
  bytes: Uint8Array,
  { name, mimeType }: { name?: string | null | undefined; mimeType?: string | null | undefined },
): Promise<string> {
  const ext = /\.(\w{1,10})$/.exec(name ?? '')?.[1] ?? null;
  // The thread takes the bytes that it is given for itself.
  const content = { bytes: Uint8Array.from(bytes), contentType: mimeType ?? '', url: null, kind: null, ext };
  const { sections } = await run('content', content);
  return sections.map(written).join('\n\n').slice(0, mostCharacters).toWellFormed();
}

const written = ({ heading, page, sheet, text }: Section): string => {
  const place = [page && `page ${page}`, sheet, heading].filter(Boolean).join(', ');
  return place ? `[${place}]\n${text}` : text;
};
