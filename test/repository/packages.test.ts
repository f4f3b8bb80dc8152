import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const read = (name: string) => JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'));
const { packages } = read('package-lock.json') as {
  packages: Record<string, { hasInstallScript?: boolean; optional?: boolean; dependencies?: Record<string, string> }>;
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
    expect(places.filter((place) => /@scarf\/|posthog|@sentry\//.test(place))).toEqual([]);
    // OpenTelemetry is loaded only where a setting names a collector, and by no package: see
    // test/telemetry/traces.test.ts.
    const users = places.filter((place) =>
      Object.keys(packages[place]?.dependencies ?? {}).some((name) => /^@opentelemetry\/(?!api$)/.test(name)),
    );
    expect(users.filter((place) => !place.startsWith('node_modules/@opentelemetry/'))).toEqual([]);
  });
});
