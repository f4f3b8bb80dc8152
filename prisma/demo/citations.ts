import type { Services } from '../../src/context.ts';

/** The source of a statement, as in the metadata of a reply. */
export type Reference = {
  passageId: string;
  sourceId: string;
  baseId: string;
  quote: string;
  title: string | null;
  url: string | null;
  place: object;
};
type CitablePassage = Omit<Reference, 'quote'> & { text: string; agentIds: string[] };

/** The workspace's passages, each with the agents that may cite it. */
export async function passagesOf({ passage }: Services['database'], workspaceId: string): Promise<CitablePassage[]> {
  const rows = await passage.findMany({
    where: { workspaceId },
    include: { source: true, base: { include: { agentBases: true } } },
    orderBy: { id: 'asc' },
  });
  return rows.map(({ id, sourceId, baseId, text, place, source, base }) => ({
    passageId: id,
    sourceId,
    baseId,
    text,
    title: source.title,
    url: source.url,
    place: place as object,
    agentIds: base.agentBases.map(({ agentId }) => agentId),
  }));
}

/**
 * Returns the reference for an agent's quote. Throws if none of its passages contains the quote, which is a mistake in
 * the demo data.
 */
export function cited(passages: CitablePassage[], agentId: string, quote: string): Reference {
  const found = passages.find(({ text, agentIds }) => agentIds.includes(agentId) && text.includes(quote));
  if (!found) throw new Error(`No passage of the demo says “${quote}”`);
  const { text: _, agentIds: __, ...reference } = found;
  return { ...reference, quote };
}
