import type { Tab } from './editor.ts';

/** Links to the pages of the gateway, and whether this is the one. */
export type PageLinks = [text: string, href: string, isCurrent: boolean][];

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
