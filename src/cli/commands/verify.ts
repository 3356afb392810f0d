import { count, plural } from "../../common/quantities.ts";
import { shownName, shownWords } from "../../common/shown-words.ts";
import { verify } from "../../mirror/operations/doctor/verify.ts";
import { formatByteCount } from "../../mirror/operations/results/times.ts";
import type { Answer } from "../../mirror/operations/define.ts";
import { EXIT } from "../exit.ts";
import { formatCounts } from "../text.ts";
import { ON_FOLDER, makeReadCommand } from "../operation-command.ts";

type VerifyAnswer = Answer<(typeof verify)["declared"]>;

export const command = makeReadCommand(verify, {
  ...ON_FOLDER,
  examples: ["mdmirror verify notes"],
  exit: ({ agree }) => (agree ? EXIT.inSync : EXIT.attention),
  lines: (_io, report) => formatReport(report),
});

/** Returns the counts of documents that are not proven equal, such as `1 in review, 2 differ`. */
function formatUnproven({ blocked, differing, onlyLocal, onlyService, unseen }: VerifyAnswer): string {
  const countBlocked = (reason: string): number => blocked.filter((document) => document.reason === reason).length;
  const [reviews, conflicts] = [countBlocked("in-review"), countBlocked("conflict")];
  return formatCounts([
    [reviews, "in review"],
    [conflicts, "in conflict"],
    [blocked.length - reviews - conflicts, "blocked"],
    [differing.length, differing.length === 1 ? "differs" : "differ"],
    [onlyLocal.length, "only local"],
    [onlyService.length, "only on the service"],
    [unseen.length, "not seen"],
  ]);
}

function formatReport(report: VerifyAnswer): string[] {
  const size = report.documents.reduce((sum, row) => sum + row.size, 0);
  const { agree, differing, onlyLocal, onlyService, blocked, unseen, formDiffers } = report;
  return [
    ...differing.map(({ path, why }) => `differs: ${shownName(path)}  (${shownWords(why)})`),
    ...onlyLocal.map((path) => `only local: ${shownName(path)}`),
    ...onlyService.map(({ path, id }) => `only on the service: ${shownName(path)}  (${id})`),
    ...blocked.map(({ path, reason, detail }) => `blocked: ${shownName(path)}  (${reason}: ${shownWords(detail)})`),
    ...unseen.map(({ path, why }) => `not seen: ${path === "" ? "." : shownName(path)}  (${shownWords(why)})`),
    ...(formDiffers.length === 0
      ? []
      : [
          `${count(formDiffers.length)} have the same content except for line ends, byte order mark or final newline; these differed when they were linked`,
        ]),
    `${plural(report.documents.length, "document agrees", "documents agree")} byte for byte (${formatByteCount(size)})${agree ? "" : `; ${formatUnproven(report)}`}`,
    ...(agree ? [] : ["  next: mdmirror sync, then mdmirror why PATH for each difference that remains"]),
  ];
}
