import type { VerifyReport } from "../../mirror/operations/doctor/verify.ts";
import type { Command } from "../command.ts";
import { complain } from "../complain.ts";
import { EXIT } from "../exit.ts";
import { findMirror } from "../find-mirror.ts";
import { count } from "../../common/count.ts";
import { bytes } from "../../mirror/operations/results/when.ts";
import { REACH_OPTIONS, reachOf, useMirror } from "../use-mirror.ts";
import { jsonLine } from "../json-line.ts";
import { shownName, shownWords } from "../../common/shown-name.ts";
import { verifyMirror } from "../../mirror/operations/doctor/verify.ts";
import { faultTrouble } from "../../mirror/folder/fault-trouble.ts";

export const command: Command = {
  usage: "verify [DIR] [--json]",
  about: [
    "Lists, reads and hashes every document on both sides, and reports each difference. Writes nothing.",
    "Exit codes: 0 if both sides are equal, 3 if they differ.",
  ],
  examples: ["mdmirror verify notes"],
  options: {
    json: { help: "print one JSON object with path, id, sha256 and size of each document, and each difference" },
    ...REACH_OPTIONS,
  },
  operands: { least: 0, most: 1 },
  async run(io, args) {
    const root = findMirror(io, args.operands[0]);
    if (root.kind === "trouble") return complain(io, root.trouble);
    const json = args.flag("json");
    const use = { mode: "read", what: "verify", quiet: json, ...reachOf(args) } as const;
    return useMirror(io, root.value, use, async (mirror) => {
      const verified = await verifyMirror(mirror.world);
      if (verified.kind === "offline") return complain(io, faultTrouble(verified.fault, mirror.url));
      const { report, agree } = verified;
      if (json) io.out(jsonLine({ state: agree ? "agree" : "differ", ...report }));
      else for (const line of reportLines(report, agree)) io.out(line);
      return agree ? EXIT.inSync : EXIT.attention;
    });
  },
};

function documents(n: number): string {
  return n === 1 ? "1 document agrees" : `${count(n)} documents agree`;
}

/** Returns `1 in review, 2 differ`: documents that are not equal, or not proven to be equal. */
function othersLine({ blocked, differing, onlyLocal, onlyService, unseen }: VerifyReport): string {
  const of = (reason: string): number => blocked.filter((one) => one.reason === reason).length;
  const [reviews, conflicts] = [of("in-review"), of("conflict")];
  const counts: readonly (readonly [number, string])[] = [
    [reviews, "in review"],
    [conflicts, "in conflict"],
    [blocked.length - reviews - conflicts, "blocked"],
    [differing.length, differing.length === 1 ? "differs" : "differ"],
    [onlyLocal.length, "only local"],
    [onlyService.length, "only on the service"],
    [unseen.length, "not seen"],
  ];
  return counts.flatMap(([n, words]) => (n === 0 ? [] : [`${count(n)} ${words}`])).join(", ");
}

function reportLines(report: VerifyReport, agree: boolean): string[] {
  const size = report.documents.reduce((sum, row) => sum + row.size, 0);
  const { differing, onlyLocal, onlyService, blocked, unseen, dressed } = report;
  return [
    ...differing.map(({ path, why }) => `differs: ${shownName(path)}  (${shownWords(why)})`),
    ...onlyLocal.map((path) => `only local: ${shownName(path)}`),
    ...onlyService.map(({ path, id }) => `only on the service: ${shownName(path)}  (${id})`),
    ...blocked.map(({ path, reason, detail }) => `blocked: ${shownName(path)}  (${reason}: ${shownWords(detail)})`),
    ...unseen.map(({ path, why }) => `not seen: ${path === "" ? "." : shownName(path)}  (${shownWords(why)})`),
    ...(dressed.length === 0
      ? []
      : [
          `${count(dressed.length)} have the same content except for line ends, byte order mark or final newline; these differed when they were linked`,
        ]),
    `${documents(report.documents.length)} byte for byte (${bytes(size)})${agree ? "" : `; ${othersLine(report)}`}`,
    ...(agree ? [] : ["  next: mdmirror sync, then mdmirror why PATH for each difference that remains"]),
  ];
}
