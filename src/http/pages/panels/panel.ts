import type { Tab } from './editor.ts';

/** A panel beside the editor. */
export type Panel = {
  id: string;
  title: string;
  /** The path of its icon. */
  icon: string;
  body: HTMLElement;
  /** Called while it is open: when it opens, and when the tab changes. */
  update(tab: Tab): void;
  /** Called when the page's colours change. */
  redraw?(): void;
};
