import type { Chat } from './chat.ts';
import type { State } from './state.ts';
import type { Texts } from './texts/texts.ts';
import type { Times } from './times.ts';

/** What the components of a widget show: its state, in the texts and times of a language. */
export type Properties = { state: State; chat: Chat; texts: Texts; times: Times };
