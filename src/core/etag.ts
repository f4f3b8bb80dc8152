type Row = { updatedAt: Date | string } & Partial<Record<'id' | 'workspaceId' | 'membershipId' | 'appId', unknown>>;

/** A unique name of a row: its id, the two ids of a role record, or the workspace's id for its settings. */
function nameOf({ id, membershipId, appId, workspaceId }: Row): string {
  const parts = id !== undefined ? [id] : membershipId === undefined ? [workspaceId] : [membershipId, appId];
  return parts.map((part) => encodeURIComponent(String(part))).join('.');
}

/** Returns the entity tag of a row's current version, the same in every response that contains the row. */
export const etagOf = (row: Row): string => `"${nameOf(row)}-${new Date(row.updatedAt).getTime()}"`;

/**
 * Returns the versions, as `updatedAt` times, that an `If-Match` header names of the row. Ignores weak tags, other
 * rows' tags and unknown formats.
 */
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
