import type { Tab } from './editor.ts';

/** A panel beside the editor. */
export type Panel = {
  id: string;
  title: string;
  /** The path of its icon. */
  icon: string;
  body: HTMLElement;
  /** Called when the tab changes, open or not. */
  note?(tab: Tab): void;
  /** Called when the panel opens, and when the tab changes while it is open. */
  update(tab: Tab): void;
  /** Called when the page's colour scheme changes. */
  redraw?(): void;
};
