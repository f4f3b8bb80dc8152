/** The OpenAPI description of the tests' orders API. */
export const describeApi = (base: string, more: object = {}) => ({
  openapi: '3.1.0',
  info: { title: 'Orders', version: '1.2.0', description: 'Orders of the shop.' },
  servers: [{ url: base }],
  paths: {
    '/orders': {
      get: {
        operationId: 'list_orders',
        summary: 'List the orders',
        parameters: [
          {
            name: 'state',
            in: 'query',
            schema: { type: 'array', items: { enum: ['open', 'shipped'] } },
            explode: false,
          },
          {
            name: 'placed',
            in: 'query',
            style: 'deepObject',
            schema: { type: 'object', properties: { after: { type: 'string' } } },
          },
        ],
        responses: {},
      },
      post: {
        operationId: 'create_order',
        summary: 'Create an order',
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/NewOrder' } } },
        },
        responses: {},
      },
    },
    '/orders/{id}': {
      parameters: [
        { name: 'id', in: 'path', required: true, schema: { type: 'string' }, description: 'The number of the order.' },
      ],
      get: { operationId: 'get_order', summary: 'Get an order', responses: {} },
    },
  },
  components: {
    schemas: {
      NewOrder: {
        type: 'object',
        required: ['item', 'quantity'],
        properties: { item: { type: 'string' }, quantity: { type: 'integer', minimum: 1 } },
        additionalProperties: false,
      },
    },
    ...more,
  },
});

/** The manifest of that API, with OAuth. */
export const manifestOf = (base: string) => ({
  schema_version: 'v1',
  name_for_human: 'Orders',
  name_for_model: 'orders',
  description_for_human: 'Look up your orders.',
  description_for_model: 'Reads and creates orders of the shop.',
  auth: {
    type: 'oauth',
    client_url: `${base}/authorize`,
    authorization_url: `${base}/token`,
    authorization_content_type: 'application/x-www-form-urlencoded',
    scope: 'orders',
    verification_tokens: {},
  },
  api: { type: 'openapi', url: '/openapi.json' },
  logo_url: `${base}/logo.png`,
  contact_email: 'orders@example.com',
  legal_info_url: `${base}/legal`,
});
