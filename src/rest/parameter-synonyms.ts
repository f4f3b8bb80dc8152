/** Names of a parameter in other services, and how to write its value here if that differs. */
type Synonyms = { names: string[]; as?: string };

const interval = (value: string) => `createdAt=${value}`;

/** Keyed by our name. Case, underscores, hyphens and brackets are ignored: `created_at[gte]` matches `createdAtGte`. */
export const synonyms: Record<string, Synonyms[]> = {
  size: [
    {
      names: [
        'pageSize',
        'perPage',
        'limit',
        'count',
        'take',
        'top',
        'first',
        'max',
        'maxResults',
        'rows',
        'itemsPerPage',
      ],
    },
  ],
  page: [
    { names: ['pageNumber', 'pageNo', 'pageNum', 'currentPage', 'p'] },
    { names: ['pageIndex'], as: 'page=1 for the first page' },
    {
      names: ['offset', 'skip', 'start', 'startIndex', 'cursor', 'after'],
      as: 'page=3 for items 41 to 60 with size=20',
    },
  ],
  search: [
    { names: ['q', 'query', 's', 'term', 'searchTerm', 'text', 'keyword', 'keywords', 'filter', 'find', 'contains'] },
    { names: ['name', 'title', 'description', 'email'] },
  ],
  createdAt: [
    {
      names: ['startDate', 'dateFrom', 'from', 'since', 'createdFrom', 'createdAfter', 'createdSince'],
      as: interval('2026-07-01/..'),
    },
    {
      names: ['createdAtGte', 'createdAtGt', 'createdAtFrom', 'createdAtAfter', 'createdGte'],
      as: interval('2026-07-01/..'),
    },
    { names: ['endDate', 'dateTo', 'to', 'until', 'createdTo', 'createdBefore'], as: interval('../2026-08-01') },
    {
      names: ['createdAtLte', 'createdAtLt', 'createdAtTo', 'createdAtBefore', 'createdLte'],
      as: interval('../2026-08-01'),
    },
    { names: ['dateRange', 'createdBetween', 'period'], as: interval('2026-07-01/2026-08-01') },
    { names: ['date', 'created', 'creationDate', 'dateCreated', 'createdOn'], as: interval('2026-07-01') },
  ],
  limit: [{ names: ['size', 'pageSize', 'perPage', 'count', 'take', 'first', 'max', 'maxResults'] }],
  cursor: [
    {
      names: ['after', 'nextCursor', 'nextToken', 'pageToken', 'startingAfter', 'next', 'page', 'offset'],
      as: 'the cursor of the response before',
    },
  ],
};

const normalized = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

type Suggestion = { name: string; as?: string };
const suggestionsByName = new Map<string, Suggestion[]>();
for (const [name, groups] of Object.entries(synonyms)) {
  for (const { names, as } of groups) {
    for (const other of names)
      suggestionsByName.set(normalized(other), [
        ...(suggestionsByName.get(normalized(other)) ?? []),
        { name, ...(as && { as }) },
      ]);
  }
}

/**
 * Returns the parameter that an unknown one probably means, by spelling or by other services' names; otherwise
 * undefined.
 */
export function synonymOf(parameter: string, known: string[]): Suggestion | undefined {
  const sameSpelling = known.find((name) => normalized(name) === normalized(parameter));
  return sameSpelling
    ? { name: sameSpelling }
    : suggestionsByName.get(normalized(parameter))?.find(({ name }) => known.includes(name));
}
