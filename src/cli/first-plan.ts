import type { Config, LinkMode } from "../mirror/settings/config.ts";
import { faultTroubleOfInit } from "../mirror/folder/fault-trouble.ts";
import { mirrorsInside, onlyFillsFolder, openUnlinked } from "../mirror/folder/link-folder.ts";
import type { OpenedMirror } from "../mirror/folder/open-mirror.ts";
import { isEmpty, NO_PROPOSAL, type Proposal, proposalFor } from "../mirror/settings/propose-rules.ts";
import { type Preview, previewSync, USUAL_RUN } from "../mirror/folder/run.ts";
import type { TrustedOrigin } from "../mirror/trust/origin.ts";
import { shellWord } from "../mirror/model/shell-word.ts";
import { shownName } from "../common/shown-name.ts";
import type { Io } from "./command.ts";
import { complain } from "./complain.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { showProgress } from "./progress.ts";
import { proposalFlags, proposalLines } from "./show-largest.ts";
import { planLines } from "./show-plan.ts";
import { decideLinks } from "../mirror/operations/links/decide-links.ts";

/** Shows what the first sync would do before a folder is linked, and asks. */

/** Rules for files that are not synced: `--gitignore` and `--ignore`, or the user's answers. */
type Rules = { readonly gitignore: boolean; readonly patterns: readonly string[] };

/** Choices that the user agreed to. `links`: the mode of links, which depends on the workspace. */
type Agreed = Rules & { readonly links: LinkMode };

type Asked = {
  readonly dir: string;
  readonly config: Config;
  readonly origin: TrustedOrigin;
  readonly key: string;
  /** True if the command may not ask questions. */
  readonly yes: boolean;
};

/**
 * Shows the actions by kind with a few names, and asks if necessary. If the user accepts more
 * rules, shows the plan with these rules and asks about that plan.
 */
export async function agreeOnFirstPlan(io: Io, asked: Asked, rules: Rules): Promise<Agreed | ExitCode> {
  const first = await agreeOnce(io, asked, rules, true);
  if (typeof first === "number" || first.kind === "agreed") return endOf(first);
  return endOf(await agreeOnce(io, asked, first.rules, false));
}

type Answer = ({ readonly kind: "agreed" } & Agreed) | { readonly kind: "with-rules"; readonly rules: Rules };

function endOf(answer: Answer | ExitCode): Agreed | ExitCode {
  if (typeof answer === "number") return answer;
  if (answer.kind === "with-rules") throw new Error("rules are proposed once");
  const { links, gitignore, patterns } = answer;
  return { links, gitignore, patterns };
}

async function agreeOnce(io: Io, asked: Asked, rules: Rules, proposes: boolean): Promise<Answer | ExitCode> {
  const { dir, origin, key } = asked;
  const config = { ...asked.config, gitignore: rules.gitignore };
  const progress = showProgress(io, false);
  const { clock, random } = io;
  const mirror = openUnlinked({ dir, config, origin, key, clock, random, progress, ignore: rules.patterns });
  if (mirror.kind === "trouble") return complain(io, mirror.trouble);
  try {
    const preview = await previewSync(mirror.value, USUAL_RUN);
    progress.end();
    if (preview.kind === "offline") return complain(io, faultTroubleOfInit(preview.fault, config.url));
    const [inside] = mirrorsInside(preview);
    if (inside !== undefined) return complain(io, troubleInside(inside));
    showFirst(io, dir, preview);
    const proposal = proposes ? proposalFor(mirror.value, preview, random) : NO_PROPOSAL;
    const wider = await propose(io, asked, rules, proposal);
    if (wider !== null) return { kind: "with-rules", rules: wider };
    const links = await decideLinksHere(io, mirror.value, preview);
    const end = await consent(io, asked, preview, proposal);
    return end === null ? { kind: "agreed", ...rules, links } : end;
  } finally {
    progress.end();
    await mirror.value.close();
  }
}

type Planned = Extract<Preview, { kind: "planned" }>;

function showFirst(io: Io, dir: string, preview: Planned): void {
  io.out(`the first sync of ${shownName(dir)}:`);
  for (const line of planLines(preview, 3).slice(0, -1)) io.out(line);
  if (preview.plan.steps.length === 0) io.out("  nothing to do: both sides are empty or equal");
}

/**
 * Shows the planned files that come from packages or builds. On a terminal, asks whether to exclude
 * them. Returns the rules with the proposal, or null to keep the rules.
 */
async function propose(io: Io, { yes }: Asked, rules: Rules, proposal: Proposal): Promise<Rules | null> {
  if (isEmpty(proposal)) return null;
  io.out("  these look like packages or build output; options that leave them out:");
  for (const line of proposalLines(proposal)) io.out(line);
  if (yes || !io.terminal.input) return null;
  const answer = (await io.ask("leave these out? [Y/n] "))?.trim() ?? "";
  if (!/^(y(es)?)?$/i.test(answer)) return null;
  return {
    gitignore: rules.gitignore || proposal.gitignore !== null,
    patterns: [...rules.patterns, ...proposal.patterns.map(({ pattern }) => pattern)],
  };
}

async function decideLinksHere(io: Io, mirror: OpenedMirror, { trees }: Planned): Promise<LinkMode> {
  const links = await decideLinks(mirror.world, [...trees.remote.files.keys()]);
  if (links === "translate") io.out(BY_ID);
  return links;
}

const BY_ID =
  "on the service, links are document ids; in local files they are paths, so that editors can follow them (to keep ids: mdmirror links keep)";

/** Asks whether to link the folder and carry out the plan. Returns null if the user agrees. */
async function consent(io: Io, asked: Asked, preview: Planned, proposal: Proposal): Promise<ExitCode | null> {
  if (asked.yes) return null;
  if (!io.terminal.input) return onlyFillsFolder(preview) ? null : cannotAsk(io, asked.dir, proposal);
  const answer = await io.ask("link the folder and sync now? [y/N] ");
  if (/^y(es)?$/i.test(answer?.trim() ?? "")) return null;
  io.err("mdmirror: nothing was linked, nothing was written");
  return EXIT.usage;
}

function cannotAsk(io: Io, dir: string, proposal: Proposal): ExitCode {
  const again = `mdmirror init ${shellWord(dir)} --yes with the same options`;
  const next = isEmpty(proposal)
    ? `to do this: ${again}`
    : `to leave out packages and build outputs: ${again} and ${proposalFlags(proposal).join(" ")}; to upload them as well, leave these options out`;
  return complain(io, {
    kind: "usage",
    what: "this first sync would change existing documents, so it needs a confirmation, but no terminal is attached",
    next,
  });
}

function troubleInside(inside: string): Parameters<typeof complain>[1] {
  const what = `${inside} in this folder is a linked folder of its own; its files would be synced twice`;
  return { kind: "usage", what, next: "move it out, or choose another folder" };
}
