/** The ids in the examples of the OpenAPI description: a kind's prefix before the same ending. */
const exampleId = /\b([a-z]{3})_01m7yqpxrm9pwast1wky2nypzh\b/g;

/** The gateway's address in code samples, unless it has a public one. */
const localUrl = 'http://127.0.0.1:4000';

/** Selects a row of each kind that a request names. Fields that the bearer may not read are null. */
export const exampleRows = `query ExampleRows {
  workspace { id }
  agents(first: 20) { nodes { id status plugins(first: 5) { nodes { id auth { type } } } } }
  leads(first: 1) { nodes { id } }
  fields(first: 1, filter: { fixed: false, type: [choice] }) { nodes { id } }
  plugins(first: 1) { nodes { id } }
  bases(first: 1) { nodes { id } }
  documents(first: 1) { nodes { id } }
  memberships(first: 20) { nodes { id userId acceptedAt roles(first: 1) { nodes { appId } } } }
}`;

type Row = { id: string };
type List<Node> = { nodes: Node[] } | null;
type Plugin = Row & { auth: { type: string } };
/** The response to `exampleRows`. */
export type ExampleRows = {
  workspace: Row | null;
  agents: List<Row & { status: string; plugins: List<Plugin> }>;
  memberships: List<Row & { userId: string; acceptedAt: string | null; roles: List<object> }>;
} & Record<'leads' | 'fields' | 'plugins' | 'bases' | 'documents', List<Row>>;

/**
 * Returns real ids by prefix, of rows that fit the examples: an active agent with a plugin that needs a credential, if
 * there is one, and a member with a role.
 */
export function idsOf(rows: Partial<ExampleRows>): Record<string, string> {
  const first = (list: List<Row> | undefined) => list?.nodes[0]?.id;
  const active = rows.agents?.nodes.filter(({ status }) => status === 'active') ?? [];
  const pluginOf = ({ plugins }: (typeof active)[number]) => plugins?.nodes.find(({ auth }) => auth.type !== 'none');
  const agent = active.find(pluginOf) ?? active[0] ?? rows.agents?.nodes[0];
  const members = rows.memberships?.nodes.filter(({ acceptedAt }) => acceptedAt) ?? [];
  const member = members.find(({ roles }) => roles?.nodes[0]) ?? members[0];
  const found = {
    wsp: rows.workspace?.id,
    agt: agent?.id,
    led: first(rows.leads),
    fld: first(rows.fields),
    plg: (agent && pluginOf(agent)?.id) ?? first(rows.plugins),
    bas: first(rows.bases),
    doc: first(rows.documents),
    mem: member?.id,
    usr: member?.userId,
  };
  return Object.fromEntries(Object.entries(found).filter((entry): entry is [string, string] => Boolean(entry[1])));
}

/**
 * What a request does to rows that are there, if anything. The example of such a request keeps ids that no row has, and
 * the reference asks before one is sent. `path` may be that of an operation, or end with it.
 */
export function effectOn(method: string, path: string): 'deletes' | 'overwrites' | undefined {
  const verb = method.toLowerCase();
  if (verb === 'delete') return 'deletes';
  // A workspace has one row of settings, which this changes. The gateway may be below a path.
  return verb === 'put' || (verb === 'post' && path.endsWith('rest/settings')) ? 'overwrites' : undefined;
}

/** Replaces the ids of examples by real ones, as far as there are any. */
export const withIds = (text: string, ids: Record<string, string>): string =>
  text.replaceAll(exampleId, (id, prefix: string) => ids[prefix] ?? id);

type Parameter = { required?: boolean; schema?: { examples?: unknown } };
type Operation = {
  description?: string;
  parameters?: Parameter[];
  requestBody?: unknown;
  'x-graphql-document'?: string;
  'x-graphql-variables'?: object;
  'x-codeSamples'?: unknown;
};
/** What the reference reads of an OpenAPI description. */
type Description = { paths: Record<string, Record<string, Operation>> };

/** Parts of an operation that make up a request; responses keep the ids that they were recorded with. */
const requestParts = ['parameters', 'requestBody', 'x-graphql-variables', 'x-codeSamples'] as const;

/**
 * Returns the description as the reference shows it: requests with real ids unless they delete or overwrite, and with
 * each operation its GraphQL document and a link that opens it in GraphiQL. `gateway` is its address, without a slash
 * at the end.
 */
export function described(description: Description, ids: Record<string, string>, gateway: string): Description {
  const paths = Object.entries(description.paths).map(([path, methods]) => {
    const operations = Object.entries(methods).map(([method, operation]) => {
      const parts = requestParts.flatMap((part) => (operation[part] ? [[part, operation[part]]] : []));
      const json = JSON.stringify(Object.fromEntries(parts));
      const text = (effectOn(method, path) ? json : withIds(json, ids)).replaceAll(localUrl, gateway);
      const request = JSON.parse(text) as Operation;
      const parameters = request.parameters?.map(withoutPreset);
      const whole = { ...operation, ...request, ...(parameters && { parameters }) };
      return [method, { ...whole, description: `${operation.description ?? ''}\n\n${graphqlPart(whole, gateway)}` }];
    });
    return [path, Object.fromEntries(operations)];
  });
  return { ...description, paths: Object.fromEntries(paths) };
}

/** The viewer sends every example, and an example of `If-Match`, say, would make each request a conflict. */
const withoutPreset = ({ schema: { examples, ...schema } = {}, ...parameter }: Parameter): Parameter => ({
  ...parameter,
  schema: { ...schema, ...(parameter.required && { examples }) },
});

/** Markdown with the operation's GraphQL document. */
function graphqlPart(
  { 'x-graphql-document': document = '', 'x-graphql-variables': variables = {} }: Operation,
  gateway: string,
): string {
  const name = /^(?:query|mutation|subscription) (\w+)/m.exec(document)?.[1] ?? 'the operation';
  const fragment = new URLSearchParams({ query: document });
  if (Object.keys(variables).length > 0) fragment.set('variables', JSON.stringify(variables, null, 2));
  return `**In GraphQL**: \`${name}\`. [Open in GraphiQL](${gateway}/graphql#${fragment})`;
}
