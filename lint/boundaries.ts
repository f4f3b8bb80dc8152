/** Who may not import whom: the table of the README as data. Paths are from the root of the repository. */
type Boundary = { from: RegExp; never: RegExp; types?: 'allowed'; why: string };

const boundaries: Boundary[] = [
  {
    from: /^src\/(main|start)\.ts$/,
    never: /^(schema|src\/(domain|rest))\//,
    why: 'start.ts starts and stops the process; what it serves is behind app.ts',
  },
  {
    from: /^src\/app\.ts$/,
    never: /^(schema\/(?!index\.ts)|src\/(domain|model|knowledge)\/)/,
    types: 'allowed',
    why: 'app.ts joins the surfaces and knows no domain',
  },
  {
    from: /^schema\//,
    never: /^src\/(main\.ts|app\.ts|(rest|http|model|knowledge|jobs|cli)\/)/,
    types: 'allowed',
    why: 'a resolver calls the domain file of its own name and nothing below it',
  },
  {
    from: /^src\/domain\//,
    never: /^(schema\/|src\/(main\.ts|app\.ts|(rest|http|cli|graphql)\/)|@pothos\/|hono\b|@hono\/|graphql-yoga)/,
    why: 'rules know neither the graph nor HTTP',
  },
  {
    from: /^src\/rest\//,
    never: /^(schema\/|src\/(domain|database|model|knowledge|jobs)\/|@prisma\/|@pothos\/|pg\b)/,
    why: 'a route is a GraphQL document with a projection and holds no rule',
  },
  {
    from: /^src\/(auth|database|model|knowledge|plugins|sandbox|storage)\//,
    never: /^(schema\/|src\/(main\.ts|app\.ts|(domain|rest|http)\/))/,
    types: 'allowed',
    why: 'what the domain stands on does not know the domain or its surfaces',
  },
  {
    from: /^src\/lane\//,
    never: /^(schema\/|src\/(main\.ts|app\.ts|(domain|rest|http|jobs|model|knowledge)\/))/,
    types: 'allowed',
    why: 'the lane reads the schema that it is given and the rules of database/, and knows no domain',
  },
  {
    from: /^src\/jobs\//,
    never: /^(schema\/|src\/(main\.ts|app\.ts|(rest|http)\/))/,
    why: 'a job calls domain operations, never a surface',
  },
  {
    from: /^(schema|test)\/|^src\/(?!database\/)/,
    never: /^(src\/database\/generated\/(?!prisma\/enums\.ts)|@prisma\/(client|adapter-pg)|@electric-sql\/pglite)/,
    types: 'allowed',
    why: 'only src/database/ uses the Prisma client; name its types with `import type`',
  },
  {
    from: /^(schema\/|src\/(?!knowledge\/(guarded-fetch|public-address)\.ts|model\/))/,
    never: /^(undici|axios|got|node-fetch)$/,
    why: 'the network is reached through guardedFetch, which refuses private addresses',
  },
  {
    from: /^test\//,
    never: /^schema\/(?!index\.ts)/,
    why: 'a test asks the app, never a resolver',
  },
];

/** Why `from` may not import `to`, or null when it may. Both are paths from the root; a package is its specifier. */
export function refusal(from: string, to: string, typeOnly: boolean): string | null {
  const broken = boundaries.find(
    (rule) => rule.from.test(from) && rule.never.test(to) && !(typeOnly && rule.types === 'allowed'),
  );
  return broken?.why ?? foreignDomain(from, to);
}

/** `schema/leads.ts` calls `src/domain/leads.ts`; what two types share is a ref or a verb of one of them. */
function foreignDomain(from: string, to: string): string | null {
  const own = /^schema\/([\w-]+)\.ts$/.exec(from)?.[1];
  const used = /^src\/domain\/([\w-]+)/.exec(to)?.[1];
  if (own === undefined || used === undefined || own === used) return null;
  return `schema/${own}.ts calls only src/domain/${own}.ts`;
}
