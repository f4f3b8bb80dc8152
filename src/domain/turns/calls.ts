import type { ToolCall } from '../../model/service.ts';
import type { NewMessage } from './store.ts';

/** The calls of plugins that one try of a turn makes. */
export type CallLog = {
  /** Notes a call before it is made. Answers how to note what came of it. */
  begin(call: ToolCall): (output: string) => void;
  /** All of them as messages, each with its result: what a try that fails leaves in the conversation. */
  messages(): NewMessage[];
};

const unanswered = 'The turn ended before the tool had answered: whether it was done is not known.';

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
