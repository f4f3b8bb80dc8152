import { packages } from './packages.ts';

/** What every domain folder may build on. */
const foundation = [
  'src/core',
  'src/config',
  'src/text',
  'src/net',
  'src/sandbox',
  'src/database',
  'src/queue',
  'src/storage',
  'src/search',
  'src/model',
  'src/auth',
  'src/plugins',
  'src/knowledge',
  'src/context.ts',
];
/**
 * The allowed imports, with type-only imports included. Each module, a folder or file path from the root of the
 * repository, lists the modules that it may import; everything else is refused. A file belongs to the longest path that
 * contains it. docs/architecture.md has a diagram.
 */
export const modules: Record<string, string[]> = {
  'src/core': [],
  'src/text': [],
  'src/config': ['src/core'],
  'src/net': ['src/core'],
  'src/sandbox': ['src/core'],
  'src/database': ['src/core'],
  'src/queue': ['src/core', 'src/database'],
  'src/storage': ['src/core', 'src/config', 'src/net'],
  'src/search': ['src/core', 'src/database', 'src/text'],
  'src/model': ['src/core', 'src/config', 'src/text', 'src/net', 'src/database/generated'],
  'src/auth': ['src/core', 'src/config', 'src/database', 'src/net'],
  'src/plugins': ['src/core', 'src/model', 'src/net', 'src/sandbox'],
  'src/knowledge': [
    'src/core',
    'src/config',
    'src/text',
    'src/database',
    'src/search',
    'src/model',
    'src/net',
    'src/sandbox',
  ],
  // The types of the request context; the composition root supplies the values.
  'src/context.ts': [
    'src/core',
    'src/config',
    'src/database',
    'src/auth',
    'src/model',
    'src/net',
    'src/queue',
    'src/search',
    'src/storage',
    'src/domain/conversations/types.ts',
    'src/domain/knowledge/types.ts',
    'src/domain/shared/types.ts',
    'src/domain/turns/types.ts',
  ],
  'src/domain/conversations/types.ts': [],
  'src/domain/knowledge/types.ts': [],
  'src/domain/turns/types.ts': ['src/core', 'src/database'],
  'src/domain/shared/types.ts': ['src/core'],
  'src/domain/shared': [],
  // What a turn takes, which its attachments and its lead are read from, and the ids that its log lines have.
  'src/domain/turns/input.ts': ['src/core', 'src/storage', 'src/domain/shared'],
  'src/domain/turns/failure.ts': ['src/core', 'src/database'],
  'src/domain/agents': ['src/domain/shared', 'src/domain/leads'],
  'src/domain/attachments': ['src/domain/shared', 'src/domain/turns/input.ts'],
  'src/domain/content': ['src/domain/shared', 'src/domain/knowledge', 'src/domain/workspace'],
  'src/domain/conversations': ['src/domain/shared', 'src/domain/attachments', 'src/domain/knowledge'],
  'src/domain/dashboards': ['src/domain/shared', 'src/domain/operations'],
  'src/domain/erasure': [
    'src/domain/shared',
    'src/domain/attachments',
    'src/domain/evaluations',
    'src/domain/knowledge',
  ],
  'src/domain/evaluations': ['src/domain/shared', 'src/domain/agents', 'src/domain/knowledge'],
  'src/domain/fields': ['src/domain/shared'],
  'src/domain/knowledge': ['src/domain/shared'],
  'src/domain/leads': [
    'src/domain/shared',
    'src/domain/conversations',
    'src/domain/fields',
    'src/domain/turns/failure.ts',
    'src/domain/turns/input.ts',
    'src/domain/workspace',
  ],
  'src/domain/plugins': ['src/domain/shared', 'src/domain/agents', 'src/domain/workspace'],
  'src/domain/turns': [
    'src/domain/shared',
    'src/domain/agents',
    'src/domain/attachments',
    'src/domain/conversations',
    'src/domain/knowledge',
    'src/domain/leads',
    'src/domain/plugins',
    'src/domain/workspace',
  ],
  'src/domain/webhooks': [
    'src/domain/shared',
    'src/domain/plugins',
    'src/domain/conversations/events.ts',
    'src/domain/knowledge/events.ts',
    'src/domain/leads/events.ts',
  ],
  'src/domain/widget': [
    'src/domain/shared',
    'src/domain/agents',
    'src/domain/attachments',
    'src/domain/conversations',
    'src/domain/leads',
    'src/domain/turns',
  ],
  'src/domain/workspace': ['src/domain/shared', 'src/domain/fields'],
  'src/domain/described-rules.ts': ['src/core', 'src/domain'],
  'src/http': [
    'src/core',
    'src/config',
    'src/database/errors.ts',
    'src/database/deadline.ts',
    'src/auth',
    'src/context.ts',
    'src/domain',
  ],
  // The cost of an operation depends on the rules of its lists, and on the number of rows.
  'src/graphql': [
    'src/core',
    'src/database/deadline.ts',
    'src/database/query',
    'src/context.ts',
    'src/domain/shared',
    // The document of a request may be a saved one.
    'src/domain/operations/find.ts',
    'src/http',
  ],
  'src/compiled': ['src/core', 'src/database', 'src/context.ts', 'src/domain/shared', 'src/http', 'src/graphql'],
  'src/rest': ['src/core', 'src/config', 'src/context.ts', 'src/http', 'src/graphql'],
  // Streams as REST does, in OpenAI's own protocol.
  'src/openai': ['src/core', 'src/http', 'src/graphql', 'src/rest/stream.ts'],
  'src/mcp': ['src/core', 'src/context.ts', 'src/http', 'src/graphql', 'src/domain/operations/find.ts'],
  // Saved operations by address.
  'src/saved': [
    'src/core',
    'src/context.ts',
    'src/database/deadline.ts',
    'src/http',
    'src/graphql',
    'src/rest/stream.ts',
    'src/domain/operations/find.ts',
    'src/domain/dashboards/find.ts',
    'src/domain/dashboards/page.ts',
    'src/domain/shared/abortable-generator.ts',
  ],
  'src/widget': [
    'src/core',
    'src/database/deadline.ts',
    'src/auth',
    'src/context.ts',
    'src/domain/widget',
    'src/http',
    'src/rest/stream.ts',
  ],
  'src/jobs': ['src/core', 'src/database', 'src/queue', 'src/context.ts', 'src/domain'],
  // Rules for any updated row, whatever its domain.
  'src/domain/updates.ts': ['src/core', 'src/database', 'src/context.ts', 'src/domain/fields'],
  schema: [
    'src/core',
    'src/database',
    'src/context.ts',
    // The SQL of a list's groups, shared by both execution paths.
    'src/compiled/groups',
    // The SQL of ranked search, joined with the conditions of a list.
    'src/compiled/search',
    // The SQL of a page that Prisma cannot express.
    'src/compiled/sql/pages.ts',
    'src/domain/shared',
    'src/domain/updates.ts',
    'src/graphql/incremental.ts',
    'src/graphql/result-values.ts',
    // What an operation may cost.
    'src/graphql/price',
    // Whether a document may be saved.
    'src/graphql/saved',
  ],
  // The composition root wires everything below it together.
  'src/services.ts': [...foundation, 'src/domain'],
  'src/backup': ['src/core', 'src/database', 'src/storage', 'src/auth', 'src/domain/attachments/stored-files.ts'],
  // Reads the state of the process; everything else reaches it through the channels of src/core/telemetry.ts.
  'src/telemetry': ['src/core', 'src/config', 'src/net', 'src/context.ts', 'src/database', 'src/queue'],
  'src/app.ts': [
    'src/core',
    'src/database/deadline.ts',
    'src/auth',
    'src/context.ts',
    'src/http',
    'src/graphql',
    'src/compiled',
    'src/rest',
    'src/openai',
    'src/mcp',
    'src/saved',
    'src/widget',
    'src/description.ts',
    'schema/index.ts',
  ],
  'src/description.ts': ['src/domain/described-rules.ts', 'src/rest'],
  'src/signals.ts': ['src/core'],
  'src/start.ts': [
    'src/core',
    'src/config',
    'src/database',
    'src/net',
    'src/auth',
    'src/backup',
    'src/search',
    'src/context.ts',
    'src/services.ts',
    'src/app.ts',
    'src/http',
    'src/graphql',
    'src/jobs',
    'src/telemetry',
    'src/workers',
    'prisma',
  ],
  // The processes of one gateway: how they talk to each other, and what supervises them.
  'src/workers': [
    'src/core',
    'src/config',
    'src/auth',
    'src/database/pglite/private-folder.ts',
    'src/http',
    'src/telemetry',
  ],
  'src/launch.ts': ['src/config'],
  'src/run.ts': ['src/core', 'src/config', 'src/http/log/request-log.ts', 'src/start.ts', 'src/workers'],
  'src/main.ts': ['src/config', 'src/signals.ts', 'src/run.ts', 'src/workers/worker.ts'],
  'src/cli': [
    ...foundation,
    'src/backup',
    'src/domain',
    'src/http',
    'src/graphql/saved/check.ts',
    'src/services.ts',
    'src/description.ts',
    'schema/index.ts',
  ],
  prisma: ['src', 'schema/index.ts'],
  // These run before the generated code exists.
  scripts: [],
  bench: ['src', 'prisma', 'schema/index.ts', 'test'],
  test: ['src', 'prisma', 'scripts', 'bench', 'lint', 'schema/index.ts'],
};

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
  if (allowed.some((place) => within(to, place))) return null;
  return `${module} may import ${allowed.length ? allowed.join(', ') : 'nothing of the gateway'} (lint/boundaries.ts)`;
}
