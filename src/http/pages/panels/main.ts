import { chartPanel } from './chart-panel.ts';
import { dock } from './dock.ts';
import type { Tab } from './editor.ts';
import { restPanel } from './rest-panel.ts';

/** Adds the bar and the panels to the page of GraphiQL; returns what it tells of a changed tab. */
export function startPanels(tab: Tab, links: [text: string, href: string][]): (tab: Tab) => void {
  return dock([chartPanel(), restPanel()], tab, links);
}
