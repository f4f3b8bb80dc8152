/** The roles in which bearers use GraphQL and REST. */
export type BearerRole = 'owner' | 'admin' | 'editor' | 'viewer' | 'app' | 'invited';

/** A `visitor` chats through a widget and is known only to the widget's endpoints. */
export type Role = BearerRole | 'visitor';

/**
 * The origin of a bearer, which shows whether a person stands behind it: `person`, a token of the identity provider, or
 * one that the operator created for a named person; `operator`, one that the operator created without naming a person,
 * including the demo page's; `minted`, created by POST /apps/auth; `secret`, an app's secret; `invitation`, the secret
 * of an invitation's link; `key`, a key that a member created; `visitor`, the widget's.
 */
export type Credential = 'person' | 'operator' | 'minted' | 'secret' | 'invitation' | 'key' | 'visitor';

/**
 * The authenticated caller, and the workspace that it acts in. An app with its secret has no user and the role `app`. A
 * person who has only invitations to answer has the role `invited`, which has no permission, and an empty
 * `workspaceId`.
 */
export type Viewer = {
  workspaceId: string;
  role: Role;
  credential: Credential;
  userId: string | null;
  membershipId: string | null;
  appId: string | null;
  /** For a minted token: the app or member that created it, who acts with it for the user. */
  maker?: MakerOfToken;
  /** For an app's secret, and a token that it got: the version of the secret. */
  secretVersion?: string;
  /** Which invitations the bearer may answer: those to a verified email, or the one that the link belongs to. */
  invitee?: { email: string } | { linkHash: string; workspaceId: string };
  /** For a key: its id and the restrictions on its maker's permissions and rows. */
  key?: KeyOfViewer;
  /** The limits per minute that the workspace's owner has set, if any. */
  budgets?: Budgets;
  /**
   * Charges the cost of an operation to the viewer's budgets, once per request, and resolves with what is left of the
   * tightest; null if costs are not limited. Throws 429 `rate_limited`. Missing if nothing is limited.
   */
  spend?: (cost: number) => Promise<RemainingCost | null>;
  /** For a visitor: it may use only its own conversations in this channel. */
  visitor?: WidgetVisitor;
};

/**
 * `userId`: who the visitor is on the site, as the site has signed. `stated`: validated values of their lead that are
 * in no message, by the fields' names.
 */
export type WidgetVisitor = {
  id: string;
  channelId: string;
  userId?: string;
  stated?: { field: string; fieldId?: string; value: unknown }[];
};

/** Who created a token by POST /apps/auth: the id is the app's or the user's, null if it is unknown. */
export type MakerOfToken = { kind: 'app' | 'member'; id: string | null };

/** A key's restrictions: its scopes are permissions, and each non-empty list of ids limits it to rows of those. */
export type KeyOfViewer = {
  id: string;
  scopes: readonly string[];
  agentIds: readonly string[];
  baseIds: readonly string[];
  /** The names of the saved operations that it may run, and nothing else; empty if it is not limited to any. */
  operations: readonly string[];
  /** The dashboard that it shows, and nothing else; null if it is not limited to one. */
  dashboardId: string | null;
  /** Requests per minute; null means no limit. */
  ratePerMinute: number | null;
  /** Cost of operations per minute; null means no limit. */
  costPerMinute: number | null;
};

/**
 * What is left of a cost budget until `resetsAt`, in milliseconds since 1970. `name` is its name in headers, `limit`
 * the cost per minute.
 */
export type RemainingCost = { name: string; limit: number; remaining: number; resetsAt: number };

/** Requests and cost per minute: of a whole workspace, and of each bearer other than a key. Null means no limit. */
export type Budgets = {
  requestsPerMinute: number | null;
  costPerMinute: number | null;
  tokenRequestsPerMinute: number | null;
  tokenCostPerMinute: number | null;
};

/**
 * Returns the id for `createdBy` and `updatedBy`: the user's, or the key's or app's if no user stands behind the
 * request.
 */
export function actorOf(viewer: Viewer): string {
  return viewer.userId ?? viewer.key?.id ?? viewer.appId ?? viewer.workspaceId;
}
