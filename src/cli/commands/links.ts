import { unwrap } from "../../common/trouble.ts";
import { type CheckedLinks, checkLinks } from "../../mirror/operations/links/check-links.ts";
import { type LinkForm, planLinkChange } from "../../mirror/operations/links/conversion.ts";
import { plural } from "../../common/quantities.ts";
import { shownName } from "../../common/shown-words.ts";
import type { Args, Command, CommandEnd, Io } from "../command.ts";
import { EXIT, refuseUsage } from "../exit.ts";
import { findMirror } from "../find-mirror.ts";
import { askAgreement, withOpenedMirror } from "../use-mirror.ts";
import { cutLines } from "../text.ts";

const VERBS = ["translate", "keep", "check"] as const;
/** LIMIT: number of paths printed before a question, so that the question stays in view. */
const MAX_PATHS = 5;

export const command: Command = {
  about: [
    "translate: converts links. In local files they are paths, so that editors follow them; on the service they are ids, so that no move breaks them.",
    "keep: leaves links unchanged, so that both sides have the same content. Changing the mode rewrites links in local files and uploads nothing.",
    "check: lists links without a target, with the nearest name. Exits 3 if there are any.",
  ],
  examples: ["mdmirror links check", "mdmirror links translate notes --wiki"],
  options: {
    wiki: { help: "also convert [[Name]] where exactly one document has this name" },
    yes: { short: "y", help: "change the mode without asking" },
    json: { help: "print one JSON object" },
  },
  operands: { usage: "translate|keep|check [DIR]", least: 1, most: 2, words: VERBS, offers: ["mirror"] },
  async run(io, args) {
    const verb = args.operands[0] as (typeof VERBS)[number];
    const wiki = args.flag("wiki");
    if (wiki && verb !== "translate") return refuseUsage("--wiki belongs to links translate");
    const root = findMirror(io, args.operands[1]);
    return verb === "check" ? showLinkCheck(io, args, root) : changeLinks(io, args, root, { mode: verb, wiki });
  },
};

function showLinkCheck(io: Io, args: Args, root: string): Promise<CommandEnd> {
  return withOpenedMirror(io, root, { mode: "read", what: "links", quiet: args.flag("json") }, async ({ world }) => {
    const checkedLinks = checkLinks(world);
    const exit = checkedLinks.broken.length === 0 ? EXIT.inSync : EXIT.attention;
    return { json: checkedLinks, lines: formatLinkCheck(checkedLinks), exit };
  });
}

function formatLinkCheck({ links, documents, broken, pictures }: CheckedLinks): string[] {
  return [
    ...broken.map(({ path, line, destination, nearest }) => {
      const suggestion = nearest === null ? "" : ` (is it ${shownName(nearest)}?)`;
      return `${shownName(path)}:${line}: ${shownName(destination)} has no target${suggestion}`;
    }),
    ...pictures.map(({ path, line, destination }) => {
      return `${shownName(path)}:${line}: the picture ${shownName(destination)} stays local: only documents are synced`;
    }),
    `${plural(links, "link")} in ${plural(documents, "document")}; ${
      broken.length === 0 ? "every link has a target" : `${plural(broken.length, "link")} without a target`
    }`,
  ];
}

function changeLinks(io: Io, args: Args, root: string, form: LinkForm): Promise<CommandEnd> {
  const json = args.flag("json");
  return withOpenedMirror(io, root, { mode: "write", what: "links", quiet: json }, async (mirror) => {
    const plannedChange = unwrap(await planLinkChange(mirror, form));
    const formatChange = (respelled: number, line: string) => {
      return { json: { links: form.mode, wiki: form.wiki, respelled }, lines: [line] };
    };
    if (plannedChange === null) return formatChange(0, `nothing to change: ${describeLinkForm(form)}`);
    const { paths, apply } = plannedChange;
    if (paths.length > 0) {
      const names = paths.map((path) => `  ${shownName(path)}`);
      const title = `links of ${plural(paths.length, "file")} will be rewritten locally; nothing is uploaded`;
      if (!json) for (const line of [title, ...cutLines(names, MAX_PATHS, "  ")]) io.out(line);
      if (!(await askAgreement(io, args, "do this now?", `mdmirror links ${form.mode} --yes`))) return EXIT.usage;
    }
    const fileCount = await apply();
    return formatChange(fileCount, `from now on, ${describeLinkForm(form)}; ${plural(fileCount, "file")} rewritten`);
  });
}

const MODE_SENTENCES = {
  translate: "links are by path in local files, and by id on the service",
  keep: "links stay unchanged on both sides",
} as const;

function describeLinkForm({ mode, wiki }: LinkForm): string {
  return wiki ? `${MODE_SENTENCES[mode]}, [[wiki links]] too` : MODE_SENTENCES[mode];
}
