import type { Drawing } from './series.ts';

const $schema = 'https://vega.github.io/schema/vega-lite/v6.json';

/** Writes a chart as a Vega-Lite specification, with its values, for other tools. */
export function vegaLiteOf({ type, labels, series, titles: { x, y } }: Drawing): object {
  const values = series.flatMap(({ name, values }) =>
    values.map((value, at) => ({ x: labels[at] ?? '', series: name, y: value })),
  );
  const axis = { field: 'x', type: 'nominal', sort: null, title: x };
  const height = { field: 'y', type: 'quantitative', title: y };
  const colour = { field: 'series', type: 'nominal', title: null };
  const encodings: Record<string, object> = {
    line: { x: axis, y: height, color: colour },
    bar: { x: axis, xOffset: { field: 'series' }, y: height, color: colour },
    stacked: { x: axis, y: { ...height, stack: 'zero' }, color: colour },
    heatmap: { x: axis, y: { ...colour, sort: null }, color: height },
    pie: { theta: height, color: { ...axis } },
    number: { text: height },
  };
  const marks: Record<string, string> = { line: 'line', pie: 'arc', heatmap: 'rect', number: 'text' };
  const apart = series.find(({ second }) => second?.isApart)?.name;
  const layer = (mark: string, encoding: object, isApart: boolean) => ({
    transform: [{ filter: { field: 'series', ...(isApart ? { equal: apart } : { oneOf: others }) } }],
    mark,
    encoding,
  });
  const others = series.map(({ name }) => name).filter((name) => name !== apart);
  if (apart !== undefined) {
    const height = { field: 'y', type: 'quantitative', title: apart };
    return {
      $schema,
      data: { values },
      layer: [
        layer(marks[type] ?? 'bar', encodings[type] ?? {}, false),
        layer('line', { x: axis, y: height, color: colour }, true),
      ],
      resolve: { scale: { y: 'independent' } },
    };
  }
  return {
    $schema,
    data: { values },
    mark: marks[type] ?? 'bar',
    encoding: encodings[type] ?? encodings.bar,
  };
}
