import type { Binding } from '../../lists/sql/binding.ts';

type Size = (binding: Binding) => number;

/**
 * Tracks the position within an operation: the surrounding lists, and whether several of their rows may share what is
 * written.
 */
export class Nesting {
  #lists: readonly Size[] = [];
  #isShared = false;

  /** Runs `write` for what is written for each row of a list. */
  inList<Result>(size: Size, write: () => Result): Result {
    return this.#within({ lists: [...this.#lists, size], isShared: this.#isShared }, write);
  }

  /** Runs `write` for what is written for a row that several rows of a list may share. */
  shared<Result>(write: () => Result): Result {
    return this.#within({ lists: this.#lists, isShared: this.#isShared || this.#lists.length > 0 }, write);
  }

  /** How often the same row may be written here at most. */
  get times(): Size {
    const lists = this.#isShared ? this.#lists : [];
    return (binding) => lists.reduce((times, size) => times * size(binding), 1);
  }

  #within<Result>({ lists, isShared }: { lists: readonly Size[]; isShared: boolean }, write: () => Result): Result {
    const before = { lists: this.#lists, isShared: this.#isShared };
    this.#lists = lists;
    this.#isShared = isShared;
    try {
      return write();
    } finally {
      this.#lists = before.lists;
      this.#isShared = before.isShared;
    }
  }
}
