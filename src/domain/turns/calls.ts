import type { ToolCall } from '../../model/service.ts';
import type { NewMessage } from './store.ts';

/** The plugin calls of one attempt at a turn. */
export type CallLog = {
  /** Records a call before it is made. Returns a function that records its output. */
  begin(call: ToolCall): (output: string) => void;
  /** All calls as messages, each followed by its result: what a failed attempt leaves in the conversation. */
  messages(): NewMessage[];
};

const unanswered = 'The turn ended before the tool responded: whether the call succeeded is not known.';

/** Creates an empty log. A call whose output is never recorded counts as unanswered. */
export function createCallLog(): CallLog {
  const calls: { call: ToolCall; output: string }[] = [];
  return {
    begin(call) {
      const noted = { call, output: unanswered };
      calls.push(noted);
      return (output) => {
        noted.output = output;
      };
    },
    messages: () =>
      calls.flatMap(({ call, output }): NewMessage[] => [
        { role: 'assistant', content: null, toolCalls: [call] },
        { role: 'tool', name: call.name, toolCallId: call.id, content: output },
      ]),
  };
}
