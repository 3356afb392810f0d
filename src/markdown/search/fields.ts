import { findFrontMatter } from "../outline/front-matter.ts";
import { headingsOf } from "../outline/headings.ts";

/** The searched parts of a path. `name`: file name without `.md`; `folders`: path of its folder. */
type PathFields = { readonly name: string; readonly folders: string };

export function pathFieldsOf(path: string): PathFields {
  const cut = path.lastIndexOf("/");
  return { name: path.slice(cut + 1).replace(/\.md$/, ""), folders: path.slice(0, Math.max(0, cut)) };
}

const TITLE = /^title[ \t]*[:=].*/gim;

/** Returns the title from a document's front matter, and its headings, one per line. */
export function titlesOf(text: string): string {
  const front = findFrontMatter(text);
  const titles = front === null ? [] : (text.slice(front.from, front.to).match(TITLE) ?? []);
  return [...titles, ...headingsOf(text).map(({ name }) => name)].join("\n");
}
