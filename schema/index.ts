import './accounts.ts';
import './agents.ts';
import './channels.ts';
import './conversations.ts';
import './knowledge-bases.ts';
import './leads.ts';
import './plugins.ts';
import { builder } from './builder.ts';

/** The graph. */
export const schema = builder.toSchema();
