import { z } from 'zod';
import { maybeText, text, times, workspaceId } from './common.ts';

export const subscription = z
  .strictObject({
    id: text('The id of the subscription, the same in GraphQL.'),
    status: z.enum(['trial', 'active', 'canceled', 'ended']).meta({ description: 'Where it is in its life.' }),
    appId: text('The app that it is for.'),
    priceId: text('The price, at the payment provider.'),
    workspaceId,
    coupon: maybeText('The coupon that was used.'),
    source: z.enum(['self_service', 'third_party']).meta({ description: 'Where it was made.' }),
    ...times,
  })
  .meta({ id: 'Subscription', description: 'What the workspace pays for.' });
