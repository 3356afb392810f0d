import { explainPath, listWhyFacts, type PathExplanation } from "../../mirror/operations/doctor/why.ts";
import type { Command, Io } from "../command.ts";
import { formatEvent, toPublicKind } from "../../mirror/operations/results/actions.ts";
import { findNextStep } from "../../mirror/operations/results/attention.ts";
import { locateDocumentOrRoot } from "../find-mirror.ts";
import { REACH_OPTIONS, readReachOptions, withOpenedMirror } from "../use-mirror.ts";
import { formatLocalTime } from "../../mirror/operations/results/times.ts";
import { quoteForShell } from "../../mirror/model/shell-word.ts";
import { shownName } from "../../common/shown-words.ts";
import { formatColumns } from "../text.ts";

export const command: Command = {
  about: [
    "Shows what mdmirror knows about a path: the last version that both sides had (base), its state on both sides, and the next steps. Shows the last error with its request, why a file stays local, and the last merge.",
    "Writes nothing. Works without the service, from the state alone.",
  ],
  examples: ["mdmirror why plan.md"],
  options: { json: { help: "print one JSON object" }, ...REACH_OPTIONS },
  operands: { usage: "PATH", least: 1, most: 1 },
  async run(io, args) {
    const { root, path } = locateDocumentOrRoot(io, args.operands[0]!);
    const mirrorOptions = { mode: "read", what: "why", quiet: true, ...readReachOptions(io, args) } as const;
    return withOpenedMirror(io, root, mirrorOptions, async (mirror) => {
      const explanation = await explainPath(mirror, path);
      return { json: toWhyJson(explanation), lines: formatWhy(io, explanation) };
    });
  },
};

function toWhyJson(why: PathExplanation): object {
  const withPublicKind = <E extends { readonly kind: string }>(item: E): E => ({
    ...item,
    kind: toPublicKind(item.kind),
  });
  const { open, former: _former, ...shown } = why;
  const { steps, events, lastError } = shown;
  return {
    ...shown,
    blockedNext: open === null ? null : findNextStep(open),
    steps: steps.map((step) => ({ ...step, action: withPublicKind(step.action) })),
    lastError: lastError === null ? null : withPublicKind(lastError),
    events: events.map(withPublicKind),
  };
}

function formatWhy(io: Io, why: PathExplanation): string[] {
  const { events, path, merge } = why;
  const whyFacts = listWhyFacts(why, io.clock.now());
  const lastEvents = events.length === 0 ? [] : ["last events:", ...events.map((event) => `  ${formatEvent(event)}`)];
  const sidesHint = `mdmirror diff ${quoteForShell(path)} --origins shows the side of each line`;
  const mergeLines = merge === null ? [] : [`merged ${formatLocalTime(merge.at)}; ${sidesHint}`];
  return [
    path === "" ? "." : shownName(path),
    ...formatColumns(whyFacts).map((line) => `  ${line}`),
    ...lastEvents,
    ...mergeLines,
  ];
}
