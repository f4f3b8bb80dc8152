import type { GraphQLObjectType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { schema } from '../../schema/index.ts';

/** Mutations that do more than write a row, or write no row, and why. */
const noRow: Record<string, string[]> = {
  'does its work in the background': [
    'addSource',
    'answerGap',
    'createBase',
    'erasePerson',
    'evaluateAgent',
    'reindexBase',
    'reindexSource',
    'retrySource',
    'updateBase',
    'updateSource',
  ],
  'asks a model, or has a part in a turn': ['generateCopy', 'sendAsPerson', 'sendMessage', 'stopTurn'],
  'asks another server': ['importPlugin', 'refreshPlugin', 'testWebhook'],
  'makes a token or an address': ['authenticateApp', 'authorizePlugin'],
  'writes several rows': [
    'acceptInvitation',
    'createEvaluationCases',
    'declineInvitation',
    'deleteSource',
    'inviteMember',
  ],
};

/** Mutations of a row that the resolvers answer, and why. */
const byResolvers: Record<string, string[]> = {
  'counts rows, of which there is a maximum, under a lock': [
    'createDashboard',
    'createEvaluationCase',
    'createKey',
    'createOperation',
    'createWebhook',
  ],
  'checks documents of GraphQL': ['updateDashboard', 'updateOperation'],
  'returns what is not in the row': ['acceptTerms', 'deleteCredential', 'renewInvitationLink', 'rotateIdentitySecret'],
  'writes what depends on other values of the row': ['replayWebhookDelivery', 'scheduleSource', 'updateProfile'],
};

const fields = Object.values((schema.getMutationType() as GraphQLObjectType).getFields());
const compiled = fields.filter(({ extensions }) => extensions.parleyWrite).map(({ name }) => name);
const namedIn = (reasons: Record<string, string[]>) => Object.values(reasons).flat();

describe('mutations of a row', () => {
  test('are compiled, or named here with the reason why not', () => {
    const all = [...compiled, ...namedIn(noRow), ...namedIn(byResolvers)];
    expect(all.toSorted()).toEqual(fields.map(({ name }) => name).toSorted());
  });

  test('are compiled for the most part: four fifths', () => {
    expect(compiled.length / (compiled.length + namedIn(byResolvers).length)).toBeGreaterThanOrEqual(0.8);
  });
});
