import { access } from '../../src/core/permissions.ts';
import { type AvailableModel, listModels } from '../../src/domain/agents/models.ts';
import { builder } from '../builder.ts';

const ModelPrice = builder.objectRef<NonNullable<AvailableModel['price']>>('ModelPrice').implement({
  description: 'What a million tokens of a model cost, in US dollars.',
  fields: (t) => ({
    input: t.exposeFloat('input', { description: 'Tokens that it reads.' }),
    cached: t.exposeFloat('cached', { description: 'Tokens that it reads and had cached.' }),
    output: t.exposeFloat('output', { description: 'Tokens that it writes.' }),
  }),
});

const Model = builder.objectRef<AvailableModel>('Model').implement({
  description: 'A model that an agent may choose. The operator configures which there are.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name by which an agent chooses it.' }),
    provider: t.exposeString('provider', {
      description: 'How it is asked: openai (any compatible endpoint), anthropic, google or embedded.',
    }),
    model: t.exposeString('model', { description: 'What its provider calls it.' }),
    isDefault: t.exposeBoolean('isDefault', { description: 'Whether it answers for agents that choose none.' }),
    contextTokens: t.exposeInt('contextTokens', {
      nullable: true,
      description: 'How many tokens it takes at once; null when the operator did not say.',
    }),
    images: t.exposeBoolean('images', { description: 'Whether it is shown images that are attached to messages.' }),
    audio: t.exposeBoolean('audio', {
      description: 'Whether it hears recordings; where a model for transcription is configured, that one hears them.',
    }),
    price: t.expose('price', { type: ModelPrice, nullable: true, description: 'Its price, when one is configured.' }),
    restsFor: t.exposeInt('restsFor', {
      description:
        'For how many seconds this process asks it nothing, since it failed several times in a row; 0 when it does.',
    }),
  }),
});

builder.queryField('models', (t) =>
  t.field({
    type: [Model],
    nullable: true,
    description: 'The models that agents may choose, the default first.',
    extensions: access('agents.read'),
    resolve: (_root, _args, context) => listModels(context),
  }),
);
