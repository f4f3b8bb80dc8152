import fc from 'fast-check';
import { foldName } from '../../../src/text/fold.ts';

/** A lead for filters; `isMet` evaluates the same conditions in JavaScript. */
export type FilteredLead = {
  id: string;
  name: string | null;
  email: string | null;
  company: string | null;
  capture: 'completed' | 'partial';
  agentId: string | null;
  createdAt: Date;
  updatedAt: Date;
};
export type Filter = Record<string, any>;

const words = [
  '',
  'Ana',
  'ANA',
  'ana ',
  'Ação',
  'acao',
  'Straße',
  '100%',
  '_',
  '%',
  'Łukasz',
  'ΣΑΣ',
  'σας',
  "it's",
  'İstanbul',
  '日本',
];
const emails = ['ana@example.com', 'bia@example.com', 'josé@example.com'];
const moments = ['2026-01-01T00:00:00.000Z', '2026-03-01T12:00:00.000Z', '2026-06-15T00:00:00.001Z'];

const text = fc.constantFrom(...words);
const moment = fc.constantFrom(...moments);

/** Random leads, without their ids. */
export const leadsOf = (agentIds: string[]) =>
  fc.record({
    name: fc.option(text),
    email: fc.option(fc.constantFrom(...emails)),
    company: fc.option(text),
    capture: fc.constantFrom('completed' as const, 'partial' as const),
    agentId: fc.option(fc.constantFrom(...agentIds)),
    createdAt: moment.map((at) => new Date(at)),
    updatedAt: moment.map((at) => new Date(at)),
  });

const some = <Value>(of: fc.Arbitrary<Value>) => fc.array(of, { maxLength: 3 });
const partial = (of: Record<string, fc.Arbitrary<unknown>>) => fc.record(of, { requiredKeys: [] });
const textFilter = (of: fc.Arbitrary<string>) =>
  partial({ equals: of, in: some(of), contains: of, startsWith: of, isNull: fc.boolean() });
const range = partial({ from: moment, to: moment });

/** Random nested filters. `more` holds additional conditions. */
export const filtersOf = (agentIds: string[], more: Record<string, fc.Arbitrary<unknown>> = {}): fc.Arbitrary<Filter> =>
  fc.letrec((tie) => ({
    filter: partial({
      name: textFilter(text),
      email: textFilter(fc.constantFrom(...emails, 'ANA@Example.com')),
      company: textFilter(text),
      capture: some(fc.constantFrom('completed', 'partial')),
      agentId: fc.constantFrom(...agentIds),
      agentIds: some(fc.constantFrom(...agentIds)),
      hasEmail: fc.boolean(),
      createdAt: range,
      updatedAt: range,
      ...more,
      and: fc.array(tie('filter'), { maxLength: 2, depthIdentifier: 'filter' }),
      or: fc.array(tie('filter'), { maxLength: 3, depthIdentifier: 'filter' }),
      not: fc.option(tie('filter'), { depthIdentifier: 'filter', maxDepth: 3, nil: undefined }),
    })
      // Few at once, since no row would meet many.
      .chain((filter) => fc.subarray(Object.keys(filter), { maxLength: 2 }).map((keys) => pick(filter, keys))),
  })).filter as fc.Arbitrary<Filter>;

const pick = (filter: Filter, keys: string[]) => Object.fromEntries(keys.map((key) => [key, filter[key]]));

/** Folds as the database does, which has no final form of sigma. */
const fold = (value: string) => foldName(value).replaceAll('ς', 'σ');

export function meetsText(value: string | null, filter: Filter, isExact = false): boolean {
  return Object.entries(filter).every(([operator, operand]) => {
    if (operator === 'isNull') return (value === null) === operand;
    if (value === null) return false;
    const same = isExact ? (one: string) => one.toLowerCase() : fold;
    switch (operator) {
      case 'equals':
        return same(value) === same(operand);
      case 'in':
        return operand.some((one: string) => same(value) === same(one));
      case 'contains':
        return fold(value).includes(fold(operand));
      default:
        return fold(value).startsWith(fold(operand));
    }
  });
}

const meetsRange = (value: Date, { from, to }: Filter) =>
  (!from || value >= new Date(from)) && (!to || value < new Date(to));

/** Evaluates a filter on a lead in JavaScript. `more` evaluates additional conditions. */
export function isMet(
  lead: FilteredLead,
  filter: Filter,
  more: (key: string, value: any) => boolean = unknown,
): boolean {
  return Object.entries(filter).every(([key, value]) => {
    if (value === undefined) return true;
    switch (key) {
      case 'and':
        return value.every((one: Filter) => isMet(lead, one, more));
      case 'or':
        return value.some((one: Filter) => isMet(lead, one, more));
      case 'not':
        return !isMet(lead, value, more);
      case 'name':
      case 'company':
        return meetsText(lead[key], value);
      case 'email':
        return meetsText(lead.email, value, true);
      case 'capture':
        return value.includes(lead.capture);
      case 'agentId':
        return lead.agentId === value;
      case 'agentIds':
        return value.includes(lead.agentId);
      case 'hasEmail':
        return (lead.email !== null) === value;
      case 'createdAt':
      case 'updatedAt':
        return meetsRange(lead[key], value);
      default:
        return more(key, value);
    }
  });
}

const unknown = (key: string): never => {
  throw new Error(`${key} is no condition of a lead`);
};
