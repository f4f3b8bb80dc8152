import { runTask } from '../../sandbox/task-runner.ts';
import type { Section } from '../../search/types.ts';
import { contentTask } from './tasks.ts';

/** How much of a file's text is kept, in characters; models are sent less. */
const maxCharacters = 200_000;

/** Extracts the text of an attached file, whose type is detected from its content. Rejects with `ExtractFailure`. */
export async function readFileText(
  workspaceId: string,
  bytes: Uint8Array,
  { name, mimeType }: { name?: string | null | undefined; mimeType?: string | null | undefined },
): Promise<string> {
  const ext = /\.(\w{1,10})$/.exec(name ?? '')?.[1] ?? null;
  // A copy: the task runner detaches the bytes it is given.
  const content = { bytes: Uint8Array.from(bytes), contentType: mimeType ?? '', url: null, kind: null, ext };
  const { sections } = await runTask(contentTask, content, { workspaceId, isUrgent: true, timeoutMs: 20_000 });
  return sections.map(written).join('\n\n').slice(0, maxCharacters).toWellFormed();
}

const written = ({ heading, page, sheet, text }: Section): string => {
  const location = [page && `page ${page}`, sheet, heading].filter(Boolean).join(', ');
  return location ? `[${location}]\n${text}` : text;
};
