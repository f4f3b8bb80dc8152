import { chartPanel } from './chart-panel.ts';
import { dock } from './dock.ts';
import type { Tab } from './editor.ts';
import { restPanel } from './rest-panel.ts';

/** Adds the bar and the panels to the GraphiQL page; returns the function to call when the tab changes. */
export function startPanels(tab: Tab, links: [text: string, href: string][]): (tab: Tab) => void {
  return dock([chartPanel(), restPanel()], tab, links);
}
