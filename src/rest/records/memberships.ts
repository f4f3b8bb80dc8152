import { z } from 'zod';
import { nullableText, text, times, workspaceId } from './common.ts';

export const memberRole = z.enum(['owner', 'admin', 'editor', 'viewer']);

export const membership = z
  .strictObject({
    type: z.literal('membership').meta({ description: 'The type of `data`.' }),
    data: z
      .strictObject({
        id: text('Unique ID of the membership, the same in GraphQL.'),
        workspaceId,
        userId: text('ID of the person.'),
        role: memberRole.meta({ description: "The member's role in the workspace." }),
        user: z
          .strictObject({
            id: text('Unique ID of the person.'),
            name: text('The name of the person.'),
            email: text('The email address, in lowercase.'),
            phone: nullableText('The phone number, in E.164 format.'),
            picture: nullableText('The URL of a picture.'),
            ...times,
          })
          .meta({ description: 'The person.' }),
      })
      .meta({ description: 'The membership.' }),
  })
  .meta({ id: 'Membership', description: 'A member of the workspace, in an envelope.' });

export const roleRecord = z
  .strictObject({
    membershipId: text('ID of the membership.'),
    appId: text('ID of the app.'),
    role: memberRole.nullable().meta({ description: "The member's role in the app. `null` if none." }),
    createdBy: nullableText('ID of the user, app or key that created it.'),
    updatedBy: nullableText('ID of the user, app or key that last updated it.'),
    ...times,
  })
  .meta({ id: 'RoleRecord', description: "A member's role in an app." });

export const subscription = z
  .strictObject({
    id: text('Unique ID of the subscription, the same in GraphQL.'),
    status: z.enum(['trial', 'active', 'canceled', 'ended']).meta({ description: 'The status of the subscription.' }),
    appId: text('ID of the app the subscription is for.'),
    priceId: text('ID of the price at the payment provider.'),
    workspaceId,
    coupon: nullableText('The coupon that was used.'),
    source: z.enum(['self_service', 'third_party']).meta({ description: 'Where the subscription was created.' }),
    ...times,
  })
  .meta({ id: 'Subscription', description: "A workspace's paid plan for an app." });
