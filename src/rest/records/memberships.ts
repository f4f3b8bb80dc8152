import { z } from 'zod';
import { maybeText, text, times, workspaceId } from './common.ts';

export const memberRole = z.enum(['owner', 'admin', 'editor', 'viewer']);

export const membership = z
  .strictObject({
    type: z.literal('membership').meta({ description: 'What `data` is.' }),
    data: z
      .strictObject({
        id: text('The id of the membership, the same in GraphQL.'),
        workspaceId,
        userId: text('The id of the person.'),
        role: memberRole.meta({ description: 'What the member may do in the workspace.' }),
        user: z
          .strictObject({
            id: text('The id of the person.'),
            name: text('What the person is called.'),
            email: text('The email address, in lower case.'),
            phone: maybeText('The phone number, in E.164.'),
            picture: maybeText('The address of a picture.'),
            ...times,
          })
          .meta({ description: 'The person.' }),
      })
      .meta({ description: 'The membership.' }),
  })
  .meta({ id: 'Membership', description: 'A member of the workspace, in an envelope.' });

export const roleRecord = z
  .strictObject({
    membershipId: text('The membership.'),
    appId: text('The app.'),
    role: memberRole.nullable().meta({ description: 'What the member may do in the app; null: nothing.' }),
    createdBy: maybeText('The user or app that made it.'),
    updatedBy: maybeText('The user or app that changed it last.'),
    ...times,
  })
  .meta({ id: 'RoleRecord', description: 'What a member may do in an app.' });
