import { jsonOf, post, type Tab } from '../editor.ts';

type Row = { id: string; label: string };
/** The rows of a kind that may be chosen from, the newest first. */
type Choice = { rows: Row[]; chosen: string };
/** By the prefix of the id. */
type Known = Record<string, Choice>;
type Answer = {
  data?: ({ viewer?: { workspace?: { id: string } | null } } & Record<string, { nodes: unknown[] } | null>) | null;
};

/** The rows that an example may take the id of: what they are called, and their list, by the prefix of the id. */
const kinds: Record<string, { name: string; list: string; fields: string }> = {
  agt: { name: 'Agent', list: 'agents', fields: 'id name' },
  bas: { name: 'Base', list: 'bases', fields: 'id description' },
  cnv: { name: 'Conversation', list: 'conversations', fields: 'id title' },
};
/** How many rows of a kind may be chosen from. */
const maxRows = 20;
const storedKey = 'parley:rows';

type KnownRows = {
  /** Notes the rows of a tab's result. */
  note(tab: Tab): Promise<void>;
  choices(): [prefix: string, name: string, choice: Choice][];
  choose(prefix: string, id: string): void;
  /** The id that an example takes, once it is known what earlier visits made. */
  idOf(prefix: string): Promise<string | undefined>;
};

/**
 * The rows that results had, which the browser keeps for each workspace: a step of the tour that follows in another
 * tab, or after a visit to another page, takes what the step before made. `given` are ids that the examples have
 * already.
 */
export function knownRows(given: string[], onChange: () => void): KnownRows {
  let workspace: string | undefined;
  let known: Known = {};
  let loading: Promise<void> | undefined;

  /** Takes what is kept, without what the gateway no longer has, or has for others. */
  async function load(tab: Tab): Promise<void> {
    const all = stored();
    const ids = [
      ...given,
      ...Object.values(all).flatMap((one) => Object.values(one).flatMap(({ rows }) => rows.map(({ id }) => id))),
    ];
    const lists = Object.entries(kinds).map(([prefix, { list, fields }]) => {
      const own = ids.filter((id) => id.startsWith(prefix));
      return own.length > 0
        ? `${list}(first: 100, filter: { ids: ${JSON.stringify(own.slice(0, 100))} }) { nodes { ${fields} } }`
        : '';
    });
    const query = `{ viewer { workspace { id } } ${lists.join(' ')} }`;
    const { data } = ((await post('graphql', tab, { query }).catch(() => null)) ?? {}) as Answer;
    workspace = data?.viewer?.workspace?.id;
    if (!data || !workspace) return;
    const kept = all[workspace] ?? {};
    for (const [prefix, { list }] of Object.entries(kinds)) {
      const there = new Map(rowsOf(data[list]).map((row) => [row.id, row]));
      const rows = [...(kept[prefix]?.rows ?? []), ...given.map((id) => ({ id }))].flatMap(
        ({ id }) => there.get(id) ?? [],
      );
      const chosen = rows.find(({ id }) => id === kept[prefix]?.chosen) ?? rows[0];
      if (chosen) known[prefix] = { rows: unique(rows), chosen: chosen.id };
    }
    onChange();
  }

  function keep(): void {
    if (workspace) {
      try {
        localStorage.setItem(storedKey, JSON.stringify({ ...stored(), [workspace]: known }));
      } catch {
        // The storage is full: they are known until the page is left.
      }
    }
    onChange();
  }

  return {
    async note(tab) {
      loading ??= tab.headers ? load(tab) : undefined;
      await loading;
      const found = Map.groupBy(rowsOf(jsonOf(tab.response ?? '')), ({ id }) => id.slice(0, 3));
      if (found.size === 0) return;
      // Another tab may have made some since.
      known = (workspace && stored()[workspace]) || known;
      for (const [prefix, [first, ...others]] of found) {
        if (!first) continue;
        const { rows = [], chosen } = known[prefix] ?? {};
        // What a list shows, or an operation on another row, is no reason to go on with that.
        const isMade = makes(tab) && !rows.some(({ id }) => id === first.id);
        known[prefix] = {
          rows: unique([first, ...others, ...rows]),
          chosen: chosen === undefined || isMade ? first.id : chosen,
        };
      }
      keep();
    },
    choices: () => Object.entries(known).map(([prefix, choice]) => [prefix, kinds[prefix]?.name ?? prefix, choice]),
    choose(prefix, id) {
      const { rows = [] } = known[prefix] ?? {};
      known[prefix] = { rows, chosen: id };
      keep();
    },
    async idOf(prefix) {
      await loading;
      return known[prefix]?.chosen;
    },
  };
}

/** Whether an id is of a row that examples take. */
export const isKnownKind = (id: string): boolean => /^[a-z]{3}_\w+$/.test(id) && id.slice(0, 3) in kinds;

function stored(): Record<string, Known> {
  const value = jsonOf(localStorage.getItem(storedKey) ?? '{}');
  return typeof value === 'object' && value !== null ? (value as Record<string, Known>) : {};
}

const makes = ({ query }: Tab): boolean => /^\s*(?:mutation|subscription)\b/m.test(query ?? '');

/** Each row once, with the label that it has first. */
const unique = (rows: Row[]): Row[] =>
  [...new Map(rows.toReversed().map((row) => [row.id, row])).values()].reverse().slice(0, maxRows);

/** The rows of a result whose ids an example may take, in the order of the result. */
function rowsOf(value: unknown): Row[] {
  if (typeof value !== 'object' || value === null) return [];
  const { id, name, title, description } = value as Record<string, unknown>;
  const label = [name, title, description, id].find((text) => typeof text === 'string' && text !== '');
  const isRow = typeof id === 'string' && isKnownKind(id);
  return [...(isRow ? [{ id, label: String(label) }] : []), ...Object.values(value).flatMap(rowsOf)];
}
