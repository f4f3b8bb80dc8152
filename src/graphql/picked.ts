/** A value within the result's data, by a path of keys through no list; an empty path is the data itself. */
export type Picked = {
  path: readonly string[];
  /** Text to put around each item of a connection's `nodes`, such as an envelope. */
  around?: readonly [before: string, after: string];
};

/** Values as JSON; null where the parent is null. */
export type Texts = readonly (string | null)[];

/** Picks values from data in memory. */
export const textsIn = (data: unknown, picked: readonly Picked[]): Texts =>
  picked.map(({ path, around }) => {
    const value = path.reduce<unknown>((parent, key) => (parent as Record<string, unknown> | null)?.[key], data);
    if (value === undefined) return null;
    if (!around || !Array.isArray(value)) return JSON.stringify(value);
    return `[${value.map((item) => around[0] + JSON.stringify(item) + around[1]).join()}]`;
  });
