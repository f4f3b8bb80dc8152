/** A name in the script, which is minified. */
const name = String.raw`([\w$]+)`;

/**
 * GraphiQL searches its documentation by names alone. The first three let `searchDocs` of the panels search it, list
 * types among fields, and give each option the text in which it was found. Its tabs are elements with two buttons, each
 * a stop of the Tab key. By the others, the button with the title is the tab, the chosen one is the one stop, and the
 * Delete key closes it: see `panels/main.ts`.
 */
const changes: { pattern: RegExp; by: string; times: number }[] = [
  {
    pattern: new RegExp(
      [
        String.raw`${name}=>\{const ${name}=\{within:\[\],types:\[\],fields:\[\]\};`,
        String.raw`if\(!${name}\)return \2;const ${name}=${name}\.def,`,
      ].join(''),
      'g',
    ),
    by: [
      '$1=>{if($3)return globalThis.parleySearchDocs($3,$5.def,$1);',
      'const $2={within:[],types:[],fields:[]};return $2;const $4=$5.def,',
    ].join(''),
    times: 1,
  },
  {
    pattern: new RegExp(String.raw`${name}\.types\.map\(${name}\),\1\.fields\.map\(${name}\)`, 'g'),
    by: '$1.types.map($2),$1.fields.map((hit,at)=>(hit.field?$3:$2)(hit,at))',
    times: 1,
  },
  {
    pattern: new RegExp(String.raw`\{value:${name},"data-cy":"doc-explorer-option",`, 'g'),
    by: '{value:$1,"data-found":$1.found,"data-cy":"doc-explorer-option",',
    times: 3,
  },
  {
    pattern: new RegExp(`"aria-selected":${name},dragElastic:!1,role:"tab",`, 'g'),
    by: 'dragElastic:!1,role:"presentation",',
    times: 1,
  },
  {
    pattern: new RegExp(
      String.raw`isActive:(${name}===${name}),children:\[${name}\.jsx\(${name}\.Button,\{"aria-controls":"graphiql-session",`,
      'g',
    ),
    by:
      'isActive:$1,children:[$4.jsx($5.Button,{role:"tab","aria-selected":$1,tabIndex:$1?0:-1,' +
      '"aria-keyshortcuts":"Delete","aria-controls":"graphiql-session",',
    times: 1,
  },
  {
    pattern: /\{"aria-label":"Close Tab",/g,
    by: '{"aria-hidden":!0,tabIndex:-1,"aria-label":"Close Tab",',
    times: 1,
  },
];

/** GraphiQL as one script. If a release of it has none of these places, it is served as it is: all of them, or none. */
export async function graphiqlScript(): Promise<string> {
  const { js } = await import('@graphql-yoga/render-graphiql/graphiql');
  if (changes.some(({ pattern, times }) => js.match(pattern)?.length !== times)) return js;
  return changes.reduce((text, { pattern, by }) => text.replaceAll(pattern, by), js);
}
