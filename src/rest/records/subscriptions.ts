import { z } from 'zod';
import { nullableText, text, times, workspaceId } from './common.ts';

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
