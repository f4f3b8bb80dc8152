import { type Gateway, openGateway } from '../gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../gateway/factories.ts';
import { createScriptedModel } from '../model/scripted-model.ts';

export const shop = 'https://shop.example';
export type Widget = { channelId: string; agentId: string; token: string };
type Given = { origins?: string[]; agent?: object; publish?: boolean };
type Calling = {
  origin?: string | null;
  bearer?: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** The address of the connection. */
  peer?: string;
  /** A replica other than the first. */
  app?: Gateway['app'];
};
export type Entered = { token: string; secret: string; agent: object; conversation: { id: string } | null };

/**
 * A gateway with a scripted model, a workspace, and helpers to create and call widgets. `readsFiles`: whether the model
 * accepts attachments.
 */
export async function openWidgets(env: Record<string, string> = {}, { readsFiles = false } = {}) {
  const template = await openGateway();
  const scripted = createScriptedModel(template.services.model);
  const gateway = await openGateway(
    { LOG_LEVEL: process.env.LOGS ?? 'silent', ...env },
    { model: { ...scripted.service, ...(readsFiles && { reads: () => true }) } },
    template.handle,
  );
  const home = await makeWorkspace(gateway);

  async function make({ origins = [shop], agent = {}, publish = true }: Given = {}, at: TestWorkspace = home) {
    const { id: agentId } = await makeAgent(gateway, at.editor, agent);
    if (publish) await gateway.data(at.editor, mutation('publishAgent', 'agent { id }'), { input: { id: agentId } });
    const input = { agentId, platform: 'widget', origins };
    const document = mutation('createChannel', 'channel { id publishableToken }');
    const { channel } = (await gateway.data(at.editor, document, { input })).createChannel;
    return { channelId: channel.id, agentId, token: channel.publishableToken } as Widget;
  }
  /** A request as the browser of a page sends it. */
  function call(method: string, path: string, { origin = shop, bearer, body, headers, ...from }: Calling = {}) {
    const all = {
      ...(origin && { origin }),
      ...(bearer && { authorization: `Bearer ${bearer}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    };
    const request = { method, headers: all, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const incoming = { headers: Object.fromEntries(new Headers(all)), socket: { remoteAddress: from.peer } };
    return (from.app ?? gateway.app).request(path, request, { incoming });
  }
  const enter = async (widget: Widget, secret?: string) =>
    (await (await call('POST', '/widget/session', { body: { channel: widget.token, secret } })).json()) as Entered;
  const ask = (bearer: string, body: object, headers: Record<string, string> = {}) =>
    call('POST', '/widget/messages', { bearer, body, headers });
  return { gateway, scripted, home, make, call, enter, ask };
}

/** A mutation with one input: `mutation('publishAgent', 'agent { id }')`. */
export const mutation = (name: string, answer: string): string =>
  `mutation ($input: ${name[0]?.toUpperCase()}${name.slice(1)}Input!) { ${name}(input: $input) { ${answer} } }`;
