import { formatNumber } from './numbers.ts';
import type { Drawing } from './series.ts';

/** `strong` is the colour of the largest value. */
type Colours = { ink: string; base: string; strong: string };
type Cell = { datasetIndex: number; dataIndex: number };

/** Draws a heat map as bars of the same height upon each other, one row for each series: Chart.js has no such type. */
export function heatMap({ labels, series, value, titles: { y } }: Drawing, { ink, base, strong }: Colours) {
  const numbers = series.flatMap(({ values }) => values.filter((one) => one !== null));
  const [least, most] = [Math.min(0, ...numbers), Math.max(0, ...numbers)];
  // 0 is faint, so that it is not taken for a gap.
  const colourOf = (number: number | null) => {
    if (number === null) return base;
    const opacity = 20 + Math.round((235 * (number - least)) / (most - least || 1));
    return `${strong}${opacity.toString(16).padStart(2, '0')}`;
  };
  const datasets = series.map(({ name, values }) => ({
    label: name,
    data: labels.map(() => 1),
    backgroundColor: values.map(colourOf),
    borderColor: base,
    borderWidth: 1,
    borderSkipped: false,
    barPercentage: 1,
    categoryPercentage: 1,
  }));
  const ticks = { color: ink, font: { size: 12 } };
  const plain = { stacked: true, grid: { display: false }, border: { display: false } };
  const scale = `${y}: ${formatNumber(least, value)} is faint, ${formatNumber(most, value)} is strong`;
  const textOf = ({ datasetIndex, dataIndex }: Cell) => {
    const { name = '', values = [] } = series[datasetIndex] ?? {};
    const number = values[dataIndex] ?? null;
    return `${name}: ${number === null ? 'none' : formatNumber(number, value)}`;
  };
  return {
    data: { labels, datasets },
    options: {
      interaction: { mode: 'nearest', intersect: true },
      scales: {
        x: { ...plain, ticks: { ...ticks, maxRotation: 45 } },
        y: {
          ...plain,
          reverse: true,
          max: series.length,
          afterBuildTicks: (axis: { ticks: { value: number }[] }) => {
            axis.ticks = series.map((_, at) => ({ value: at + 0.5 }));
          },
          ticks: { ...ticks, autoSkip: false, callback: (tick: number) => series[Math.floor(tick)]?.name ?? '' },
        },
      },
      plugins: {
        legend: { display: false },
        title: { display: true, text: scale, color: ink, font: { size: 12, weight: 'normal' } },
        tooltip: { boxPadding: 4, callbacks: { label: textOf } },
      },
    },
  };
}
