import type { RunReport } from "../mirror/folder/run.ts";
import { originClause } from "../mirror/operations/results/origin.ts";
import { nextFor, nextForEach } from "../mirror/operations/results/next-step.ts";
import { type Paint, PLAIN } from "./paint.ts";
import { count } from "../common/count.ts";
import { shownName, shownWords } from "../common/shown-name.ts";
import { byPath } from "../mirror/model/by-path.ts";

/**
 * What needs the user, as lines. What many documents share is said once, before those that stand
 * alone.
 */

type Attention = RunReport["attention"][number];

/** From this many of one cause on they are one entry. */
const SHARED = 4;
/** LIMIT: how many names of one cause are shown. */
const NAMES = 5;

/** @param most how many causes and single documents are shown; the rest is counted */
export function attentionLines(all: readonly Attention[], most: number, paint: Paint = PLAIN): string[] {
  const causes = [...Map.groupBy(all, ({ kind, code, detail }) => JSON.stringify([kind, code, detail])).values()];
  const shared = causes.filter((group) => group.length >= SHARED).toSorted((a, b) => b.length - a.length);
  const single = causes.filter((group) => group.length < SHARED).flat();
  // What has no path concerns the whole folder.
  const alone = [
    ...single.filter(({ path }) => path === ""),
    ...single.filter(({ path }) => path !== "").toSorted(byPath),
  ];
  const blocks = [...shared.map((group) => sharedLines(group, paint)), ...alone.map((one) => aloneLines(one, paint))];
  const more = blocks.length > most ? [`… and ${count(blocks.length - most)} more: mdmirror status`] : [];
  return [...blocks.slice(0, most).flat(), ...more];
}

/** Where it came from, as far as its words do not say so. */
function originOf({ code, detail, requestId }: Attention): string {
  return originClause(code !== null && detail.endsWith(`(${code})`) ? null : code, requestId);
}

function aloneLines(one: Attention, paint: Paint): string[] {
  const { path, kind, detail } = one;
  return [
    `${path === "" ? "" : `${paint.strong(shownName(path))}: `}${paint.asks(kind)}: ${shownWords(detail)}${originOf(one)}`,
    paint.dim(`  next: ${shownWords(nextFor(one))}`),
  ];
}

function sharedLines(group: readonly Attention[], paint: Paint): string[] {
  const [first] = group;
  const { kind, detail } = first!;
  const names = group
    .toSorted(byPath)
    .slice(0, NAMES)
    .map((one) => shownName(one.path))
    .join(", ");
  const more = group.length > NAMES ? ` and ${count(group.length - NAMES)} more` : "";
  return [
    `${paint.strong(`${count(group.length)} documents`)}: ${paint.asks(kind)}: ${shownWords(detail)}${originOf(first!)}`,
    `  ${names}${more}`,
    paint.dim(`  next: ${nextForEach(first!)}`),
  ];
}
