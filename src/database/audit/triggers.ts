import type { AuditRule } from './rules.ts';

/** Columns that follow from others, or that every change sets. */
const derived = ['searchText', 'workspaceId', 'createdAt', 'createdBy', 'updatedAt', 'updatedBy'];

/** The triggers that write the audit log. The function that they call is in the migration `audit_log`. */
export const auditTriggersOf = (rule: AuditRule) =>
  rule.on.map((verb) => {
    const { model, marks, joins } = rule;
    const name = `${model}_audit_${verb}`;
    const omit = [...derived, ...(rule.omit ?? [])];
    const given = JSON.stringify({
      type: rule.type ?? model,
      id: rule.id ?? ['id'],
      values: rule.values ?? [],
      omit,
      ...(rule.removedAt && { removedAt: rule.removedAt }),
      ...(marks && { mark: marks.column, actions: marks.actions }),
      ...(joins && { field: joins.field, column: joins.column }),
      ...(rule.bySystem && { bySystem: true }),
      ...(verb === 'update' && rule.named && { named: true }),
      ...(rule.onBehalf && { onBehalf: true }),
    });
    const conditions = [
      // What a deletion takes along has no entry of its own.
      'pg_trigger_depth() = 0',
      ...(verb === 'insert' && rule.when ? [`(${rule.when})`] : []),
      ...(verb === 'update' ? [changed(marks?.column, omit, rule.named)] : []),
    ];
    const event = verb === 'update' && marks ? `UPDATE OF "${marks.column}"` : verb.toUpperCase();
    const call = `"auditRow"('${given.replaceAll("'", "''")}')`;
    const sql = `CREATE TRIGGER "${name}" AFTER ${event} ON "${model}" FOR EACH ROW WHEN (${conditions.join(' AND ')}) EXECUTE FUNCTION ${call};`;
    return { name, table: model, sql };
  });

const differs = (column: string): string => `OLD."${column}" IS DISTINCT FROM NEW."${column}"`;

const changed = (column: string | undefined, omit: string[], named = false): string => {
  if (column) return differs(column);
  const values = `(to_jsonb(OLD.*) - '{${omit.join(',')}}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{${omit.join(',')}}'::text[])`;
  return named ? `(${differs('updatedBy')} OR ${values})` : values;
};
