import { unwrap } from "../../common/trouble.ts";
import { findQueryFault, type FoundFile, searchMirror } from "../../mirror/operations/search.ts";
import { splitIntoFoundPieces } from "../../markdown/search/snippets.ts";
import { HYBRID_SEARCH_LIMITS, REGEX_SEARCH_LIMITS } from "../../contract/limits.ts";
import type { Command, Io } from "../command.ts";
import { refuseUsage } from "../exit.ts";
import { findMirror } from "../find-mirror.ts";
import { choosePaint, printNotes } from "../text.ts";
import { shownName } from "../../common/shown-words.ts";

export const command: Command = {
  about: [
    "Searches the local files, including edits that are not uploaded. Best first: files with all words, with parts of words, then with some of the words. Works in any writing system. Prints path:line:text.",
    "With --regex: prints the lines that match (RE2 syntax, without back-references) as path:line:column:text.",
    "Exits 0, also when it finds nothing.",
  ],
  examples: ["mdmirror search 'release plan'", "mdmirror search --regex 'TODO|FIXME' notes"],
  options: {
    regex: { help: "read QUERY as a regular expression, applied to each line" },
    limit: {
      value: "N",
      range: [HYBRID_SEARCH_LIMITS.min, HYBRID_SEARCH_LIMITS.max],
      help: `number of files, ${HYBRID_SEARCH_LIMITS.min} to ${HYBRID_SEARCH_LIMITS.max} (default: ${HYBRID_SEARCH_LIMITS.default}; with --regex ${REGEX_SEARCH_LIMITS.default})`,
    },
    json: { help: "print one JSON object: files, each with its lines" },
  },
  operands: { usage: "QUERY [DIR]", least: 1, most: 2, offers: ["nothing", "mirror"] },
  async run(io, args) {
    const query = args.operands[0]!;
    const isRegex = args.flag("regex");
    const limit = args.number("limit") ?? (isRegex ? REGEX_SEARCH_LIMITS : HYBRID_SEARCH_LIMITS).default;
    const fault = findQueryFault(query, isRegex);
    if (fault !== null) return refuseUsage(fault);
    const root = findMirror(io, args.operands[1]);
    const { files, indexed, notes } = unwrap(await searchMirror(root, io.random, { query, regex: isRegex, limit }));
    printNotes(io, notes);
    const lines = files.flatMap((file) => formatMatches(io, file, isRegex));
    const hints = files.length > 0 ? [] : ["mdmirror: nothing found"];
    return { json: { query, regex: isRegex, files, indexed }, lines, hints };
  },
};

/**
 * Returns the matching lines of a file in the format of grep, coloured on a terminal. Returns only
 * the path of an empty file, which has no lines.
 */
function formatMatches(io: Io, { path, lines }: FoundFile, showsColumns: boolean): string[] {
  const paint = choosePaint(io);
  const name = paint.place(shownName(path));
  if (lines.length === 0) return [name];
  return lines.map((line) => {
    const column = showsColumns && line.column !== null ? `:${line.column}` : "";
    const markedPieces = splitIntoFoundPieces(line).map(({ text, isMatch }) => (isMatch ? paint.removed(text) : text));
    return `${name}:${paint.added(String(line.line))}${column}:${markedPieces.join("")}`;
  });
}
