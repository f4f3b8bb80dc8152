import type { Prisma } from '../generated/prisma/client.ts';

/** Which changes to the rows of a table the audit log records, and what of them. */
export type AuditRule = {
  model: Prisma.ModelName;
  /** The name of the type in the log; the model's by default. */
  type?: string;
  /** The columns of the id, joined by `/`; `id` by default. */
  id?: readonly string[];
  on: readonly ('insert' | 'update' | 'delete')[];
  /** Columns whose values are recorded too: ids, roles, states and numbers, never secrets, names or texts. */
  values?: readonly string[];
  /** Columns that are not recorded, since the gateway itself maintains them. */
  omit?: readonly string[];
  /** Setting this column is a deletion. */
  removedAt?: string;
  /** Only this column matters: setting it is the first action, clearing it the second. */
  marks?: { column: string; actions: readonly [set: string, cleared: string] };
  /** The row joins two others: the one in `id` has changed, in this field, by the id in this column. */
  joins?: { field: string; column: string };
  /** Records what the gateway changes by itself too, and not only what callers and operators change. */
  bySystem?: true;
  /**
   * A row names in `updatedBy` who changed it last: a minted token that has it name its member is recorded for that
   * alone.
   */
  named?: true;
  /** Records only what minted tokens do: the row names their member, and only the log says who acted. */
  onBehalf?: true;
  /** A further condition in SQL for an insert. */
  when?: string;
};

const all = ['insert', 'update', 'delete'] as const;
/** Content that callers write all day: only its deletion is recorded. */
const deletionOf = (model: Prisma.ModelName): AuditRule => ({ model, on: ['delete'] });

/** What the audit log records. `npm run migration` generates the triggers from this. */
export const auditRules: readonly AuditRule[] = [
  { model: 'Workspace', on: ['update'], values: ['maxInteractions'] },
  {
    model: 'Settings',
    id: ['workspaceId'],
    on: ['insert', 'update'],
    values: [
      'merge',
      'requestsPerMinute',
      'costPerMinute',
      'tokenRequestsPerMinute',
      'tokenCostPerMinute',
      'retention',
    ],
    // Reading the settings of an old workspace creates them.
    when: `NEW."merge" <> 'never' OR coalesce(NEW."requestsPerMinute", NEW."costPerMinute", NEW."tokenRequestsPerMinute", NEW."tokenCostPerMinute") IS NOT NULL OR NEW."retention" <> '{}'`,
  },
  { model: 'Membership', on: all, values: ['role', 'userId', 'acceptedAt'] },
  // The omitted columns follow from the roles.
  { model: 'App', on: all, values: ['roles', 'internal'], omit: ['ownersOnly', 'unrestricted'] },
  {
    model: 'AppRole',
    type: 'RoleRecord',
    id: ['membershipId', 'appId'],
    on: all,
    values: ['role', 'membershipId', 'appId'],
    omit: ['enforced'],
    named: true,
  },
  {
    model: 'Key',
    on: all,
    values: [
      'membershipId',
      'scopes',
      'agentIds',
      'baseIds',
      'operations',
      'dashboardId',
      'ratePerMinute',
      'costPerMinute',
      'expiresAt',
      'revokedAt',
    ],
    omit: ['lastUsedAt', 'lastUsedFrom'],
  },
  {
    model: 'Subscription',
    type: 'WorkspaceSubscription',
    on: all,
    values: ['status', 'appId', 'priceId', 'source', 'maxInteractions'],
  },
  {
    model: 'Agent',
    on: all,
    values: [
      'status',
      'purpose',
      'freedom',
      'behaviorType',
      'model',
      'fallbackModel',
      'temperature',
      'references',
      'retention',
    ],
    named: true,
  },
  { model: 'AgentBase', type: 'Agent', id: ['agentId'], on: all, joins: { field: 'bases', column: 'baseId' } },
  { model: 'AgentPlugin', type: 'Agent', id: ['agentId'], on: all, joins: { field: 'plugins', column: 'pluginId' } },
  { model: 'Channel', on: all, values: ['agentId', 'platform', 'origins'], removedAt: 'removedAt', named: true },
  { model: 'Plugin', on: all, values: ['authType'] },
  {
    model: 'Credential',
    id: ['agentId', 'pluginId'],
    on: all,
    values: ['agentId', 'pluginId'],
    omit: ['status', 'failure', 'refreshingUntil'],
  },
  { model: 'Webhook', on: ['insert', 'delete'], values: ['enabled', 'events', 'runsAs'] },
  {
    model: 'Webhook',
    on: ['update'],
    values: ['enabled', 'events', 'disabledReason', 'runsAs'],
    omit: ['failingSince'],
    bySystem: true,
    named: true,
  },
  { model: 'Field', on: all, values: ['active', 'type'], omit: ['nameKey'], named: true },
  { model: 'Base', on: all, omit: ['status', 'records'], named: true },
  { model: 'SavedOperation', on: all, values: ['documentHash', 'cost'], named: true },
  { model: 'Dashboard', on: all, values: ['last', 'timeZone'], named: true },
  deletionOf('Source'),
  deletionOf('Lead'),
  deletionOf('Conversation'),
  deletionOf('Copy'),
  deletionOf('Document'),
  deletionOf('EvaluationCase'),
  deletionOf('EvaluationRun'),
  {
    model: 'Conversation',
    on: ['update'],
    values: ['takenOverBy'],
    marks: { column: 'takenOverBy', actions: ['taken_over', 'handed_back'] },
  },
  { model: 'Message', on: ['insert'], values: ['conversationId'], when: 'NEW."createdBy" IS NOT NULL', onBehalf: true },
  { model: 'EvaluationCase', on: ['insert', 'update'], values: ['agentId'], onBehalf: true, named: true },
  { model: 'EvaluationRun', on: ['insert'], values: ['agentId'], onBehalf: true },
  {
    model: 'Gap',
    on: ['update'],
    values: ['state', 'sourceId'],
    omit: ['marks', 'count', 'firstAskedAt', 'lastAskedAt', 'rank'],
    onBehalf: true,
    named: true,
  },
];

/** Of the recorded values, those that callers or other servers write as they like. */
const textFields = ['origins', 'disabledReason'];

/** Fields whose recorded values are ids, roles, states and numbers, which identify no person. */
export const plainFields: readonly string[] = [
  ...new Set(auditRules.flatMap(({ values = [], joins }) => [...values, ...(joins ? [joins.field] : [])])),
].filter((field) => !textFields.includes(field));

/** The setting of a transaction in which the triggers find who acts. */
export const actorSetting = 'parley.actor';

type Verb = AuditRule['on'][number];
const audited = new Set(auditRules.flatMap(({ model, on }) => on.map((verb) => `${verb} ${model}`)));

/** Whether the log records some of what a verb does to the rows of a model. */
export const isAudited = (verb: Verb, model: string): boolean => audited.has(`${verb} ${model}`);

/** Recognizes statements that start so, name one of the tables of some rules, and go on in this way. */
function writing(verb: string, rules: readonly AuditRule[], rest = ''): RegExp {
  const tables = [...new Set(rules.map(({ model }) => model))].join('|');
  return new RegExp(`\\b${verb}\\s+(?:ONLY\\s+)?(?:"public"\\.)?"(?:${tables})"${rest}`);
}

const always = auditRules.filter(({ onBehalf }) => !onBehalf);
const updateRules = always.filter(({ on }) => on.includes('update'));
const inserts = writing(
  'INSERT\\s+INTO',
  always.filter(({ on }) => on.includes('insert')),
);
// A statement may have several insertions: the clause belongs to the one before it.
const upserts = writing('INSERT\\s+INTO', updateRules, '(?:(?!\\bINSERT\\s+INTO\\b)[^])*?\\bON\\s+CONFLICT\\b');
const updates = writing(
  'UPDATE',
  updateRules.filter(({ marks }) => !marks),
);
const marking = updateRules.flatMap((rule) =>
  rule.marks ? { updates: writing('UPDATE', [rule]), column: `"${rule.marks.column}"` } : [],
);
/** A deletion may delete rows that refer to its own. */
const deletes = writing('DELETE\\s+FROM', always);

/** Whether a statement may write rows that are recorded, whoever acts. */
export const writesAudited = (sql: string): boolean =>
  inserts.test(sql) ||
  updates.test(sql) ||
  deletes.test(sql) ||
  (sql.includes('ON CONFLICT') && upserts.test(sql)) ||
  marking.some(({ updates, column }) => sql.includes(column) && updates.test(sql));

const onBehalf = writing(
  '(?:INSERT\\s+INTO|UPDATE)',
  auditRules.filter((rule) => rule.onBehalf),
);

/** Whether a statement may write rows that are recorded if a minted token acts. */
export const writesOnBehalf = (sql: string): boolean => onBehalf.test(sql);
