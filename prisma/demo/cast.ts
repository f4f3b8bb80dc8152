type Platform = 'api' | 'widget' | 'whatsapp' | 'instagram' | 'email';
/** The agents by their role in the dialogues, each with the channels that its visitors use. */
export type Cast = Record<
  'guide' | 'support' | 'trips' | 'handbook',
  { id: string; channels: { id: string; platform: Platform }[] }
>;
