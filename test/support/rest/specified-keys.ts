import { expect } from 'vitest';

/** The keys in the specification's tables, to detect keys that the schemas lack or add. */
const keys = {
  page: 'data meta',
  meta: 'total page size first last next previous',
  agent:
    'id name workspaceId createdBy updatedBy description avatar welcome instructions off color references purpose freedom ' +
    'behavior_type status left createdAt updatedAt',
  conversation:
    'id title agentId channelId workspaceId platform context platformUserIdentifier leadId stage preview summary status lead ' +
    'createdAt updatedAt',
  message:
    'id conversationId role usage name content toolCallId toolCalls feedback metadata attachments createdAt updatedAt',
  lead: 'id workspaceId agentId name email phone company site custom utm capture createdAt updatedAt',
  field: 'id name description workspaceId createdBy updatedBy active fixed type options createdAt updatedAt',
  updatedField: 'id name description workspaceId createdBy updatedBy active type options createdAt updatedAt',
  channel: 'id agentId credentials platform workspaceId createdBy updatedBy createdAt updatedAt',
  plugin:
    'schemaVersion nameForHuman nameForModel descriptionForHuman descriptionForModel auth api logoUrl contactEmail ' +
    'legalInfoUrl id url settingsUrl oauthClientId oauthClientSecret disclaimer createdAt updatedAt',
  settings: 'merge workspaceId createdAt updatedAt',
  usage: 'month current max subscriptionId',
  base: 'id description status records workspaceId createdBy updatedBy createdAt updatedAt',
  baseDetail: 'id status description sources',
  source: 'id baseId type file status',
  file: 'url data title img description size key ext',
  app: 'id name color redirectUris roles internal secret',
  role: 'membershipId appId role createdBy updatedBy createdAt updatedAt',
  membership: 'id workspaceId userId role user',
  user: 'id name email phone picture createdAt updatedAt',
  subscription: 'id status appId priceId workspaceId coupon source createdAt updatedAt',
  copy: 'copyId completionId promptId content workspaceId createdAt updatedAt',
  document: 'id name stats link kbs content workspaceId createdAt updatedAt',
};

/** Expects a value to have exactly the keys of a resource. */
export function expectKeys(value: object | undefined, name: keyof typeof keys): void {
  expect(Object.keys(value ?? {}).toSorted()).toEqual(keys[name].split(' ').toSorted());
}
