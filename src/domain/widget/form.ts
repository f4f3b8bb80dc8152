import { z } from 'zod';
import type { WidgetVisitor } from '../../core/viewer.ts';
import type { WantedField } from '../../model/service.ts';
import { type AskedField, fieldOf } from '../agents/widget-settings.ts';
import { findWantedFields, inputRule } from '../leads/captured-values.ts';
import { parseInput } from '../shared/input.ts';
import { ownConversation } from './conversations.ts';
import type { Visitor } from './visitors.ts';

type Asked = WantedField & { required: boolean };
/** A field of the form, as the visitor's page shows it. */
type FormField = Pick<Asked, 'name' | 'type' | 'options' | 'required'>;

/** What a visitor is asked before the first message: nothing that the site has said, and not again. */
export async function readForm(visitor: Visitor): Promise<FormField[]> {
  // Descriptions are for models, and not public.
  return (await askedOf(visitor)).map(({ name, type, options, required }) => ({ name, type, options, required }));
}

async function askedOf(visitor: Visitor): Promise<Asked[]> {
  const form = visitor.channel.form as AskedField[];
  if (form.length === 0) return [];
  const { database, viewer } = visitor.context;
  if (await database.conversation.findFirst({ where: ownConversation(visitor), select: { id: true } })) return [];
  const known = await findWantedFields(visitor.context);
  const said = new Set(viewer.visitor?.stated?.map(({ field }) => field));
  // A field may have been disabled since.
  return form.flatMap(({ field: name, required }) => {
    const field = fieldOf(known, name);
    return field && !said.has(field.name) ? [{ ...field, required }] : [];
  });
}

/**
 * Checks a visitor's answers to the form: returns them as values of the lead. Throws 400 for an invalid one, and if a
 * required one is missing.
 */
export async function readAnswers(visitor: Visitor, answers: unknown): Promise<WidgetVisitor['stated'] & object> {
  const asked = await askedOf(visitor);
  if (asked.length === 0) return [];
  const shape = asked.map((field) => [field.name, field.required ? inputRule(field) : inputRule(field).nullish()]);
  const rules = z.object({ lead: z.object(Object.fromEntries(shape)) });
  const { lead } = parseInput(rules, { lead: withoutBlanks(answers ?? {}) }) as { lead: Record<string, unknown> };
  return asked.flatMap(({ name, id }) => {
    const value = lead[name];
    return value == null ? [] : [{ field: name, ...(id && { fieldId: id }), value }];
  });
}

/** A field that is left empty is not answered. */
function withoutBlanks(answers: unknown): unknown {
  if (typeof answers !== 'object' || answers === null || Array.isArray(answers)) return answers;
  const isBlank = (value: unknown) =>
    typeof value === 'string' ? value.trim() === '' : Array.isArray(value) && value.length === 0;
  return Object.fromEntries(Object.entries(answers).filter(([, value]) => !isBlank(value)));
}
