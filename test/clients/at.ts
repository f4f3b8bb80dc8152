/** Where the gateway is, and as whom to ask it. */
export type At = { url: string; bearer: string; agentId: string };

/** What each program sees of the gateway. */
export type Seen = {
  agents: string[];
  lead: [name: string | null, email: string | null];
  base: string;
  reply: [role: string, content: string];
  refused: [status: number, code: string, issue: string];
};
