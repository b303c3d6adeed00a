/** A picture of simple shapes, in points from the top left, that SVG and PDF render alike. */
export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly shapes: readonly Shape[];
}

export type Shape = LineShape | BoxShape | DotShape | AreaShape | TextShape;

interface LineShape {
  readonly kind: "line";
  readonly points: readonly Point[];
  readonly color: string;
  readonly width: number;
  readonly dash?: readonly number[];
}

interface BoxShape {
  readonly kind: "box";
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly color: string;
}

interface DotShape {
  readonly kind: "dot";
  readonly x: number;
  readonly y: number;
  readonly radius: number;
  readonly color: string;
  /** Draw only the outline. */
  readonly isHollow?: boolean;
}

interface AreaShape {
  readonly kind: "area";
  readonly points: readonly Point[];
  readonly color: string;
}

interface TextShape {
  readonly kind: "text";
  readonly x: number;
  /** The y coordinate of the baseline. */
  readonly y: number;
  readonly text: string;
  readonly size: number;
  readonly color: string;
  readonly anchor?: "start" | "middle" | "end";
  readonly isBold?: boolean;
}

export type Point = readonly [x: number, y: number];

/** Widths of Helvetica's characters from the space (code 32) to the tilde, in thousandths of the font size. */
const WIDTHS = [
  278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556,
  556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833,
  722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556,
  556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334,
  260, 334, 584,
];
const FIRST_CHARACTER = 32;
const OTHER_WIDTH = 556;
const BOLD_FACTOR = 1.06;

/** The width of a text in Helvetica. */
export function textWidth(text: string, size: number, isBold = false): number {
  let width = 0;
  for (const char of text) width += WIDTHS[char.codePointAt(0)! - FIRST_CHARACTER] ?? OTHER_WIDTH;
  return (width / 1000) * size * (isBold ? BOLD_FACTOR : 1);
}

/** The text, cut with dots at the end if it is wider than the available width. */
export function fitText(text: string, size: number, room: number): string {
  if (textWidth(text, size) <= room) return text;
  let kept = text;
  while (kept !== "" && textWidth(`${kept}...`, size) > room) kept = kept.slice(0, -1);
  return `${kept}...`;
}
