type Matrix = [number, number, number, number, number, number];
type State = {
  matrix: Matrix;
  clip: string | null;
  dash: number[];
  fillStyle: string;
  strokeStyle: string;
  lineWidth: number;
  lineDashOffset: number;
  lineCap: string;
  lineJoin: string;
  globalAlpha: number;
  font: string;
  textAlign: string;
  textBaseline: string;
};

const initial: State = {
  matrix: [1, 0, 0, 1, 0, 0],
  clip: null,
  dash: [],
  fillStyle: '#000',
  strokeStyle: '#000',
  lineWidth: 1,
  lineDashOffset: 0,
  lineCap: 'butt',
  lineJoin: 'miter',
  globalAlpha: 1,
  font: '10px sans-serif',
  textAlign: 'start',
  textBaseline: 'alphabetic',
};

/** A canvas for Chart.js that writes what is drawn on it as SVG: the part of a 2D context that charts use. */
export class SvgCanvas {
  width: number;
  height: number;
  readonly #context: SvgContext;

  /** `id` begins the ids within the picture, which a page may have beside others. */
  constructor(width: number, height: number, id: string) {
    this.width = width;
    this.height = height;
    this.#context = new SvgContext(this, id);
  }

  getContext(): SvgContext {
    return this.#context;
  }

  /** What was drawn since the canvas was cleared, as SVG elements. */
  get content(): string {
    return this.#context.elements.join('');
  }
}

class SvgContext {
  readonly canvas: SvgCanvas;
  elements: string[] = [];
  #path: string[] = [];
  #states: State[] = [];
  #clips = 0;
  readonly #id: string;
  #now: State = { ...initial };

  constructor(canvas: SvgCanvas, id: string) {
    this.canvas = canvas;
    this.#id = id;
    // Chart.js reads and sets the properties of the state by their names.
    for (const name of Object.keys(initial) as (keyof State)[]) {
      if (name === 'matrix' || name === 'clip' || name === 'dash') continue;
      Object.defineProperty(this, name, {
        get: () => this.#now[name],
        set: (value: never) => {
          this.#now[name] = value;
        },
      });
    }
  }

  save(): void {
    this.#states.push({ ...this.#now });
  }
  restore(): void {
    this.#now = this.#states.pop() ?? this.#now;
  }
  setTransform(...matrix: Matrix): void {
    this.#now.matrix = matrix;
  }
  resetTransform(): void {
    this.#now.matrix = initial.matrix;
  }
  translate(x: number, y: number): void {
    const [a, b, c, d, e, f] = this.#now.matrix;
    this.#now.matrix = [a, b, c, d, a * x + c * y + e, b * x + d * y + f];
  }
  rotate(angle: number): void {
    const [a, b, c, d, e, f] = this.#now.matrix;
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    this.#now.matrix = [a * cos + c * sin, b * cos + d * sin, c * cos - a * sin, d * cos - b * sin, e, f];
  }
  setLineDash(dash: number[]): void {
    this.#now.dash = dash;
  }

  beginPath(): void {
    this.#path = [];
  }
  moveTo(x: number, y: number): void {
    if (areFinite(x, y)) this.#path.push(`M${at(x, y)}`);
  }
  lineTo(x: number, y: number): void {
    if (areFinite(x, y)) this.#path.push(`${this.#path.length > 0 ? 'L' : 'M'}${at(x, y)}`);
  }
  bezierCurveTo(x1: number, y1: number, x2: number, y2: number, x: number, y: number): void {
    if (areFinite(x1, y1, x2, y2, x, y)) this.#path.push(`C${at(x1, y1)} ${at(x2, y2)} ${at(x, y)}`);
  }
  closePath(): void {
    if (this.#path.length > 0) this.#path.push('Z');
  }
  rect(x: number, y: number, width: number, height: number): void {
    this.#path.push(rectangle(x, y, width, height));
  }
  arc(x: number, y: number, radius: number, from: number, to: number, backwards = false): void {
    if (!areFinite(x, y, radius, from, to)) return;
    const turn = 2 * Math.PI;
    const given = backwards ? from - to : to - from;
    const angle = given >= turn ? turn : ((given % turn) + turn) % turn;
    const point = (part: number) => {
      const direction = from + part * angle * (backwards ? -1 : 1);
      return at(x + radius * Math.cos(direction), y + radius * Math.sin(direction));
    };
    // SVG draws no arc from a point to itself.
    this.#path.push(`${this.#path.length > 0 ? 'L' : 'M'}${point(0)}`);
    for (const part of [0.5, 1]) this.#path.push(`A${radius} ${radius} 0 0 ${backwards ? 0 : 1} ${point(part)}`);
  }

  fill(): void {
    this.#element('path', { d: this.#path.join(''), ...this.#filled() });
  }
  stroke(): void {
    this.#element('path', { d: this.#path.join(''), fill: 'none', ...this.#stroked() });
  }
  fillRect(x: number, y: number, width: number, height: number): void {
    this.#element('path', { d: rectangle(x, y, width, height), ...this.#filled() });
  }
  strokeRect(x: number, y: number, width: number, height: number): void {
    this.#element('path', { d: rectangle(x, y, width, height), fill: 'none', ...this.#stroked() });
  }
  clearRect(): void {
    this.elements = [];
  }
  clip(): void {
    const id = `${this.#id}-${++this.#clips}`;
    this.elements.push(`<clipPath id="${id}"><path d="${this.#path.join('')}"/></clipPath>`);
    this.#now.clip = `url(#${id})`;
  }
  fillText(text: string, x: number, y: number): void {
    const { font, textAlign, textBaseline } = this.#now;
    const anchors: Record<string, string> = { center: 'middle', right: 'end', end: 'end' };
    const shifts: Record<string, string> = { middle: '0.35em', top: '0.8em', hanging: '0.8em', bottom: '-0.2em' };
    const attributes = {
      x: rounded(x),
      y: rounded(y),
      dy: shifts[textBaseline],
      'text-anchor': anchors[textAlign],
      'font-size': sizeIn(font),
      'font-weight': /\bbold\b/.test(font) ? 'bold' : undefined,
      ...this.#filled(),
    };
    this.#element('text', attributes, escaped(text));
  }
  measureText(text: string): { width: number } {
    return { width: textWidth(text, sizeIn(this.#now.font)) };
  }

  #filled() {
    return { fill: this.#now.fillStyle, 'fill-opacity': this.#now.globalAlpha };
  }
  #stroked() {
    const { strokeStyle, lineWidth, dash, lineCap, lineJoin, lineDashOffset } = this.#now;
    return {
      stroke: strokeStyle,
      'stroke-width': lineWidth,
      'stroke-dasharray': dash.join(' ') || undefined,
      'stroke-dashoffset': lineDashOffset || undefined,
      'stroke-linecap': lineCap,
      'stroke-linejoin': lineJoin,
    };
  }

  #element(name: string, attributes: Record<string, string | number | undefined>, content = ''): void {
    const { matrix, clip } = this.#now;
    const moved = matrix.some((value, index) => value !== initial.matrix[index]);
    const all: Record<string, string | number | undefined> = {
      ...attributes,
      transform: moved ? `matrix(${matrix.map(rounded).join(' ')})` : undefined,
    };
    const usual: Record<string, string | number> = {
      'fill-opacity': 1,
      'stroke-linecap': 'butt',
      'stroke-linejoin': 'miter',
    };
    const written = Object.entries(all).flatMap(([key, value]) =>
      value === undefined || usual[key] === value ? [] : [` ${key}="${escaped(String(value))}"`],
    );
    const element = `<${name}${written.join('')}${content ? `>${content}</${name}>` : '/>'}`;
    // Around it: its own transformation would move what it is clipped by.
    this.elements.push(clip ? `<g clip-path="${clip}">${element}</g>` : element);
  }
}

/** A canvas ignores all others. */
const areFinite = (...values: number[]): boolean => values.every(Number.isFinite);
const rounded = (value: number): number => Math.round(value * 1_000) / 1_000;
const at = (x: number, y: number): string => `${rounded(x)} ${rounded(y)}`;
const rectangle = (x: number, y: number, width: number, height: number): string =>
  `M${at(x, y)}h${rounded(width)}v${rounded(height)}h${rounded(-width)}Z`;
const sizeIn = (font: string): number => Number(/([\d.]+)px/.exec(font)?.[1] ?? 12);

/** The width of a text in about the proportions of Helvetica and a little more, in pixels: there is no font to ask. */
export function textWidth(text: string, size: number): number {
  const widthOf = (letter: string) => {
    if (/[iljtfrI.,:;|!'()[\] ]/.test(letter)) return 0.3;
    if (/[mwMW%@—]/.test(letter)) return 0.88;
    if (/\p{Lu}/u.test(letter)) return 0.69;
    return letter > '\u2e80' ? 1 : 0.556;
  };
  return Array.from(text, widthOf).reduce((sum, one) => sum + one, 0) * size * 1.08;
}

/** A text as XML, without the characters that XML has not. */
export const escaped = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: XML allows none but these.
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('"', '&quot;');
