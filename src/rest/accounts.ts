import { z } from 'zod';
import {
  AuthenticateAppDocument,
  CreateAppDocument,
  ListAppsDocument,
  ListMembershipsDocument,
  ListSubscriptionsDocument,
  ReadRoleDocument,
  ReadTermsDocument,
} from './generated/graphql.ts';
import { search } from './paging.ts';
import { app, appInput, authentication, token } from './records/apps.ts';
import { idOf } from './records/common.ts';
import { membership, roleRecord } from './records/memberships.ts';
import { subscription } from './records/subscriptions.ts';
import { type Route, route } from './route.ts';

/** The operations of the accounts host. */
export const accountRoutes: Route[] = [
  route({
    id: 'listApps',
    method: 'get',
    path: '/rest/apps',
    tag: 'Accounts',
    summary: 'List apps',
    description: 'All apps of the workspace, newest first.',
    document: ListAppsDocument,
    response: z.array(app),
    variables: () => ({}),
    project: { rows: ['apps'] },
  }),
  route({
    id: 'createApp',
    method: 'post',
    path: '/rest/apps',
    tag: 'Accounts',
    summary: 'Create an app',
    description: 'Registers an app under the given ID and generates its secret, which is a bearer token.',
    version: ['createApp', 'version'],
    document: CreateAppDocument,
    body: appInput,
    response: app,
    errors: ['conflict'],
    variables: ({ body }) => ({ input: body }),
    project: { row: ['createApp', 'app'] },
  }),
  route({
    id: 'authenticateApp',
    method: 'post',
    path: '/rest/apps/auth',
    tag: 'Accounts',
    summary: 'Obtain a token',
    description:
      "Issues an access token for a member of the workspace, with at most the member's role. An owner or admin can grant at most their own role. An app can grant the role recorded for the member in the app, or else the highest role named in its `roles`, or else `editor`. The token cannot be used to issue other tokens.",
    document: AuthenticateAppDocument,
    body: authentication,
    response: token,
    variables: ({ body }) => ({ input: body }),
    project: { row: ['authenticateApp'] },
  }),
  route({
    id: 'readRole',
    method: 'get',
    path: '/rest/roles/{membershipId}/{appId}',
    tag: 'Accounts',
    summary: 'Get the role of a member in an app',
    description: "A member's role in an app. `null` if none is recorded for this pair.",
    document: ReadRoleDocument,
    params: z.object({
      membershipId: idOf('membership', 'mem'),
      appId: z.string().meta({ description: 'ID of the app.', examples: ['portal'] }),
    }),
    response: roleRecord.nullable(),
    variables: ({ params }) => params,
    project: { row: ['role'] },
  }),
  route({
    id: 'listSubscriptions',
    method: 'get',
    path: '/rest/subscriptions',
    tag: 'Accounts',
    summary: 'List subscriptions',
    description: 'All subscriptions of the workspace, newest first.',
    document: ListSubscriptionsDocument,
    response: z.array(subscription),
    variables: () => ({}),
    project: { rows: ['subscriptions'] },
  }),
  route({
    id: 'listMemberships',
    method: 'get',
    path: '/rest/memberships',
    tag: 'Accounts',
    summary: 'List members',
    description: 'All members (users) of the workspace, newest first.',
    document: ListMembershipsDocument,
    query: z.object({ search: search('the name and the email of the person') }),
    response: z.array(membership),
    variables: ({ query }) => ({ search: query.search || null }),
    project: { rows: ['memberships'], envelope: { type: 'membership' } },
  }),
  route({
    id: 'readTerms',
    method: 'get',
    path: '/rest/terms',
    tag: 'Accounts',
    summary: 'Check acceptance of the terms',
    description:
      'Whether the person making the request has accepted the current version of the terms. Returns a bare `true` or `false`.',
    document: ReadTermsDocument,
    forEveryone: true,
    response: z.boolean(),
    variables: () => ({}),
    project: { row: ['termsAccepted'] },
  }),
];
