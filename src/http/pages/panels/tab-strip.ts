const strip = '.graphiql-tabs';
const places: Record<string, (at: number, count: number) => number> = {
  ArrowLeft: (at, count) => (at + count - 1) % count,
  ArrowRight: (at, count) => (at + 1) % count,
  Home: () => 0,
  End: (_at, count) => count - 1,
};

/** Lets keys move among GraphiQL's tabs, of which the Tab key reaches the chosen one, and Delete close it. */
export function moveByKeys(): void {
  document.addEventListener('keydown', (event) => {
    const tabs = [...document.querySelectorAll<HTMLElement>(`${strip} [role=tab]`)];
    const at = tabs.findIndex((tab) => tab === event.target);
    if (at < 0) return;
    if (event.key === 'Delete' && tabs.length > 1) {
      tabs[at]?.parentElement?.querySelector<HTMLElement>('.graphiql-tab-close')?.click();
      setTimeout(() => document.querySelector<HTMLElement>(`${strip} [aria-selected=true]`)?.focus(), 0);
      return;
    }
    const next = tabs[places[event.key]?.(at, tabs.length) ?? -1];
    if (!next) return;
    event.preventDefault();
    next.click();
    next.focus();
  });
}
