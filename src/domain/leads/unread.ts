import { searchedEmails } from '../../core/emails.ts';
import type { LeadCapture } from '../../database/generated/prisma/client.ts';
import { FoldedColumns } from '../../database/query/folded.ts';
import type { Where } from '../../database/query/list.ts';
import { foldName } from '../../text/fold.ts';
import { type LeadValues, searchTextOf } from './store.ts';

type Contact = Pick<LeadValues, 'name' | 'email' | 'phone' | 'company' | 'site'>;
type Column = keyof Contact;

const searched = ['name', 'email', 'phone', 'company'] as const;
const always: Where = {};
const never: Where = { OR: [] };

/**
 * What must hold of a lead that was not read so that it may be changed to these values and stays as completed as it is,
 * which changes nothing else.
 */
export function conditionsOf(data: Contact, asked: LeadCapture | null | undefined): Where[] {
  const says = (column: Column) => {
    const value = data[column];
    return value === undefined ? { [column]: { gt: '' } } : value ? always : never;
  };
  const lacks = (column: Column) => {
    const value = data[column];
    return value === undefined ? { [column]: null } : value ? never : always;
  };
  const isPartial = { OR: [lacks('name'), { AND: [lacks('email'), lacks('phone')] }] };
  // A domain in Punycode is also found as people write it.
  const isPlain = { OR: [{ email: null }, { NOT: { email: { contains: 'xn--' } } }] };
  return [
    { OR: [...searched, 'site' as const].map(says) },
    asked ? { capture: asked } : { OR: [{ capture: 'completed' }, isPartial] },
    ...(data.email === undefined && isSearched(data) ? [isPlain] : []),
  ];
}

const isSearched = (data: Contact): boolean => searched.some((column) => data[column] !== undefined);

/** The search text of a lead that was not read, once it has these values; undefined if they do not change it. */
export function searchTextAfter(data: Contact): FoldedColumns | string | undefined {
  if (!isSearched(data)) return undefined;
  if (searched.every((column) => data[column] !== undefined)) return searchTextOf(data);
  const texts = searched.flatMap((column): FoldedColumns['texts'] => {
    const value = data[column];
    if (value === undefined) return [{ column }];
    const written = column === 'email' ? searchedEmails(value) : [value];
    return written.some(Boolean) ? [foldName(...written)] : [];
  });
  return new FoldedColumns(texts);
}
