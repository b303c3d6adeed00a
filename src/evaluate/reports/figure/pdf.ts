import { type Drawing, type Point, type Shape, textWidth } from "./drawing.js";

const MARGIN = 12;

/**
 * A PDF file with one page per drawing, each as large as its drawing, for `\includegraphics[page=N]`. Text is in Helvetica, which every
 * reader has, so no font is embedded.
 */
export function toPdf(drawings: readonly Drawing[]): Uint8Array {
  const pageIds = drawings.map((_, at) => 5 + 2 * at);
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${pageIds.map((id) => `${id} 0 R`).join(" ")}] /Count ${drawings.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>",
    ...drawings.flatMap((drawing, at) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${show(drawing.width + 2 * MARGIN)} ${show(drawing.height + 2 * MARGIN)}] /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> /Contents ${pageIds[at]! + 1} 0 R >>`,
      toStream(drawing),
    ]),
  ];
  let file = "%PDF-1.4\n";
  const offsets = objects.map((object, at) => {
    const offset = file.length;
    file += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const start = file.length;
  const entries = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`);
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries.join("")}`;
  file += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  // Every character is one byte, so string offsets are byte offsets.
  return Buffer.from(file, "latin1");
}

function toStream({ height, shapes }: Drawing): string {
  const flip = ([x, y]: Point): string => `${show(x + MARGIN)} ${show(height + MARGIN - y)}`;
  const body = shapes.map((shape) => draw(shape, flip)).join("\n");
  return `<< /Length ${body.length} >>\nstream\n${body}\nendstream`;
}

function draw(shape: Shape, flip: (point: Point) => string): string {
  switch (shape.kind) {
    case "line": {
      const dash = `[${(shape.dash ?? []).join(" ")}] 0 d`;
      return `${color(shape.color)} RG ${shape.width} w ${dash} ${path(shape.points, flip)} S`;
    }
    case "area":
      return `${color(shape.color)} rg ${path(shape.points, flip)} h f`;
    case "box": {
      const { x, y, width, height } = shape;
      return `${color(shape.color)} rg ${flip([x, y + height])} ${show(width)} ${show(height)} re f`;
    }
    case "dot":
      return shape.isHollow
        ? `${color(shape.color)} RG 1 1 1 rg 1.2 w [] 0 d ${circle(shape, flip)} B`
        : `${color(shape.color)} rg ${circle(shape, flip)} f`;
    case "text": {
      const { text, size, anchor = "start", isBold = false, x, y } = shape;
      const shift = { start: 0, middle: 0.5, end: 1 }[anchor] * textWidth(text, size, isBold);
      return `BT ${color(shape.color)} rg /F${isBold ? 2 : 1} ${size} Tf ${flip([x - shift, y])} Td (${escapeText(text)}) Tj ET`;
    }
  }
}

const path = (points: readonly Point[], flip: (point: Point) => string): string =>
  points.map((point, at) => `${flip(point)} ${at === 0 ? "m" : "l"}`).join(" ");

/** The handle length, as a share of the radius, with which a Bézier curve approximates a quarter circle. */
const HANDLE = 0.5523;

function circle({ x, y, radius }: { x: number; y: number; radius: number }, flip: (point: Point) => string): string {
  const h = HANDLE * radius;
  const curve = (...points: Point[]) => `${points.map(flip).join(" ")} c`;
  return [
    `${flip([x + radius, y])} m`,
    curve([x + radius, y + h], [x + h, y + radius], [x, y + radius]),
    curve([x - h, y + radius], [x - radius, y + h], [x - radius, y]),
    curve([x - radius, y - h], [x - h, y - radius], [x, y - radius]),
    curve([x + h, y - radius], [x + radius, y - h], [x + radius, y]),
  ].join(" ");
}

/** Converts `#1f5aa8` to three shares of red, green and blue. */
function color(hex: string): string {
  return [1, 3, 5].map((at) => show(Number.parseInt(hex.slice(at, at + 2), 16) / 255)).join(" ");
}

/** The font has Latin-1; other characters become a question mark. */
function escapeText(text: string): string {
  return text
    .replace(/[\u2012-\u2015]/g, "-")
    .replace(/[^\x20-\x7e\xa0-\xff]/g, "?")
    .replace(/[\\()]/g, (char) => `\\${char}`);
}

const show = (value: number): string => String(Math.round(value * 1000) / 1000);
