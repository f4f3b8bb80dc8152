import { access } from '../../src/core/permissions.ts';
import { type AvailableModel, listModels } from '../../src/domain/agents/agents.ts';
import { builder } from '../builder.ts';

const ModelPrice = builder.objectRef<NonNullable<AvailableModel['price']>>('ModelPrice').implement({
  description: 'The price of a million tokens, in US dollars.',
  fields: (t) => ({
    input: t.exposeFloat('input', { description: 'The price of input tokens.' }),
    cached: t.exposeFloat('cached', { description: 'The price of cached input tokens.' }),
    output: t.exposeFloat('output', { description: 'The price of output tokens.' }),
  }),
});

const Model = builder.objectRef<AvailableModel>('Model').implement({
  description: 'A model that an agent can use, as configured by the operator.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name by which an agent selects the model.' }),
    provider: t.exposeString('provider', {
      description: 'The API of the model: openai (any compatible endpoint), anthropic, google or embedded.',
    }),
    model: t.exposeString('model', { description: "The provider's name for the model." }),
    isDefault: t.exposeBoolean('isDefault', { description: 'Whether agents that select no model use this one.' }),
    contextTokens: t.exposeInt('contextTokens', {
      nullable: true,
      description: 'The size of the context window, in tokens; `null` if the operator did not configure it.',
    }),
    images: t.exposeBoolean('images', { description: 'Whether the model receives images attached to messages.' }),
    audio: t.exposeBoolean('audio', {
      description:
        'Whether the model receives audio recordings. If a transcription model is configured, that model ' +
        'receives them instead.',
    }),
    price: t.expose('price', {
      type: ModelPrice,
      nullable: true,
      description: 'The price of the model; `null` if none is configured.',
    }),
    restsFor: t.exposeInt('restsFor', {
      description:
        'The number of seconds for which this process will not call the model, after several failures in a row; ' +
        '0 if it is available.',
    }),
  }),
});

builder.queryField('models', (t) =>
  t.field({
    type: [Model],
    nullable: true,
    description: 'A list of the models that agents can use, the default model first.',
    extensions: access('agents.read'),
    resolve: (_root, _args, context) => listModels(context),
  }),
);
