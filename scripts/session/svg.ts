/** Lines of a terminal, with colours. */

export type Picture = { readonly title: string; readonly lines: readonly string[] };

/** Pixels of a character, of a line and of the frame. */
const CHARACTER = 8.4;
const LINE = 20;
const MARGIN = 16;
const BAR = 34;
/** LIMIT: characters of a line; the rest continues on the next line. */
const COLUMNS = 96;

/** SGR codes that the command line uses → CSS. */
const STYLES: Readonly<Record<string, string>> = {
  "1": "font-weight:700",
  "2": "fill:#8b949e",
  "31": "fill:#ff7b72",
  "32": "fill:#7ee787",
  "33": "fill:#e3b341",
  "36": "fill:#79c0ff",
};

type Piece = { readonly text: string; readonly style: string };

/**
 * Draws the lines as an SVG picture.
 * @param lines plain text with SGR escapes
 */
export function drawTerminal({ title, lines }: Picture): string {
  const rows = lines.flatMap((line) => wrap(piecesOf(line)));
  const width = Math.ceil(COLUMNS * CHARACTER + 2 * MARGIN);
  const height = BAR + rows.length * LINE + MARGIN;
  const dots = ["#ff5f57", "#febc2e", "#28c840"].map(
    (colour, n) => `<circle cx="${20 + n * 20}" cy="17" r="6" fill="${colour}"/>`,
  );
  const texts = rows.map((row, n) => {
    const spans = row.map(({ text, style }) => `<tspan${style && ` style="${style}"`}>${escapeXml(text)}</tspan>`);
    return `<text x="${MARGIN}" y="${BAR + n * LINE + 14}">${spans.join("")}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escapeXml(title)}</title>`,
    `<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>`,
    ...dots,
    `<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="14" fill="#e6edf3" xml:space="preserve">`,
    ...texts,
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

function piecesOf(line: string): Piece[] {
  const pieces: Piece[] = [];
  let style = "";
  for (const part of line.split(/(\u001b\[[\d;]*m)/)) {
    const code = /^\u001b\[([\d;]*)m$/.exec(part)?.[1];
    if (code !== undefined) style = STYLES[code] ?? "";
    else if (part !== "") pieces.push({ text: part, style });
  }
  return pieces;
}

/** Splits pieces into lines of at most COLUMNS characters. */
function wrap(pieces: readonly Piece[]): Piece[][] {
  const rows: Piece[][] = [[]];
  let room = COLUMNS;
  for (const { text, style } of pieces) {
    for (let from = 0; from < text.length; ) {
      if (room === 0) {
        rows.push([]);
        room = COLUMNS;
      }
      const taken = takenOf(text.slice(from), room);
      rows.at(-1)!.push({ text: taken, style });
      from += taken.length;
      room = from < text.length ? 0 : room - taken.length;
    }
  }
  return rows;
}

/**
 * Returns the beginning of a text that fits into `room` characters, if possible up to the end of a
 * word.
 */
function takenOf(text: string, room: number): string {
  if (text.length <= room) return text;
  const end = text.lastIndexOf(" ", room - 1) + 1;
  return text.slice(0, text.slice(0, end).trim() === "" ? room : end);
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
