/** The groups of operations. */
export const tags: Record<string, string> = {
  Conversation: 'Send messages to an agent.',
  Agents: 'Assistants, their channels and their conversations.',
  Leads: 'Contact records captured by agents.',
  Fields: 'Custom fields of leads.',
  Plugins: 'External tools and their credentials.',
  Workspace: 'Settings and usage of the workspace.',
  Bases: 'Knowledge bases and their sources.',
  Accounts: 'Apps, roles, members, subscriptions and terms.',
  Content: 'Copywriting results and documents.',
};

/** The introduction, in Markdown. */
export const prose = `The REST operations of the assistant platform. Each operation runs the GraphQL document shown with it
(\`x-graphql-document\`) on the same resolvers as \`/graphql\`, so both APIs return the same objects under the same IDs.

## A token

Every operation takes a bearer token, in the header \`Authorization: Bearer <token>\`. On the machine of the gateway:

- \`npm run --silent token\` prints one for the owner of the demo workspace, \`npm run --silent token -- --workspace wsp_…\` one
  for another, each for an hour. \`npm run --silent workspace -- --name … --owner-email … --owner-name …\` creates a workspace.
- \`npm run --silent open\` prints an address that signs a browser in to the demo workspace. \`/reference\` with the same
  fragment (\`#key=…\`) then has a token and real IDs in its examples.
- \`createKey\` in GraphQL creates a key for a program, with scopes and limits. \`POST /rest/apps/auth\` gets a token for a
  member.

## Conventions

- All data belongs to the workspace of the bearer token. An object of another workspace is not found.
- IDs are strings. Timestamps are ISO 8601 in UTC, except in copywriting records, where they are in milliseconds.
- Numbered lists take \`page\` and \`size\` and return \`{data, meta}\`, newest first. Pages after the last one are empty.
- Unknown query parameters and body keys are ignored and reported in a \`Warning\` header, with the closest known name.
  With \`Prefer: handling=strict\`, they are rejected. The file of a source never accepts unknown keys.
- Every error has the body \`{message, code, issues?}\`. Each issue starts with the key it is about.
- The schemas of bodies state the limits that are enforced, except those that depend on stored data, and the rule that
  text cannot contain NUL.
- A response with a single object has its \`ETag\`, derived from its ID and \`updatedAt\`. An update with \`If-Match\` and a
  different tag returns 409 with the current \`ETag\`.
- With \`Cache-Control: max-stale=<seconds>\`, a \`GET\` may return data that is up to so many seconds old, with its \`Age\`
  in a header. Without it, data is always current.
- Bodies are JSON in UTF-8, at most 1 MB, or 16 MB where they can contain base64 content.`;
