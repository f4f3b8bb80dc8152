import type { FieldRef } from '@pothos/core';
import type { Context } from '../../src/context.ts';
import { appById, findActor, memberById } from '../../src/domain/workspace/actors.ts';
import { builder } from '../builder.ts';
import { App } from './apps.ts';
import { User } from './memberships.ts';

const Actor = builder.unionType('Actor', {
  description: 'Who does things: a member of the workspace, or an app.',
  types: () => [User, App],
  resolveType: (actor) => ('email' in actor ? 'User' : 'App'),
});

const places = [
  { type: 'User', where: memberById },
  { type: 'App', where: appById },
];

type Made = { createdBy: string | null; updatedBy: string | null };
type AnyField = FieldRef<typeof builder.$inferSchemaTypes, unknown>;

/** The fields `creator` and `updater` of a type whose rows say who made and changed them. */
export const actorFields = (t: unknown): { creator: AnyField; updater: AnyField } => ({
  creator: actorField(t, 'createdBy', 'Who made it'),
  updater: actorField(t, 'updatedBy', 'Who changed it last'),
});

/** A field with whom a column of the row names. */
export function actorField(t: unknown, column: keyof Made, description: string): AnyField {
  return (t as { field: (options: object) => AnyField }).field({
    type: Actor,
    nullable: true,
    description: `${description}; null when they are no longer a member or an app of the workspace.`,
    extensions: { parleyPlaces: { column, places } },
    resolve(row: Partial<Made>, _args: object, context: Context) {
      const id = row[column];
      return id && findActor(context, id);
    },
  });
}
