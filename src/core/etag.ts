type Row = { updatedAt: Date | string } & Partial<Record<'id' | 'workspaceId' | 'membershipId' | 'appId', unknown>>;

/** What tells a row from all others: its id, the two of a role record, or that of the workspace whose settings it has. */
function nameOf({ id, membershipId, appId, workspaceId }: Row): string {
  const parts = id !== undefined ? [id] : membershipId === undefined ? [workspaceId] : [membershipId, appId];
  return parts.map((part) => encodeURIComponent(String(part))).join('.');
}

/** The entity tag of a row as it is: of whichever answer that shows it, until it changes. */
export const etagOf = (row: Row): string => `"${nameOf(row)}-${new Date(row.updatedAt).getTime()}"`;

/** The times of which `If-Match` says that the row is as then; tags of another row, weak ones and none of ours say nothing. */
export function timesIn(ifMatch: string, isName: (name: string) => boolean): Date[] {
  const tags = [...ifMatch.matchAll(/(?:^|,)\s*"([^"]*)-(\d{1,15})"\s*(?=,|$)/g)];
  return tags.flatMap(([, name = '', time]) =>
    isName(decodeURIComponentSafely(name)) ? [new Date(Number(time))] : [],
  );
}

function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
