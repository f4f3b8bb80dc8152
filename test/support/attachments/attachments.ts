import { beforeAll } from 'vitest';
import { useGateway } from '../gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../gateway/factories.ts';

const bytesOf = (head: string, rest: Buffer) => Buffer.concat([Buffer.from(head, 'latin1'), rest]);
export const png = bytesOf('\x89PNG\r\n\x1a\n', Buffer.from('the rest of a picture'));
export const wav = bytesOf('RIFF\0\0\0\0WAVEfmt ', Buffer.alloc(40, 1));
export const image = { type: 'image', name: 'cat.png', data: png.toString('base64') };
export const file = (text: string) => ({
  type: 'file',
  name: 'page.html',
  mimeType: 'text/html',
  data: Buffer.from(text).toString('base64'),
});
/** Reads the attachments of messages. */
export const readMessages = `query ($id: ID!) { conversation(id: $id) { id messages { nodes { id attachments } } } }`;
export const pathOf = (url: string | undefined) => (url ?? '').replace(/^https?:\/\/[^/]+/, '');
export const textOf = async (response: Response) => Buffer.from(await response.arrayBuffer()).toString('latin1');
export const hour = 3_600_000;

type Shown = { type: string; url: string; mimeType: string | null; name: string | null; size: number };

/** A gateway with a settable clock, and a paused agent: with no model to read them, all attachments are accepted. */
export function useAttachments() {
  const gateway = useGateway();
  const world = { gateway, now: new Date(), home: {} as TestWorkspace, agentId: '' };
  beforeAll(async () => {
    gateway.services.now = () => world.now;
    world.home = await makeWorkspace(gateway);
    world.agentId = await makePaused(world.home);
  });

  async function makePaused({ editor }: TestWorkspace): Promise<string> {
    const { id } = await makeAgent(gateway, editor);
    await gateway.database.agent.updateMany({ where: { id }, data: { status: 'paused', off: 'Closed.' } });
    return id;
  }
  const send = (...attachments: object[]) =>
    gateway.rest(world.home.app, 'POST', `/api/${world.agentId}`, { message: { content: 'Look', attachments } });
  const shownOf = async (conversationId: string): Promise<Shown[]> => {
    const { conversation } = await gateway.data(world.home.viewer, readMessages, { id: conversationId });
    return conversation.messages.nodes[0].attachments;
  };

  return {
    world,
    makePaused,
    send,
    shownOf,
    async keep(...attachments: object[]) {
      const { body } = await send(...attachments);
      return { conversationId: body.id as string, shown: await shownOf(body.id) };
    },
    get: (url: string | undefined, headers: Record<string, string> = {}, method = 'GET') =>
      gateway.app.request(pathOf(url), { method, headers }),
    files: (workspaceId = world.home.id) => gateway.database.storedFile.findMany({ where: { workspaceId } }),
    later(ms: number) {
      world.now = new Date(world.now.getTime() + ms);
    },
  };
}
