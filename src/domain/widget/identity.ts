import { hash } from 'node:crypto';
import { z } from 'zod';
import { verifyIdentityToken } from '../../auth/identity-tokens.ts';
import type { Context } from '../../context.ts';
import { invalid } from '../../core/errors.ts';
import { findUnstorable } from '../../core/json-limits.ts';
import type { Channel } from '../../database/generated/prisma/client.ts';
import { checkValue, findWantedFields, isColumn } from '../leads/captured-values.ts';
import { parseInput } from '../shared/input.ts';

/** A user of the site, as a token that it signed says: their id there, and values of their lead. */
export type SiteUser = { id: string; values: { field: string; fieldId?: string; value: unknown }[] };

const id = z.string().trim().min(1, 'must not be empty').max(200);
/** `user_id`, as for Intercom; `sub`, as the standard has it. */
const claims = z
  .looseObject({ sub: id.optional(), user_id: id.optional(), custom: z.record(z.string(), z.unknown()).nullish() })
  .refine(({ sub, user_id }) => sub ?? user_id, {
    path: ['sub'],
    error: 'is required: the id of the user on your site',
  });

/**
 * Verifies a token that a site signed for one of its users. Values that a lead cannot have are left out, since the user
 * could not correct them. Throws 400, and 401 for a token that is not the channel's, has expired or is
 * valid for too long.
 */
export async function readIdentity(context: Context, channel: Channel, token: string): Promise<SiteUser> {
  if (!channel.identitySecretCipher)
    throw invalid(
      'identity: the channel has no identity secret: make one with the GraphQL mutation rotateIdentitySecret',
    );
  const secret = context.secrets.decrypt(channel.identitySecretCipher);
  const payload = await verifyIdentityToken(context, token, secret);
  const issues = findUnstorable(payload);
  if (issues.length > 0) throw invalid(issues);
  const { sub, user_id, custom, ...columns } = parseInput(claims, payload);
  const given = { ...custom, ...Object.fromEntries(Object.entries(columns).filter(([name]) => isColumn(name))) };
  const values = (await findWantedFields(context)).flatMap((field) => {
    const value = Object.hasOwn(given, field.name) ? checkValue(field, given[field.name] as never) : undefined;
    return value === undefined ? [] : [{ field: field.name, ...(field.id && { fieldId: field.id }), value }];
  });
  return { id: sub ?? user_id ?? '', values };
}

/** Identifies the secret that a visitor's token was issued under: once the channel has another one, it is invalid. */
export const secretVersionOf = ({ identitySecretCipher }: Channel): string =>
  hash('sha256', identitySecretCipher ?? '', 'hex').slice(0, 16);
