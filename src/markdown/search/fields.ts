import { findFrontMatter } from "../outline/front-matter.ts";
import { readHeadings } from "../outline/headings.ts";

/** Searched parts of a path. `name`: file name without `.md`. `folders`: path of the folder. */
type PathFields = { readonly name: string; readonly folders: string };

export function readPathFields(path: string): PathFields {
  const lastSlash = path.lastIndexOf("/");
  return { name: path.slice(lastSlash + 1).replace(/\.md$/, ""), folders: path.slice(0, Math.max(0, lastSlash)) };
}

const TITLE_LINE = /^title[ \t]*[:=].*/gim;

/** Returns the title from the front matter, then the headings, one per line. */
export function readTitles(text: string): string {
  const front = findFrontMatter(text);
  const titles = front === null ? [] : (text.slice(front.from, front.to).match(TITLE_LINE) ?? []);
  return [...titles, ...readHeadings(text).map(({ name }) => name)].join("\n");
}
