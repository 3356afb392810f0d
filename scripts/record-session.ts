/**
 * `node scripts/record-session.ts [FILE]`: runs the session of the README with real processes and
 * the embedded service, and draws their output as an SVG (by default `.github/session.svg`). Two
 * recordings are equal: the port, temporary folders and seconds are replaced or left out. Exit 1 if
 * a command ends in another way than it should.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** Lines of a terminal, with colours. */

type Picture = { readonly title: string; readonly lines: readonly string[] };

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
function drawTerminal({ title, lines }: Picture): string {
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

const project = fileURLToPath(new URL("..", import.meta.url));
const command = join(project, "scripts", "mdmirror");
const SHOWN_URL = "http://127.0.0.1:8420";
const PROMPT = "\u001b[36m~ $\u001b[0m ";

const home = mkdtempSync(join(tmpdir(), "mdmirror-session-"));
const notes = join(home, "notes");
const lines: string[] = [];
const env = { PATH: process.env["PATH"], HOME: home, FORCE_COLOR: "1", LANG: "C.UTF-8" };

type Doc = { readonly id: string; readonly lastChangeId: string; readonly content: string };

const service = await serve();
try {
  await session(service.url, readFileSync(join(home, "service", "key"), "utf8").trim());
} finally {
  service.process.kill("SIGTERM");
  rmSync(home, { recursive: true, force: true });
}
const file = resolve(process.argv[2] ?? join(project, ".github", "session.svg"));
writeFileSync(file, drawTerminal({ title: "A session of mdmirror in a terminal", lines }));
console.log(`${file}: ${lines.length} lines`);

async function session(url: string, key: string): Promise<void> {
  mdmirror(["init", "notes", "--url", url, "--key-file", "service/key", "--yes"], 0);
  comment("edit a file, rename a folder: documents keep their ids");
  shell("echo '- walnuts' >> notes/plan.md;  mv notes/recipes notes/kitchen");
  appendFileSync(join(notes, "plan.md"), "- walnuts\n");
  renameSync(join(notes, "recipes"), join(notes, "kitchen"));
  mdmirror(["sync", "notes"], 0);
  comment("two people edit one document");
  shell("sed -i 's/an hour/50 minutes/' notes/kitchen/bread.md");
  replace("kitchen/bread.md", "an hour", "50 minutes");
  await edit(url, key, "kitchen/bread.md", "water, salt", "water, yeast, salt");
  mdmirror(["sync", "notes"], 0);
  comment("they change the same words: your text stays, theirs is put beside it");
  shell("sed -i 's/flour/rye flour/' notes/plan.md");
  replace("plan.md", "flour", "rye flour");
  await edit(url, key, "plan.md", "flour", "spelt flour");
  mdmirror(["sync", "notes"], 3);
  comment("a conflict ends in any editor: delete the file you do not want");
  shell("rm 'notes/plan (theirs).md'");
  rmSync(join(notes, "plan (theirs).md"));
  mdmirror(["sync", "notes"], 0);
  mdmirror(["status", "notes"], 0);
}

function comment(text: string): void {
  lines.push(`${PROMPT}\u001b[2m# ${text}\u001b[0m`);
}

function shell(text: string): void {
  lines.push(`${PROMPT}\u001b[1m${text}\u001b[0m`);
}

function mdmirror(args: readonly string[], expected: number): void {
  shell(asShown(["mdmirror", ...args].join(" ")));
  const ended = spawnSync("/bin/sh", ["-c", '"$0" "$@" 2>&1', command, ...args], { cwd: home, env, encoding: "utf8" });
  if (ended.status !== expected)
    throw new Error(`mdmirror ${args.join(" ")}: exit ${ended.status}, not ${expected}: ${ended.stdout}`);
  for (const line of ended.stdout.trimEnd().split("\n")) lines.push(asShown(line));
}

/** Replaces what differs from run to run by what a user would see. */
function asShown(line: string): string {
  return line
    .replace(/http:\/\/127\.0\.0\.1:\d+/g, SHOWN_URL)
    .replaceAll(`${home}/`, "~/")
    .replace(/ \(\d+(?:\.\d+)? s\)/g, "")
    .replace(/as of \d+ s ago/g, "as of now");
}

function replace(path: string, from: string, to: string): void {
  const whole = join(notes, path);
  writeFileSync(whole, readFileSync(whole, "utf8").replace(from, to));
}

/** Edits a document on the service, like another user. */
async function edit(url: string, key: string, path: string, from: string, to: string): Promise<void> {
  const headers = { "x-api-key": key, "content-type": "application/json" };
  const list = (await ask(`${url}/v1/files?path=${path}`, { headers })) as { readonly data: readonly Doc[] };
  const doc = (await ask(`${url}/v1/files/${list.data[0]!.id}`, { headers })) as Doc;
  const body = JSON.stringify({ baseChangeId: doc.lastChangeId, content: doc.content.replace(from, to) });
  await ask(`${url}/v1/files/${doc.id}/content`, { method: "PUT", headers, body });
}

async function ask(url: string, init: RequestInit): Promise<unknown> {
  const response = await fetch(url, init);
  if (!response.ok) throw new Error(`${init.method ?? "GET"} ${url}: ${response.status}`);
  return response.json();
}

function serve(): Promise<{ readonly url: string; readonly process: ChildProcess }> {
  const old = join(home, "old");
  mkdirSync(join(old, "recipes"), { recursive: true });
  writeFileSync(join(old, "plan.md"), "# Plan\n\nBuy flour.\n");
  writeFileSync(join(old, "recipes", "bread.md"), "# Bread\n\nFlour, water, salt.\n\nBake for an hour.\n");
  const args = ["serve", "--data", "service", "--port", "0", "--import", "old"];
  const child = spawn(command, args, { cwd: home, env, stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  return new Promise((begun, failed) => {
    child.on("error", failed);
    child.on("exit", (code) => failed(new Error(`serve ended with ${code}: ${said}`)));
    child.stdout.on("data", (bytes: Buffer) => {
      said += bytes.toString();
      const url = /serving (http:\S+)/.exec(said)?.[1];
      if (url !== undefined) begun({ url, process: child });
    });
  });
}
