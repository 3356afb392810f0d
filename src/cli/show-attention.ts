import type { RunReport } from "../mirror/folder/run.ts";
import { originClause } from "../mirror/operations/results/origin.ts";
import { nextFor, nextForEach } from "../mirror/operations/results/next-step.ts";
import { type Paint, PLAIN } from "./paint.ts";
import { count } from "../common/count.ts";
import { shownName, shownWords } from "../common/shown-name.ts";
import { byPath } from "../mirror/model/by-path.ts";

/**
 * Problems to fix, as lines. A cause that several documents share comes once, before single
 * problems.
 */

type Attention = RunReport["attention"][number];

/** LIMIT: least number of documents with one cause that become one entry. */
const SHARED = 4;
/** LIMIT: names shown for one cause. */
const NAMES = 5;

/**
 * Returns the lines for open problems.
 * @param most causes and single documents that are shown; further ones are counted
 */
export function attentionLines(all: readonly Attention[], most: number, paint: Paint = PLAIN): string[] {
  const causes = [...Map.groupBy(all, ({ kind, code, detail }) => JSON.stringify([kind, code, detail])).values()];
  const shared = causes.filter((group) => group.length >= SHARED).toSorted((a, b) => b.length - a.length);
  const single = causes.filter((group) => group.length < SHARED).flat();
  // A problem without a path concerns the whole folder.
  const alone = [
    ...single.filter(({ path }) => path === ""),
    ...single.filter(({ path }) => path !== "").toSorted(byPath),
  ];
  const blocks = [...shared.map((group) => sharedLines(group, paint)), ...alone.map((one) => aloneLines(one, paint))];
  const more = blocks.length > most ? [`… and ${count(blocks.length - most)} more: mdmirror status`] : [];
  return [...blocks.slice(0, most).flat(), ...more];
}

/** Returns the origin of a problem, unless the description of the problem names it. */
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
