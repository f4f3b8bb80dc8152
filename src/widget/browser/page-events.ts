type Events = {
  'parley:open': object;
  'parley:close': object;
  /** A message of the visitor was sent, or one of the agent or a person has arrived. */
  'parley:message': { role: 'user' | 'assistant'; id: string };
  /** One of the agent or a person has arrived. */
  'parley:reply': { id: string };
  /** The visitor has answered the form. */
  'parley:lead': object;
};
export type Announce = <Name extends keyof Events>(name: Name, detail: Events[Name]) => void;

/** Reports what happens in a widget to the page, as events of its document: never what is written. */
export const announce =
  (channel: string): Announce =>
  (name, detail) =>
    void document.dispatchEvent(new CustomEvent(name, { detail: { channel, ...detail } }));
