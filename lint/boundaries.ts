import { foundation, modules } from './modules.ts';
import { packages } from './packages.ts';

/** What an unlisted domain folder may import: a new one needs no entry until it depends on another domain. */
const byDefault = ['src/domain/shared'];

const isDomain = (module: string): boolean => module.startsWith('src/domain/') && !module.endsWith('.ts');

const within = (path: string, module: string): boolean => path === module || path.startsWith(`${module}/`);

/** The module of a file; null for files outside of all modules, such as tool configuration. */
export function moduleOf(path: string): string | null {
  const matching = Object.keys(modules).filter((module) => within(path, module));
  const unlisted = /^src\/domain\/[\w-]+(?=\/)/.exec(path)?.[0];
  return matching.sort((a, b) => b.length - a.length)[0] ?? unlisted ?? null;
}

/**
 * Returns why `from` may not import `to`, or null if it may. Both are paths from the root; a package is given by its
 * specifier.
 */
export function refusal(from: string, to: string, typeOnly: boolean): string | null {
  const isPackage = !/^(src|schema|prisma|scripts|test|bench|lint)\//.test(to);
  if (isPackage) {
    const restricted = packages.find(({ name, modules: allowed }) => name.test(to) && !allowed.test(from));
    return restricted && !(typeOnly && restricted.name.source.includes('prisma')) ? restricted.why : null;
  }
  const module = moduleOf(from);
  if (module === null || within(to, module)) return null;
  const generated = 'src/database/generated';
  if (within(to, generated) && !within(from, 'src/database')) {
    if (typeOnly || to === `${generated}/prisma/enums.ts`) return null;
    return 'only src/database/ uses the Prisma client; name its types with `import type`';
  }
  const own = /^schema\/([\w-]+)\//.exec(from)?.[1];
  const allowed = [
    ...(modules[module] ?? byDefault),
    ...(isDomain(module) ? foundation : []),
    ...(own && own !== 'shared' ? [`src/domain/${own}`] : []),
  ];
  if (allowed.some((module) => within(to, module))) return null;
  return `${module} may import ${allowed.length ? allowed.join(', ') : 'nothing of the gateway'} (lint/modules.ts)`;
}
