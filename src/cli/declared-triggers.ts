import { auditRules } from '../database/audit/rules.ts';
import { auditTriggersOf } from '../database/audit/triggers.ts';
import { triggersOf } from '../domain/shared/row-events.ts';
import { rowEvents } from '../domain/webhooks/events.ts';

/** The triggers that are declared as data: of the domains' events, and of the audit log. */
export const declaredTriggers = [...rowEvents.flatMap(triggersOf), ...auditRules.flatMap(auditTriggersOf)];
