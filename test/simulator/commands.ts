import { nameOf, parentOf } from "../../src/contract/path.ts";
import type { App } from "./app.ts";
import type { Mirror } from "./mirror.ts";

/**
 * Commands of users, similar to those of the planner's tables, separated by `;`. A `_` in a path is
 * a space. Local: `write P T`, `save P T` (a new inode), `rm P`, `mv P Q`, `mkdir P`. On the
 * service: `new P T`, `edit P T`, `rm P`, `mv P Q`, `mkdir P`. A path without `.md` is a folder's.
 * Documents: `P=T`, or `P=T<Q` for the document that was at `Q` at the beginning. Contents: a word
 * is a line, `$NAME` is an entry of `CONTENTS`.
 */

const longText = (mark: string): string =>
  Array.from({ length: 12 }, (_, line) => `${mark} line ${line} of a longer text\n`).join("");
const X = longText("x");

const CONTENTS: Readonly<Record<string, string>> = {
  $A: longText("a"),
  "$A+": `${longText("a")}one more line\n`,
  $B: longText("b"),
  "$B+": `${longText("b")}one more line\n`,
  $C: longText("c"),
  "$C+": `${longText("c")}one more line\n`,
  $NEW: longText("new"),
  $X: X,
  $X1: X.replace("x line 1 ", "LOCAL 1 "),
  $X10: X.replace("x line 10 ", "REMOTE 10 "),
  "$X1+10": X.replace("x line 1 ", "LOCAL 1 ").replace("x line 10 ", "REMOTE 10 "),
  $CRLF: "one\r\ntwo",
  $LF: "one\ntwo\n",
  $EMPTY: "",
  $MARKERS: "<<<<<<< x\na\n=======\nb\n>>>>>>> y\n",
  $LARGE: "x".repeat(51_201),
  $ODD: "\ufeffa\r\nb\u2028e\u0301 \u{1f600}",
  $NORMALISED: "a\nb\u2028\u00e9 \u{1f600}\n",
};

function contentOf(word: string): string {
  if (!word.startsWith("$")) return `${word}\n`;
  const content = CONTENTS[word];
  if (content === undefined) throw new Error(`no content is called ${word}`);
  return content;
}

const pathOf = (word: string): string => word.replaceAll("_", " ");

type Document = { readonly path: string; readonly content: string; readonly from: string | null };

export type Tree = { readonly documents: readonly Document[]; readonly folders: readonly string[] };

export function readTree(notation: string): Tree {
  const words = notation.split(" ").filter((word) => word !== "");
  const documents = words
    .filter((word) => !word.endsWith("/"))
    .map((word) => {
      const at = word.lastIndexOf("=");
      const [content, from] = word.slice(at + 1).split("<");
      return {
        path: pathOf(word.slice(0, at)),
        content: contentOf(content!),
        from: from === undefined ? null : pathOf(from),
      };
    });
  const folders = words.filter((word) => word.endsWith("/")).map((word) => pathOf(word.slice(0, -1)));
  return { documents, folders };
}

type Verbs = Readonly<Record<string, (path: string, other: string) => void>>;

function act(commands: string, verbs: Verbs): void {
  for (const command of commands.split("; ").filter((one) => one !== "")) {
    const [verb, path, other = ""] = command.split(" ");
    const does = verbs[verb!];
    if (does === undefined) throw new Error(`no such command: ${command}`);
    does(pathOf(path!), other);
  }
}

export function actLocally(mirror: Mirror, commands: string): void {
  const { user } = mirror.disk;
  const at = (path: string): string => mirror.path(path);
  act(commands, {
    write: (path, word) => mirror.write(path, contentOf(word)),
    save: (path, word) => user.saveAtomically(at(path), contentOf(word)),
    rm: (path) => user.remove(at(path)),
    mv: (path, to) => user.rename(at(path), at(pathOf(to))),
    mkdir: (path) => user.makeFolder(at(path)),
  });
}

export function actOnService(app: App, commands: string): void {
  const isFolder = (path: string): boolean => !path.endsWith(".md");
  act(commands, {
    new: (path, word) => void app.create(path, contentOf(word)),
    edit: (path, word) => app.edit(path, contentOf(word)),
    rm: (path) => (isFolder(path) ? app.removeFolder(path) : app.remove(path)),
    mv(path, to) {
      if (isFolder(path) && nameOf(path) === nameOf(to)) app.moveFolder(path, parentOf(to));
      else if (isFolder(path)) app.renameFolder(path, nameOf(to));
      else if (nameOf(path) === nameOf(to)) app.move(path, parentOf(to));
      else app.rename(path, nameOf(to));
    },
    mkdir: (path) => void app.makeFolder(path),
  });
}
