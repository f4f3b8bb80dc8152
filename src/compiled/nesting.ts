import type { Binding } from './binding.ts';

type Size = (binding: Binding) => number;

/** Where in an operation something is written: in which lists, and whether several of their rows may share it. */
export class Nesting {
  #lists: readonly Size[] = [];
  #isShared = false;

  /** What is written of each row of a list. */
  inList<Result>(size: Size, write: () => Result): Result {
    return this.#within({ lists: [...this.#lists, size], isShared: this.#isShared }, write);
  }

  /** What is written of a row that several rows of a list may share. */
  shared<Result>(write: () => Result): Result {
    return this.#within({ lists: this.#lists, isShared: this.#isShared || this.#lists.length > 0 }, write);
  }

  /** How many times the same may be written here, at most. */
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
