/** Shows the documentation for users in `src/docs/`, which the npm package contains too. */
import { readFileSync } from "node:fs";
import { toHeadingId } from "../page/addresses.ts";
import { refuse } from "../common/trouble.ts";
import { parentOf } from "../contract/path.ts";
import { html } from "../page/html.ts";
import { renderDocument } from "../page/markdown.ts";
import { readRequestedPath, type UiPage } from "./page.ts";

const DOCS_FOLDER = new URL("../../src/docs/", import.meta.url);
const TROUBLESHOOTING = "troubleshooting.md";

/** Names of the user documents by subject, in reading order. */
export const SUBJECTS: Readonly<Record<string, readonly string[]>> = {
  Begin: ["start.md", "editors.md", "glossary.md"],
  "Run it always": ["background.md", "cron.md", "monitoring.md"],
  "Solve a problem": [TROUBLESHOOTING, "conflicts.md", "reviews.md", "recovery.md"],
  "Look something up": ["commands.md", "configuration.md", "direction.md", "links.md"],
  "Understand it": ["how-it-works.md", "security.md"],
  "Build on it": ["library.md", "mcp.md"],
  "Run a service": [
    "service/run.md",
    "service/administration.md",
    "service/backup.md",
    "service/monitoring.md",
    "service/postgresql.md",
  ],
};

const DOCUMENT_NAMES: ReadonlySet<string> = new Set(Object.values(SUBJECTS).flat());

export const DOCS_ADDRESS = "/docs";

function toDocAddress(name: string): string {
  return `${DOCS_ADDRESS}/${name}`;
}

function readUserDoc(name: string): string | null {
  return DOCUMENT_NAMES.has(name) ? readFileSync(new URL(name, DOCS_FOLDER), "utf8") : null;
}

function readTitle(name: string, text: string): string {
  return /^# (.+)$/m.exec(text)?.[1] ?? name;
}

let knownHeadings: ReadonlyMap<string, string> | null = null;

/** Returns the address of the documentation for an error code or state; null if there is none. */
export function findHelpAddress(code: string): string | null {
  knownHeadings ??= readHeadingsByCode(readUserDoc(TROUBLESHOOTING) ?? "");
  const heading = knownHeadings.get(code);
  return heading === undefined ? null : `${toDocAddress(TROUBLESHOOTING)}#${toHeadingId(heading)}`;
}

/**
 * Returns the headings of the page about troubleshooting, by code. One heading may explain several
 * codes: `### not_found, file_not_found`.
 */
function readHeadingsByCode(text: string): ReadonlyMap<string, string> {
  const headings = [...text.matchAll(/^### (.+)$/gm)].map((match) => match[1]!);
  return new Map(headings.flatMap((heading) => heading.split(", ").map((code) => [code, heading] as const)));
}

export const USER_DOCS_PAGE: UiPage = {
  path: DOCS_ADDRESS,
  isLive: false,
  show: () => ({
    title: "Help · mdmirror",
    main: html`<h1>Help</h1>
${Object.entries(SUBJECTS).map(
  ([subject, names]) => html`<h2>${subject}</h2>
<ul>${names.map((name) => html`<li><a href="${toDocAddress(name)}">${readTitle(name, readUserDoc(name) ?? "")}</a></li>`)}</ul>`,
)}`,
  }),
};

/**
 * Shows one document of the documentation, or its Markdown source if the document cannot be
 * rendered now.
 */
export const USER_DOC_PAGE: UiPage = {
  path: `${DOCS_ADDRESS}/*`,
  isLive: false,
  async show({ documents }, request) {
    const name = readRequestedPath(request);
    const text = readUserDoc(name);
    if (text === null) return refuse(`no document is named ${name}`, "open the list of documents: Help");
    const renderedText = await documents.render(text, { files: toDocAddress(""), folder: parentOf(name) });
    return {
      title: `${readTitle(name, text)} · Help · mdmirror`,
      main: html`<p><a href="${DOCS_ADDRESS}">All documents</a></p>
${renderDocument(renderedText, text)}`,
    };
  },
};
