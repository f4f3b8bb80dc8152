export type Times = ReturnType<typeof createTimes>;

const dayMs = 86_400_000;

/** Formats times of messages, given as ISO 8601, in a language and in the time zone of the browser. */
export function createTimes(language: string) {
  const clock = new Intl.DateTimeFormat(language, { timeStyle: 'short' });
  const full = new Intl.DateTimeFormat(language, { dateStyle: 'full', timeStyle: 'short' });
  const date = new Intl.DateTimeFormat(language, { weekday: 'long', day: 'numeric', month: 'long' });
  const dateOfYear = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'long', year: 'numeric' });
  const short = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short' });
  const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });

  return {
    /** Such as `14:05`. */
    time: (at: string): string => clock.format(new Date(at)),
    full: (at: string): string => full.format(new Date(at)),
    /** `Today`, `Yesterday`, or the date. */
    day(at: string, now = new Date()): string {
      const then = new Date(at);
      const days = daysBetween(then, now);
      const name =
        days >= -1 && days <= 0
          ? relative.format(days, 'day')
          : (then.getFullYear() === now.getFullYear() ? date : dateOfYear).format(then);
      return name.slice(0, 1).toLocaleUpperCase(language) + name.slice(1);
    },
    /** For lists: the time if it is today, else the date. */
    brief(at: string, now = new Date()): string {
      const then = new Date(at);
      return (daysBetween(then, now) === 0 ? clock : short).format(then);
    },
  };
}

/** Days of the calendar, from now: -1 is yesterday. */
const daysBetween = (then: Date, now: Date): number => Math.round((startOf(then) - startOf(now)) / dayMs);
const startOf = (time: Date): number => new Date(time.getFullYear(), time.getMonth(), time.getDate()).getTime();

/** Whether two times fall on the same day. */
export const isSameDay = (one: string | undefined, other: string): boolean =>
  one !== undefined && startOf(new Date(one)) === startOf(new Date(other));
