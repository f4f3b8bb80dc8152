const digits = { sup: '⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺', sub: '₀₁₂₃₄₅₆₇₈₉₋₊' };

/** A number that is raised or lowered, in such digits: `10³` is not 103. Null for anything else. */
export function scriptDigits(text: string, how: 'sup' | 'sub'): string | null {
  const number = text.trim().replace(/^[−–]/, '-');
  return /^[-+]?\d{1,4}$/.test(number)
    ? number.replace(/./g, (digit) => digits[how].charAt('0123456789-+'.indexOf(digit)))
    : null;
}
