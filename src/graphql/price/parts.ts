import { rowsPerPoint } from '../../core/limits.ts';
import { may } from '../../core/permissions.ts';
import { grouped } from '../../core/validation.ts';
import type { Viewer } from '../../core/viewer.ts';
import type { Lists } from './lists.ts';
import type { Read } from './reads.ts';
import { advice } from './refusals.ts';

/** The price of one field of an operation. */
export type CostPart = {
  /** The names of the fields in the response, from the root, separated by dots. */
  path: string;
  /** The cost of the field with everything selected in it. */
  cost: number;
  /** The cost of the field alone. */
  ownCost: number;
  /** The number of rows that it may read; null if it is no list, or the number is unknown or not for the viewer. */
  rows: number | null;
  /** What to change to reduce the cost; null if it is low. */
  advice: string | null;
};

type Open = { path: string; startedAt: number; nested: number; list: Page | null; reads: Read[] };
type Page = { lists: Lists; size: number };

/** From this cost on there is advice for a read; for a page, if it is also most of the operation. */
const worthAdvice = { read: 10_000 / rowsPerPoint, page: 1_000 };
/** Pages of this size need no advice. */
const smallPage = 20;

/** Collects the price of each field while an operation is priced. Fields with the same path are added up. */
export class PartRecorder {
  readonly #viewer: Viewer;
  readonly #open: Open[] = [];
  readonly #parts = new Map<string, CostPart>();
  readonly #pages = new Map<string, Page>();

  constructor(viewer: Viewer) {
    this.#viewer = viewer;
  }

  /** A field is entered; `cost` is the sum of all fields so far. */
  begin(name: string, cost: number): void {
    const above = this.#open.at(-1);
    const path = above ? `${above.path}.${name}` : name;
    this.#open.push({ path, startedAt: cost, nested: 0, list: null, reads: [] });
    // Added when entered, so that parts have the order of the document.
    if (!this.#parts.has(path)) this.#parts.set(path, { path, cost: 0, ownCost: 0, rows: null, advice: null });
  }

  read(read: Read): void {
    this.#open.at(-1)?.reads.push(read);
  }

  /** The current field is a list with pages of `size` rows. */
  list(lists: Lists, size: number): void {
    const open = this.#open.at(-1);
    if (open) open.list = { lists, size };
  }

  end(cost: number): void {
    const open = this.#open.pop();
    const part = open && this.#parts.get(open.path);
    if (!part) return;
    const total = cost - open.startedAt;
    part.cost += total;
    part.ownCost += total - open.nested;
    for (const read of open.reads) {
      part.rows = sum(part.rows, this.#rowsOf(read.rule, rowsOfRead(read)));
      if (read.cost >= worthAdvice.read) part.advice ??= advice(read);
    }
    if (open.list) {
      const { lists, size } = open.list;
      part.rows = sum(part.rows, this.#rowsOf(lists.rule, size === 0 ? 0 : lists.onPages));
      this.#pages.set(open.path, open.list);
    }
    const above = this.#open.at(-1);
    if (above) above.nested += total;
  }

  /** All parts, in the order of the document. Costs have two decimals. */
  get parts(): CostPart[] {
    const parts = [...this.#parts.values()];
    const whole = parts.reduce((total, { ownCost }) => total + ownCost, 0);
    return parts.map((part) => ({
      ...part,
      cost: rounded(part.cost),
      ownCost: rounded(part.ownCost),
      rows: part.rows === null ? null : Math.ceil(part.rows),
      advice: part.advice ?? this.#adviceForPage(part, whole),
    }));
  }

  #adviceForPage({ path, cost }: CostPart, whole: number): string | null {
    const page = this.#pages.get(path);
    if (!page || page.size <= smallPage || cost < Math.max(worthAdvice.page, whole / 2)) return null;
    const { count } = page.lists;
    const lists = count > 1 ? `${grouped(Math.round(count))} lists of up to ` : '';
    return `${lists}${page.size} rows: ask for smaller pages (first)`;
  }

  /** Rows that the viewer may not list are not counted for it. */
  #rowsOf({ permission }: Lists['rule'], rows: number | null): number | null {
    const { key } = this.#viewer;
    const isLimited = key && (key.agentIds.length > 0 || key.baseIds.length > 0);
    return may(this.#viewer, permission) && !isLimited ? rows : null;
  }
}

const rowsOfRead = ({ by, rows, cost }: Read): number | null =>
  rows === null || by === 'group' || by === 'count' ? rows : cost * rowsPerPoint;

const sum = (one: number | null, other: number | null): number | null => (other === null ? one : (one ?? 0) + other);

const rounded = (cost: number): number => Math.round(cost * 100) / 100;
