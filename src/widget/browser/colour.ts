/** Black or white, whichever has the higher contrast on a colour such as `#0f766e`: at least 4.5:1 on any colour. */
export const readableOn = (colour: string): string => (luminance(colour) > 0.179 ? '#000' : '#fff');

function luminance(colour: string): number {
  const hex = colour.length === 4 ? colour.replaceAll(/[\da-f]/gi, '$&$&') : colour;
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
