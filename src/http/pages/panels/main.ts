import type { ExampleGroup } from '../examples/example.ts';
import { chartPanel } from './chart-panel.ts';
import { costPanel } from './cost-panel.ts';
import { dock } from './dock.ts';
import { showAsWritten, type Tab, tabChanged, waitToRun } from './editor.ts';
import { historyPanel } from './history-panel.ts';
import type { PageLinks } from './panel.ts';
import { restPanel } from './rest-panel.ts';
import { savePanel } from './save-panel.ts';
import { examplesPanel } from './tour/examples-panel.ts';
import { teachButton } from './tour/teach-file.ts';

export { searchDocs } from './search-docs.ts';

type Options = {
  examples: ExampleGroup[];
  links: PageLinks;
  /** Whether the gateway shows the SQL of operations. */
  sql: boolean;
};

/** Adds the bar and the panels to the GraphiQL page; returns the function to call when the tab changes. */
export function startPanels(tab: Tab, { examples, links, sql }: Options): (tab: Tab) => void {
  const chart = chartPanel();
  const save = savePanel(chart.chartOf);
  const panels = [examplesPanel(examples), chart, save, costPanel({ sql }), restPanel(), historyPanel()];
  const teach = examples.flatMap((group) => group.examples).find(({ files }) => files);
  waitToRun();
  moveByKeys();
  showAsWritten().catch(() => {});
  const update = dock(panels, tab, { links, buttons: teach ? [teachButton(teach.query)] : [] });
  // The style sheet says then how an operation is run.
  const showHint = ({ response }: Tab) => document.body.classList.toggle('has-run', Boolean(response));
  showHint(tab);
  return (changed) => {
    showHint(changed);
    tabChanged(changed);
    update(changed);
  };
}

const strip = '.graphiql-tabs';
const moves: Record<string, (at: number, count: number) => number> = {
  ArrowLeft: (at, count) => (at + count - 1) % count,
  ArrowRight: (at, count) => (at + 1) % count,
  Home: () => 0,
  End: (_at, count) => count - 1,
};

/** Lets keys move among GraphiQL's tabs, of which the Tab key reaches the chosen one, and Delete close it. */
function moveByKeys(): void {
  document.addEventListener('keydown', (event) => {
    const tabs = [...document.querySelectorAll<HTMLElement>(`${strip} [role=tab]`)];
    const at = tabs.findIndex((tab) => tab === event.target);
    if (at < 0) return;
    if (event.key === 'Delete' && tabs.length > 1) {
      tabs[at]?.parentElement?.querySelector<HTMLElement>('.graphiql-tab-close')?.click();
      setTimeout(() => document.querySelector<HTMLElement>(`${strip} [aria-selected=true]`)?.focus(), 0);
      return;
    }
    const next = tabs[moves[event.key]?.(at, tabs.length) ?? -1];
    if (!next) return;
    event.preventDefault();
    next.click();
    next.focus();
  });
}
