import type { Proposal, Share } from "../mirror/settings/propose-rules.ts";
import { largestFolders } from "../mirror/operations/results/largest.ts";
import { count, plural } from "../common/count.ts";
import { shellWord } from "../mirror/model/shell-word.ts";
import { shownName } from "../common/shown-name.ts";

/**
 * Shows the folders with most planned uploads, and folders that users probably do not want to
 * upload.
 */

/** LIMIT: folders that are named. */
const MOST = 5;

/**
 * Returns a line for each of the largest folders.
 * @param named names that the plan shows for each group; with so few documents, there is no summary
 */
export function largestLines(preview: Parameters<typeof largestFolders>[0], named: number): string[] {
  const sent = preview.plan.steps.filter(({ action }) => action.kind === "create-remote").length;
  if (sent <= named) return [];
  const largest = largestFolders(preview, MOST);
  const names = largest.map(({ folder }) => (folder === "" ? "this folder itself" : `${shownName(folder)}/`));
  return [
    `  most new documents on the service, of ${plural(sent, "document")}:`,
    ...columns(names, largest).map((line) => `    ${line}`),
  ];
}

/** Returns a line for each group of files that `--gitignore` and `--ignore` would exclude. */
export function proposalLines(proposal: Proposal): string[] {
  const { gitignore, patterns } = proposal;
  const shares: Share[] = [...(gitignore === null ? [] : [gitignore]), ...patterns];
  return columns(proposalFlags(proposal), shares).map((line) => `    ${line}`);
}

/** Returns the options that accept a proposal, as words for a shell. */
export function proposalFlags({ gitignore, patterns }: Proposal): string[] {
  return [
    ...(gitignore === null ? [] : ["--gitignore"]),
    ...patterns.map(({ pattern }) => `--ignore ${shellWord(pattern)}`),
  ];
}

function columns(names: readonly string[], shares: readonly Share[]): string[] {
  const width = Math.max(...names.map(({ length }) => length));
  return names.map((name, at) => `${name.padEnd(width)}  ${shareWords(shares[at]!)}`);
}

function shareWords({ documents, bytes }: Share): string {
  return `${plural(documents, "document")}, ${sizeWords(bytes)}`;
}

function sizeWords(bytes: number): string {
  if (bytes < 1_000) return plural(bytes, "byte");
  return bytes < 1_000_000 ? `${count(Math.round(bytes / 1_000))} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
