import { chartPanel } from './chart-panel.ts';
import { costPanel } from './cost-panel.ts';
import { dock } from './dock.ts';
import type { Tab } from './editor.ts';
import { historyPanel } from './history-panel.ts';
import { restPanel } from './rest-panel.ts';

type Options = {
  links: [text: string, href: string][];
  /** Whether the gateway shows the SQL of operations. */
  sql: boolean;
};

/** Adds the bar and the panels to the GraphiQL page; returns the function to call when the tab changes. */
export function startPanels(tab: Tab, { links, sql }: Options): (tab: Tab) => void {
  const history = historyPanel();
  history.note(tab);
  const update = dock([chartPanel(), costPanel({ sql }), restPanel(), history], tab, links);
  return (changed) => {
    history.note(changed);
    update(changed);
  };
}
