export default {
  parley: {
    input: '../openapi.json',
    output: { target: './client.ts', client: 'fetch', baseUrl: { getBaseUrlFromSpecification: true } },
  },
};
