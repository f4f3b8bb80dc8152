import { describe, expect, test } from 'vitest';
import { argumentIssues } from '../../src/plugins/call-operation.ts';
import { body, only, query } from '../support/plugins/descriptions.ts';

describe('a schema', () => {
  test.each<[string, object, object]>([
    ['of no known type', { type: 'any' }, {}],
    ['of a file', { type: 'file' }, {}],
    ['of a type by another name', { type: 'Int' }, { type: 'integer' }],
    ['of several types', { type: ['string', 'null'] }, { type: ['string', 'null'] }],
    ['that is nullable, in 3.1 too', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
    ['of a list of anything', { type: 'array' }, { type: 'array', items: {} }],
    ['with bounds as text', { type: 'integer', minimum: '1', maximum: '' }, { type: 'integer', minimum: 1 }],
    ['with a bound of version 4', { type: 'number', exclusiveMinimum: true }, { type: 'number' }],
    ['whose values are not a list', { type: 'string', enum: 'a,b' }, { type: 'string' }],
    [
      'of texts that YAML read as numbers',
      { type: 'string', enum: [1, true] },
      { type: 'string', enum: ['1', 'true'] },
    ],
    ['of numbers as text', { type: 'integer', enum: ['1', '2'] }, { type: 'integer', enum: [1, 2] }],
    ['with a value twice', { enum: ['a', 'a'] }, { enum: ['a'] }],
    ['that says required of itself', { type: 'string', required: true }, { type: 'string' }],
    ['without alternatives', { type: 'string', anyOf: [], allOf: null }, { type: 'string' }],
    [
      'with words of Swagger',
      { type: 'string', collectionFormat: 'csv', allowEmptyValue: true, xml: {} },
      { type: 'string' },
    ],
    ['with an expression that is too long', { pattern: `^(${'a|'.repeat(600)}b)$`, format: 'x'.repeat(1_001) }, {}],
    ['with a text that is too long', { title: 'ab '.repeat(500) }, { title: 'ab '.repeat(333).trim() }],
    ['with examples', { type: 'string', example: 'a', examples: ['b'], 'x-more': 1 }, { type: 'string' }],
  ])('%s', (_, schema, shown) => {
    expect(only(query(schema)).arguments.properties).toEqual({ q: shown });
  });

  test('of very many values is shown a few, and takes all', () => {
    const values = Array.from({ length: 600 }, (_, index) => `Zone/${index}`);
    const { arguments: schema } = only(query({ type: 'string', enum: values, description: 'A zone.' }));
    const description = 'A zone.\nOne of 600 values, such as Zone/0, Zone/1, Zone/2';
    expect(schema.properties).toEqual({ q: { type: 'string', description } });
    expect(argumentIssues(schema, { q: 'Zone/599' })).toBeNull();
  });

  test('may require what it does not describe', () => {
    const { arguments: schema } = only(
      body('application/json', { type: 'object', required: ['a', 'gone', 'a'], properties: { a: {} } }),
    );
    expect(argumentIssues(schema, { a: 1 })).toBeNull();
    expect(schema.required).toEqual(['a']);
  });

  test('requires no argument by a name that every object has', () => {
    const required = ['toString', 'constructor', '__proto__', 'a'];
    expect(
      only(body('application/json', { type: 'object', required, properties: { a: {} } })).arguments.required,
    ).toEqual(['a']);
  });

  test('of which a recursive part is left out takes what fits two alternatives', () => {
    const Tree = { oneOf: [{ type: 'string' }, { $ref: '#/components/schemas/Tree' }] };
    const { arguments: schema } = only({
      ...query({ $ref: '#/components/schemas/Tree' }),
      components: { schemas: { Tree } },
    });
    expect(argumentIssues(schema, { q: 'leaf' })).toBeNull();
  });

  test('with a discriminator says the name of each alternative', () => {
    const part = (more: object) => ({ type: 'object', properties: { kind: { type: 'string' }, ...more } });
    const schemas = { Cat: part({ lives: { type: 'integer' } }), Dog: part({}) };
    const oneOf = ['Cat', 'Dog'].map((name) => ({ $ref: `#/components/schemas/${name}` }));
    const discriminator = { propertyName: 'kind', mapping: { cat: '#/components/schemas/Cat' } };
    const { arguments: schema } = only({
      ...body('application/json', { oneOf, discriminator }),
      components: { schemas },
    });
    expect(argumentIssues(schema, { body: { kind: 'cat', lives: 9 } })).toBeNull();
    expect(argumentIssues(schema, { body: { kind: 'Dog' } })).toBeNull();
    expect(argumentIssues(schema, { body: { kind: 'bird' } })).not.toBeNull();
  });

  test('that extends another with a discriminator takes its own name', () => {
    const discriminator = { propertyName: 'kind' };
    const Pet = { type: 'object', properties: { kind: { type: 'string' } }, discriminator };
    const allOf = [{ $ref: '#/components/schemas/Pet' }, { properties: { lives: { type: 'integer' } } }];
    const { arguments: schema } = only({
      ...body('application/json', { allOf, discriminator }),
      components: { schemas: { Pet } },
    });
    expect(argumentIssues(schema, { body: { kind: 'Cat', lives: 9 } })).toBeNull();
    expect(argumentIssues(schema, { body: { kind: 9 } })).not.toBeNull();
  });
});
