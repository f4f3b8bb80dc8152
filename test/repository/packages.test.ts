import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const read = (name: string) => JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'));
const { packages } = read('package-lock.json') as {
  packages: Record<string, { hasInstallScript?: boolean; optional?: boolean }>;
};
const { allowScripts } = read('package.json') as { allowScripts: Record<string, boolean> };
const nameOf = (place: string) => place.split('node_modules/').at(-1) ?? '';
/** Our own, which stands first in the lock, is none of them. */
const places = Object.keys(packages).filter(Boolean);

describe('no package that is installed', () => {
  test('runs a script then that was not approved', () => {
    const unapproved = places.filter((place) => packages[place]?.hasInstallScript && !allowScripts[nameOf(place)]);
    // Of macOS alone, where npm asks for its approval; it only builds what comes built.
    expect(unapproved.map(nameOf).filter((name) => name !== 'fsevents')).toEqual([]);
  });

  test('tells its maker that it was', () => {
    // @opentelemetry/api is an interface that does nothing by itself: prom-client names its types.
    expect(places.filter((place) => /@scarf\/|opentelemetry(?!\/api$)|posthog/.test(place))).toEqual([]);
  });
});
