import { createHash } from 'node:crypto';

/** With fewer pages there is nothing to compare. */
const minPages = 5;
/** A block repeats if at least this share of the pages has it. */
const share = 0.8;
/** If more than this share of a site's text repeats, its pages are alike, and what they share is their content. */
const maxShare = 1 / 3;
/** A page never loses more than this share of its text. */
const maxOfPage = 0.5;
const pruneEvery = 500;
/** How many blocks at each end of a page are compared, and how many characters: menus and notes stand there. */
const outerBlocks = 50;
const outerCharacters = 20_000;

/** The blocks of a text: its paragraphs, lists and tables. */
const blocksOf = (text: string): string[] => text.split(/\n{2,}/).filter((block) => block.trim());
const keyOf = (block: string): string =>
  createHash('sha256').update(block.replace(/\s+/g, ' ').trim()).digest('base64url').slice(0, 16);

/** The blocks of a page; `key` is null for those between its ends. */
function keyedBlocks(texts: string[]): { at: number; block: string; key: string | null }[] {
  const blocks = texts.flatMap((text, at) => blocksOf(text).map((block) => ({ at, block })));
  const inner = [outerBlocks, blocks.length - outerBlocks] as const;
  return blocks.map((each, index) => ({
    ...each,
    key: (index >= inner[0] && index < inner[1]) || each.block.length > outerCharacters ? null : keyOf(each.block),
  }));
}

/** The ends of a page's texts, for those so long that splitting them would hold up everybody. */
function endsOf(texts: string[]): string[] {
  if (textsLength(texts) <= 2 * outerCharacters) return texts;
  const whole = texts.join('\n\n');
  return [whole.slice(0, outerCharacters), whole.slice(-outerCharacters)];
}

const textsLength = (texts: string[]): number => texts.reduce((sum, { length }) => sum + length, 0);

export type Repeat = { pages: number; length: number; url: string };

/**
 * Counts the blocks of a site's pages, to find those that stand on nearly each of them: menus, notes and addresses that
 * their markup does not tell from the content.
 */
export class RepeatCounter {
  readonly #pages = new Set<string>();
  readonly #blocks = new Map<string, Repeat>();
  #length = 0;

  /** Counts a page. `hash` is that of its text: a second page with it does not count. */
  add(hash: string, url: string, texts: string[]): void {
    if (this.#pages.has(hash)) return;
    this.#pages.add(hash);
    this.#length += textsLength(texts);
    const blocks = new Map(keyedBlocks(endsOf(texts)).map(({ key, block }) => [key, block]));
    for (const [key, block] of blocks) {
      if (key === null) continue;
      const known = this.#blocks.get(key) ?? { pages: 0, length: block.length, url };
      this.#blocks.set(key, { ...known, pages: known.pages + 1 });
    }
    if (this.#pages.size % pruneEvery > 0) return;
    for (const [key, { pages }] of this.#blocks) if (pages * 2 < this.#pages.size) this.#blocks.delete(key);
  }

  /**
   * The blocks that repeat, by key; none if the pages are too few, or alike, or not nearly all of the `count` pages
   * that the site has, as after a restart.
   */
  found(count: number): Map<string, Repeat> {
    const { size } = this.#pages;
    if (size < count * share) return new Map();
    const repeats = new Map([...this.#blocks].filter(([, { pages }]) => size >= minPages && pages >= size * share));
    const repeated = [...repeats.values()].reduce((sum, { pages, length }) => sum + pages * length, 0);
    return repeated > this.#length * maxShare ? new Map() : repeats;
  }
}

/**
 * Removes from a page's texts what repeats before and after its own blocks, unless that is most of the page. `kept`
 * counts the pages that have each repeat: the first one keeps it. Returns the same array if nothing is removed.
 */
export function withoutRepeats(
  texts: string[],
  repeats: ReadonlyMap<string, Repeat>,
  kept: Map<string, number>,
): string[] {
  const blocks = keyedBlocks(texts);
  const isOwn = ({ key }: { key: string | null }) => key === null || !repeats.has(key);
  const [first, last] = [blocks.findIndex(isOwn), blocks.findLastIndex(isOwn)];
  const outside = blocks.filter(
    ({ key }, index) => first >= 0 && (index < first || index > last) && key !== null && kept.has(key),
  );
  const dropped = new Set(textLength(outside) > textLength(blocks) * maxOfPage ? [] : outside);
  const left = blocks.filter((each) => !dropped.has(each));
  const repeated = new Set(left.flatMap((each) => (isOwn(each) || each.key === null ? [] : [each.key])));
  for (const key of repeated) kept.set(key, (kept.get(key) ?? 0) + 1);
  if (dropped.size === 0) return texts;
  return texts.map((_, index) =>
    left
      .filter(({ at }) => at === index)
      .map(({ block }) => block)
      .join('\n\n'),
  );
}

const textLength = (blocks: { block: string }[]) => blocks.reduce((sum, { block }) => sum + block.length, 0);
