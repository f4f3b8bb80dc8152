import type { CodegenConfig } from '@graphql-codegen/cli';

/** Typed documents of one surface. */
const documentsOf = (room: string): CodegenConfig['generates'][string] => ({
  documents: `${room}/documents/*.graphql`,
  preset: 'client',
  presetConfig: { fragmentMasking: false },
  config: {
    useTypeImports: true,
    enumsAsTypes: true,
    importExtension: '.ts',
    emitLegacyCommonJSImports: false,
    scalars: {
      DateTime: { input: 'string', output: 'string' },
      EmailAddress: 'string',
      HexColorCode: 'string',
      JSON: 'unknown',
      JSONObject: { input: 'Record<string, unknown>', output: 'Record<string, unknown>' },
      NonNegativeInt: 'number',
      URL: 'string',
    },
  },
});

/** Types the GraphQL documents that surfaces run, against the printed schema. */
const config: CodegenConfig = {
  schema: 'schema/schema.graphql',
  generates: {
    'src/rest/generated/': documentsOf('src/rest'),
    'src/openai/generated/': documentsOf('src/openai'),
    'src/mcp/generated/': documentsOf('src/mcp'),
  },
};

export default config;
