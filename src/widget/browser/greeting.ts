import type { Greeting } from './types.ts';

/** Whether a greeting is for the page at this path; `/docs/*` is for all that begin so. */
const isFor = ({ path }: Greeting, here: string): boolean =>
  path === null || (path.endsWith('*') ? here.startsWith(path.slice(0, -1)) : here.replace(/(.)\/$/, '$1') === path);

/**
 * Calls `say` once, with the first greeting whose conditions are met: so many seconds on pages of its path, also if
 * they are reached without loading one anew, or the pointer leaving such a page at its top.
 */
export function awaitGreeting(greetings: Greeting[], say: (text: string) => void): void {
  if (greetings.length === 0) return;
  const waited = new Map<Greeting, number>();
  const timer = setInterval(() => {
    if (document.hidden) return;
    for (const greeting of greetings) {
      const seconds = isFor(greeting, location.pathname) ? (waited.get(greeting) ?? 0) + 0.25 : 0;
      waited.set(greeting, seconds);
      if (greeting.seconds !== null && seconds > greeting.seconds) return end(greeting);
    }
  }, 250);
  document.addEventListener('mouseout', leave);

  function leave({ relatedTarget, clientY }: MouseEvent): void {
    const greeting = greetings.find((one) => one.onExit && isFor(one, location.pathname));
    if (greeting && !relatedTarget && clientY <= 0) end(greeting);
  }
  function end({ text }: Greeting): void {
    clearInterval(timer);
    document.removeEventListener('mouseout', leave);
    say(text);
  }
}
