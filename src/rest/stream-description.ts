/** The OpenAPI description of a streamed turn. */
export const streamProse = `The same turn as server-sent events, if \`Accept\` prefers \`text/event-stream\`: the UI message stream of
the AI SDK (\`x-vercel-ai-ui-message-stream: v1\`), which its chat front ends can read.

- \`start\` has the ID of the reply and, in \`messageMetadata\`, the ID of the conversation. \`text-start\`, \`text-delta\` and
  \`text-end\` carry the content. \`tool-input-available\` is a call of one of the caller's tools or, with
  \`providerExecuted\`, a call that the server makes, followed by its \`tool-output-available\`. \`finish\` has the metadata
  of the reply.
- \`data-turn\` is the last event. Its \`data\` is the body of the JSON response. The stored reply is authoritative.
- \`error\` is the last event of a turn that fails after its reply has started. It has \`errorText\`, and \`message\`, \`code\`
  and \`issues\` as in every error. A failure before that is a normal error response with its status and a JSON body.
- Every event has an ID. A dropped stream resumes after \`Last-Event-ID\` when the same request is sent again, to any
  replica. A retry with the same \`Idempotency-Key\` joins the turn from its start. Neither calls the model again or
  counts a second interaction.
- Comments keep an idle connection open. \`[DONE]\` ends the stream. Disconnecting does not stop the turn; the GraphQL
  mutation \`stopTurn\` does.`;

export const streamExample = `data: {"type":"start","messageId":"msg_01m7yqq0fjw4yfcp2x6w1nq9ts","messageMetadata":{"conversationId":"cnv_01m7yqq0b5yxgpe6b6f7rqyh39"}}
id: msg_01m7yqq0fjw4yfcp2x6w1nq9ts.0

data: {"type":"start-step"}
id: msg_01m7yqq0fjw4yfcp2x6w1nq9ts.1

data: {"type":"text-start","id":"0"}
id: msg_01m7yqq0fjw4yfcp2x6w1nq9ts.2

data: {"type":"text-delta","id":"0","delta":"We open"}
id: msg_01m7yqq0fjw4yfcp2x6w1nq9ts.3

data: {"type":"text-delta","id":"0","delta":" at nine."}
id: msg_01m7yqq0fjw4yfcp2x6w1nq9ts.4

: ping

data: {"type":"text-end","id":"0"}
id: msg_01m7yqq0fjw4yfcp2x6w1nq9ts.5

data: {"type":"finish","finishReason":"stop","messageMetadata":{"model":"embedded"}}
id: msg_01m7yqq0fjw4yfcp2x6w1nq9ts.6

data: {"type":"data-turn","data":{"id":"cnv_01m7yqq0b5yxgpe6b6f7rqyh39","messages":[{"id":"msg_01m7yqq0fjw4yfcp2x6w1nq9ts","role":"assistant","content":"We open at nine.","…":"…"}],"status":"active","lead":null}}
id: msg_01m7yqq0fjw4yfcp2x6w1nq9ts.7

data: [DONE]

`;
