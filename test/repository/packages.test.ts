import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const read = (name: string) => JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'));
const { packages } = read('package-lock.json') as {
  packages: Record<string, { hasInstallScript?: boolean; optional?: boolean }>;
};
const { allowScripts } = read('package.json') as { allowScripts: Record<string, boolean> };
const nameOf = (place: string) => place.split('node_modules/').at(-1) ?? '';
/** Without our own package, which is first in the lock file. */
const places = Object.keys(packages).filter(Boolean);

describe('no package that is installed', () => {
  test('runs a script then that was not approved', () => {
    const unapproved = places.filter((place) => packages[place]?.hasInstallScript && !allowScripts[nameOf(place)]);
    // fsevents is for macOS only, and ships prebuilt.
    expect(unapproved.map(nameOf).filter((name) => name !== 'fsevents')).toEqual([]);
  });

  test('tells its maker that it was', () => {
    // @opentelemetry/api is only an interface, which prom-client uses for types.
    expect(places.filter((place) => /@scarf\/|opentelemetry(?!\/api$)|posthog/.test(place))).toEqual([]);
  });
});
