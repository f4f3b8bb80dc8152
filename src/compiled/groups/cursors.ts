import { sealOfGroups } from '../../lists/groups/cursor.ts';
import type { ListRule } from '../../lists/list.ts';
import type { ListArguments, Page } from '../../lists/pagination.ts';
import type { Binding, SqlPart } from '../../lists/sql/binding.ts';
import { quotedCursor } from '../compile/cursor.ts';
import { type CompiledGroups, positionsOf } from './compiled-groups.ts';

/** SQL for a group's quoted cursor, byte for byte as the resolvers write it. */
export const cursorOfGroup = (groups: CompiledGroups): SqlPart =>
  groups.slot(({ statement, grouping }, binding) => {
    const seal = binding.later((run) => sealOf(run, groups));
    const value = statement.sortValue(groups.alias);
    const sorted = value ? `coalesce('"' || ${value}::text || '"', 'null')` : `'null'`;
    return quotedCursor(`'["' || ${seal} || '",' || ${sorted} || ',' || ${groups.position(grouping.keys)} || ']'`);
  });

function sealOf(binding: Binding, groups: CompiledGroups): string {
  const { within } = groups.list;
  const bound = groups.run(binding).bound();
  if (within.length === 0) return binding.value(sealOfGroups(bound, []), 'text');
  return sealOfPositions(binding, { ...bound, positions: positionsOf(within, binding) });
}

/** SQL for the seal of cursors of a group's rows. */
export function sealOfRows(
  binding: Binding,
  { rule, args, page, groups }: { rule: ListRule; args: ListArguments; page: Page; groups: readonly CompiledGroups[] },
): string {
  const { field, direction } = page.shape.cursor;
  const filter = JSON.stringify({ ...args.filter, '': 0 }).slice(0, -2);
  const before = `${JSON.stringify([rule.model, field, direction]).slice(0, -1)},${filter}`;
  const after = `},${JSON.stringify(args.search ?? null)}]`;
  return sealOfPositions(binding, { before, after, positions: positionsOf(groups, binding) });
}

/** SQL for `sealOf` for a text that contains the keys of groups. */
function sealOfPositions(
  binding: Binding,
  { before, after, positions }: { before: string; after: string; positions: string },
): string {
  const bound = `${binding.own(before, 'text')} || ${positions} || ${binding.own(after, 'text')}`;
  return `translate(left(encode(sha256(convert_to(${bound}, 'UTF8')), 'base64'), 8), '+/', '-_')`;
}
