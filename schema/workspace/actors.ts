import type { Context } from '../../src/context.ts';
import { appById, findActor, keyById, memberById } from '../../src/domain/workspace/actors.ts';
import { builder } from '../builder.ts';
import { type AnyField, fieldOf } from '../shared/any-field.ts';
import { App } from './apps.ts';
import { Key } from './keys.ts';
import { User } from './memberships.ts';

const Actor = builder.unionType('Actor', {
  description: 'Someone or something that performs actions: a member of the workspace, an app or a key.',
  types: () => [User, App, Key],
  resolveType: (actor) => ('email' in actor ? 'User' : 'redirectUris' in actor ? 'App' : 'Key'),
});

const candidates = [
  { type: 'User', where: memberById },
  { type: 'App', where: appById },
  { type: 'Key', where: keyById },
];

type Made = { createdBy: string | null; updatedBy: string | null };
/** The columns of the audit log that name somebody. */
type Acting = 'actorId' | 'onBehalfOfId';

type Audit = keyof Made | 'workspaceId' | 'creator' | 'updater' | 'createdAt' | 'updatedAt' | 'workspace';

/** The fields `creator` and `updater` of a type whose rows say who made and changed them. */
export const actorFields = (t: unknown): { creator: AnyField; updater: AnyField } => ({
  creator: actorField(t, 'createdBy', 'Who created it'),
  updater: actorField(t, 'updatedBy', 'Who last updated it'),
});

/** What Pothos gives to describe the columns and relations of any table. */
type RowBuilder = {
  exposeID: (column: string, options: object) => AnyField;
  expose: (column: string, options: object) => AnyField;
  relation: (name: string, options: object) => AnyField;
};

/** The fields that say to which workspace a row belongs, and who made and changed it, and when. */
export function auditFields(builder: unknown): Record<Audit, AnyField> {
  const t = builder as RowBuilder;
  return {
    workspaceId: t.exposeID('workspaceId', { description: 'ID of the workspace it belongs to.' }),
    createdBy: t.exposeID('createdBy', { description: 'ID of the user, app or key that created it.' }),
    updatedBy: t.exposeID('updatedBy', { description: 'ID of the user, app or key that last updated it.' }),
    ...actorFields(t),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was last updated.' }),
    workspace: t.relation('workspace', { description: 'The workspace it belongs to.' }),
  };
}

/** A field with whom a column of the row names. */
export function actorField(t: unknown, column: keyof Made | Acting, description: string): AnyField {
  return fieldOf(t)({
    type: Actor,
    nullable: true,
    description: `${description}; \`null\` if no longer a member, an app or a key of the workspace.`,
    extensions: { parleyOneOf: { column, candidates } },
    resolve(row: Partial<Made & Record<Acting, string | null>>, _args: object, context: Context) {
      const id = row[column];
      return id && findActor(context, id);
    },
  });
}
