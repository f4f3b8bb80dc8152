import type { Where } from '../../src/database/query/delegate.ts';
import type { Page } from '../../src/lists/pagination.ts';

type Row = Record<string, unknown>;
/** What a field selects of its rows. */
export type Selection = { select?: object; include?: object };

/** How Prisma selects the rows of a relation with their parent, and where it returns them. */
export class RelatedRows {
  readonly #relation: string;
  readonly #through: string | undefined;

  /** `through` names the relation of a joining model that leads to the rows. */
  constructor(relation: string, through?: string) {
    this.#relation = relation;
    this.#through = through;
  }

  /** The parent's selection for a page of rows. */
  selectRows({ query }: Page, selection: Selection): Row {
    const rows = whole(selection);
    const page = { ...query, where: this.#nest(query.where), orderBy: query.orderBy.map((order) => this.#nest(order)) };
    const selected = this.#through ? { select: { [this.#through]: hasKeys(rows) ? rows : true } } : rows;
    return { [this.#relation]: { ...page, ...selected } };
  }

  /** The parent's selection for the number of rows. */
  selectCount({ where }: Page): Row {
    return { _count: { select: { [this.#relation]: { where: this.#nest(where) } } } };
  }

  /** The parent's selection for the number of rows up to a limit. */
  selectUpTo({ where }: Page, take: number): Row {
    return { [this.#relation]: { where: this.#nest(where), take, select: { workspaceId: true } } };
  }

  rowsIn(parent: Row | null): Row[] {
    const found = (parent?.[this.#relation] ?? []) as Row[];
    const through = this.#through;
    return through ? found.map((joined) => joined[through] as Row) : found;
  }

  countIn(parent: Row | null): number {
    return (parent?._count as Record<string, number> | undefined)?.[this.#relation] ?? 0;
  }

  #nest(condition: Where): Where {
    return this.#through ? { [this.#through]: condition } : condition;
  }
}

/** If only the cursor of a row is selected, Pothos selects nothing, which Prisma rejects. */
const whole = ({ select, ...others }: Selection) => (select && hasKeys(select) ? { select, ...others } : others);

const hasKeys = (value: object) => Object.keys(value).length > 0;
