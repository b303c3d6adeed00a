import { escapeHtml } from "../html/format.js";
import type { Drawing, Shape } from "./drawing.js";

/** A drawing as a standalone SVG file without a style sheet. */
export function toSvg({ width, height, shapes }: Drawing): string {
  const size = `width="${round(width)}" height="${round(height)}" viewBox="0 0 ${round(width)} ${round(height)}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="Helvetica, Arial, sans-serif"><rect width="100%" height="100%" fill="#ffffff"/>${shapes.map(draw).join("")}</svg>\n`;
}

function draw(shape: Shape): string {
  switch (shape.kind) {
    case "line": {
      const dash = shape.dash === undefined ? "" : ` stroke-dasharray="${shape.dash.join(" ")}"`;
      return `<polyline points="${points(shape.points)}" fill="none" stroke="${shape.color}" stroke-width="${shape.width}"${dash}/>`;
    }
    case "area":
      return `<polygon points="${points(shape.points)}" fill="${shape.color}"/>`;
    case "box":
      return `<rect x="${round(shape.x)}" y="${round(shape.y)}" width="${round(shape.width)}" height="${round(shape.height)}" fill="${shape.color}"/>`;
    case "dot": {
      const paint = shape.isHollow
        ? `fill="#ffffff" stroke="${shape.color}" stroke-width="1.2"`
        : `fill="${shape.color}"`;
      return `<circle cx="${round(shape.x)}" cy="${round(shape.y)}" r="${shape.radius}" ${paint}/>`;
    }
    case "text": {
      const bold = shape.isBold ? ' font-weight="bold"' : "";
      return `<text x="${round(shape.x)}" y="${round(shape.y)}" font-size="${shape.size}" fill="${shape.color}" text-anchor="${shape.anchor ?? "start"}"${bold}>${escapeHtml(shape.text)}</text>`;
    }
  }
}

const points = (list: readonly (readonly [number, number])[]): string =>
  list.map(([x, y]) => `${round(x)},${round(y)}`).join(" ");

const round = (value: number): number => Math.round(value * 100) / 100;
