import { runTask } from '../../sandbox/task-runner.ts';
import type { Section } from '../../search/types.ts';
import { contentTask } from './tasks.ts';

/** What is kept of a file's text, in characters; a model is told less of it than that. */
const mostCharacters = 200_000;

/** The text of a file that somebody sent to a workspace, by what it is and not by its name. Rejects with `ExtractFailure`. */
export async function readFileText(
  workspaceId: string,
  bytes: Uint8Array,
  { name, mimeType }: { name?: string | null | undefined; mimeType?: string | null | undefined },
): Promise<string> {
  const ext = /\.(\w{1,10})$/.exec(name ?? '')?.[1] ?? null;
  // The bytes that are given are gone.
  const content = { bytes: Uint8Array.from(bytes), contentType: mimeType ?? '', url: null, kind: null, ext };
  const { sections } = await runTask(contentTask, content, { workspaceId, isUrgent: true, timeoutMs: 20_000 });
  return sections.map(written).join('\n\n').slice(0, mostCharacters).toWellFormed();
}

const written = ({ heading, page, sheet, text }: Section): string => {
  const place = [page && `page ${page}`, sheet, heading].filter(Boolean).join(', ');
  return place ? `[${place}]\n${text}` : text;
};
