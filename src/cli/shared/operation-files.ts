import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A GraphQL document of a folder, as it is saved. */
export type OperationFile = { file: string; name: string; document: string; description: string };

/**
 * The documents of a folder, one operation each, in the order of their names. A file's name is the operation's:
 * `LeadsPerWeek.graphql` is `leads-per-week`; its first comment is the description. Throws if there are none.
 */
export function readOperations(folder: string): OperationFile[] {
  const files = globSync('**/*.{graphql,gql}', { cwd: folder }).sort();
  if (files.length === 0) throw new Error(`${folder} has no .graphql files`);
  return files.map((file) => {
    const document = readFileSync(path.join(folder, file), 'utf8');
    return { file, name: nameOf(file), document, description: firstComment(document) };
  });
}

const nameOf = (file: string): string =>
  path
    .basename(file, path.extname(file))
    .replace(/(?<=[a-z\d])(?=[A-Z])|[_\s.]+/g, '-')
    .toLowerCase();

function firstComment(document: string): string {
  const [comment = ''] = /^(?:[ \t]*#.*\r?\n)*/.exec(document.trimStart()) ?? [];
  return comment.replace(/^[ \t]*#[ \t]?/gm, '').trim();
}
