/** In which roles bearers act on the graph and REST. */
export type BearerRole = 'owner' | 'admin' | 'editor' | 'viewer' | 'app' | 'invited';

/** A visitor speaks through a widget, whose endpoints alone know it. */
export type Role = BearerRole | 'visitor';

/**
 * How a bearer came to be, since a role alone does not tell whether the person stands behind it: `person`, a token of the
 * outside issuer or one that the operator made for a person by name; `operator`, one that the operator made without naming
 * a person, the demo page's included; `minted`, one that POST /apps/auth made; `secret`, that of an app; `invitation`, that
 * of an invitation's link; `key`, a key that a member made; `visitor`, the widget's.
 */
export type Credential = 'person' | 'operator' | 'minted' | 'secret' | 'invitation' | 'key' | 'visitor';

/**
 * Who asks, and in which workspace. An app that authenticates with its secret has no user and the role `app`. Whoever has
 * only invitations to answer has the role `invited`, which has no permission, and an empty `workspaceId`.
 */
export type Viewer = {
  workspaceId: string;
  role: Role;
  credential: Credential;
  userId: string | null;
  membershipId: string | null;
  appId: string | null;
  /** Of an app's secret: which one of the app's it is. */
  secretVersion?: string;
  /** Whose invitations the bearer may answer: those to an email that is proven to be theirs, or the one whose link it is. */
  invitee?: { email: string } | { linkHash: string };
  /** Of a key: which one it is, and what of its maker's permissions and rows it has. */
  key?: KeyOfViewer;
  /** What its workspace's owner lets be used in a minute, where that is limited. */
  budgets?: Budgets;
  /**
   * Takes what an operation costs from what may be used, once for a request, and answers what is left of the least; null where
   * costs have no limit. Throws 429 `rate_limited`. Left out: nothing has a limit.
   */
  spend?: (cost: number) => Promise<CostLeft | null>;
  /** Of a visitor: the only conversations that it speaks in are its own ones of this channel. */
  visitor?: { id: string; channelId: string };
};

/** What a key may do: its scopes are permissions, and each list of ids limits it to rows of those, unless it is empty. */
export type KeyOfViewer = {
  id: string;
  scopes: readonly string[];
  agentIds: readonly string[];
  baseIds: readonly string[];
  /** The requests that it may make in a minute; null: any number. */
  ratePerMinute: number | null;
  /** What its operations may cost in a minute; null: any number. */
  costPerMinute: number | null;
};

/** What operations may cost until a moment, in milliseconds since 1970. */
export type CostLeft = { remaining: number; resetsAt: number };

/** Requests, and what operations cost, in a minute: of a whole workspace, and of each bearer that is no key. Null: any number. */
export type Budgets = {
  requestsPerMinute: number | null;
  costPerMinute: number | null;
  tokenRequestsPerMinute: number | null;
  tokenCostPerMinute: number | null;
};

/** The id that `createdBy` and `updatedBy` record: the user's, or that of the key or app when no user stands behind the request. */
export function actorOf(viewer: Viewer): string {
  return viewer.userId ?? viewer.key?.id ?? viewer.appId ?? viewer.workspaceId;
}
