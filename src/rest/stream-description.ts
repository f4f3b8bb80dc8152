/** The OpenAPI description of a streamed turn. */
export const streamProse = `The same turn as server-sent events, when \`Accept\` prefers \`text/event-stream\`: the UI message
stream of the AI SDK (\`x-vercel-ai-ui-message-stream: v1\`), so that its chat front ends read it.

- \`start\` has the id of the reply and, in \`messageMetadata\`, that of the conversation; \`text-start\`, \`text-delta\` and
  \`text-end\` carry the content, \`tool-input-available\` a call of one of the caller's tools, or with \`providerExecuted\` one
  that the server makes, followed by its \`tool-output-available\`; \`finish\` has the reply's metadata.
- \`data-turn\` is the last event: its \`data\` is the body that the JSON answer has. The stored reply is the one that counts.
- \`error\` is the last event of a turn that fails after its reply has begun: \`errorText\`, and \`message\`, \`code\` and
  \`issues\` as every failure has them. What fails before is answered by its status and a JSON body.
- Each event has an id. A dropped stream goes on behind \`Last-Event-ID\` when the same request is sent again, on any
  replica; a repetition with the same \`Idempotency-Key\` joins the turn from its start. Neither asks or counts twice.
- Comments keep a silent connection open. \`[DONE]\` ends the stream. Leaving does not stop the turn; \`stopTurn\` of the
  graph does.`;

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
