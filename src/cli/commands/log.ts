import { unwrap } from "../../common/trouble.ts";
import type { Command } from "../command.ts";
import { EXIT } from "../exit.ts";
import { findMirror, locateDocument, FOLDER_OPERANDS } from "../find-mirror.ts";
import { withLocalMirror } from "../use-mirror.ts";
import { formatEvent, toPublicKind } from "../../mirror/operations/results/actions.ts";
import { formatJsonLine } from "../text.ts";
import { shownName } from "../../common/shown-words.ts";
import { findRuns, readEvents } from "../../mirror/operations/history/lookup.ts";

export const command: Command = {
  about: ["Prints one line an event in local time, newest last. Never prints content."],
  examples: ["mdmirror log --limit 20", "mdmirror log --path plan.md"],
  options: {
    limit: { value: "N", range: [1, 1_000_000], help: "number of events (default: 50)" },
    path: { value: "PATH", help: "only one document, under all its names" },
    run: { value: "N", range: [1, 999_999_999], help: "only one run" },
    json: { help: "print JSON lines with ids, digests and request ids" },
  },
  operands: FOLDER_OPERANDS,
  async run(io, args) {
    const [limit, run] = [args.number("limit") ?? 50, args.number("run")];
    const name = args.text("path");
    const location = name === null ? { root: findMirror(io, args.operands[0]), path: null } : locateDocument(io, name);
    return withLocalMirror(io, location.root, ({ state }) => {
      const events = readEvents(state, { limit, run, path: location.path });
      if (run !== null && events.length === 0) unwrap(findRuns(state, run));
      if (args.flag("json"))
        for (const event of events) io.out(formatJsonLine({ ...event, kind: toPublicKind(event.kind) }));
      else for (const event of events) io.out(formatEvent(event));
      const noEventsLine = name === null ? "no events yet" : `no events of ${shownName(name)}`;
      if (events.length === 0 && !args.flag("json")) io.out(noEventsLine);
      return EXIT.inSync;
    });
  },
};
