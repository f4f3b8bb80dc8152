import type { CodegenConfig } from '@graphql-codegen/cli';

/** Types the GraphQL documents that the REST layer runs, against the printed schema. */
const config: CodegenConfig = {
  schema: 'schema/schema.graphql',
  documents: 'src/rest/documents/*.graphql',
  generates: {
    'src/rest/generated/': {
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
    },
  },
};

export default config;
