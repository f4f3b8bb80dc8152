type Platform = 'api' | 'widget' | 'whatsapp' | 'instagram' | 'email';
/** The agents by their role in the dialogues, each with the channels that its visitors use. */
export type Cast = Record<
  'guide' | 'support' | 'trips' | 'handbook',
  { id: string; channels: { id: string; platform: Platform }[] }
>;

/**
 * A demo agent's reply. It cites `quote`, which must occur verbatim in one of its passages, as [1]; `gap`
 * marks a question that its knowledge does not answer.
 */
export type DialogueReply = string | { text: string; quote: string } | { text: string; gap: true };
/** The visitor starts, then both alternate. `{name}` and `{email}` are the visitor's. */
export type Dialogue = {
  agent: keyof Cast;
  turns: [asked: string, said: DialogueReply][];
  lead?: boolean;
  /** The conversation waits for a human; `person` replies in it. */
  waits?: boolean;
  person?: string;
  /** The relative frequency; default 3, or 1 if it contains a gap. */
  weight?: number;
};
