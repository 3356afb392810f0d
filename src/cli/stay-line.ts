import type { RunReport } from "../mirror/folder/run.ts";
import { countWords } from "./text.ts";

const STAY_WORDS: Readonly<Record<keyof NonNullable<RunReport["staysLocal"]>, string>> = {
  "other-file": "not Markdown",
  ignored: "ignored by .mdmirrorignore",
  "ignored-folder": "folders ignored by .mdmirrorignore",
  "git-ignored": "left out by .gitignore",
  "git-ignored-folder": "folders left out by .gitignore",
  "dot-folder": "dot folders",
  litter: "temporary files of editors",
  "conflict-copy": "conflict copies: (theirs) and (mine) files",
  symlink: "symbolic links",
  special: "devices, sockets and pipes",
};

/**
 * Returns a line such as `stays local: 3 not Markdown, 1 dot folders`; null if nothing stays local.
 */
export function stayLine(stays: RunReport["staysLocal"]): string | null {
  const kinds = Object.keys(STAY_WORDS) as (keyof typeof STAY_WORDS)[];
  const words = countWords(kinds.map((kind) => [stays?.[kind] ?? 0, STAY_WORDS[kind]]));
  return words === "" ? null : `stays local: ${words}`;
}
