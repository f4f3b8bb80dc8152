/**
 * The tables whose rows belong to no workspace, and why. Every other table has `workspaceId`, with which its primary
 * key and its unique constraints begin, and is partitioned or distributed by it. docs/scale.md has the same list.
 */
export const globalTables: Record<string, string> = {
  Workspace: 'The workspaces themselves: references to them cross partitions.',
  User: 'A person may be a member of several workspaces.',
  SigningKey: 'Keys of the gateway, which sign the tokens of all workspaces.',
  EncryptionKey: 'Keys of the gateway, which encrypt the secrets of all workspaces.',
  WidgetWindow: 'Counts of the current minute, also per network address, under a hash of who is counted.',
  Directory: 'In which workspace a secret, a widget’s token or a person is to be looked up.',
  DemoProgress: 'How far the demo workspace is made, which may not exist yet.',
  Gateway: 'The processes that serve, for as long as they do.',
  _prisma_migrations: 'The migrations that were applied.',
};
