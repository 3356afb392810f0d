import { join, resolve } from "node:path";
import type { Config } from "../../app/config.ts";
import type { FoundKey } from "../../app/config/key.ts";
import type { Args, Command, Io } from "../command.ts";
import { complain } from "../complain.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { quoted } from "../find-mirror.ts";
import { showProgress } from "../progress.ts";

const PREFER = ["local", "remote", "each"] as const;
type Prefer = (typeof PREFER)[number];

export const command: Command = {
  usage: "init [DIR] --url URL [--key-file F] [--remote PATH] [--prefer local|remote|each] [--yes]",
  about: [
    "Checks URL and key, shows what the first sync would do, asks, then links DIR (this folder without one) and makes the",
    "first sync, so that the files are there. Nothing is deleted or overwritten by a first sync, on either side. On a folder",
    "that is linked already it stores a new key, and builds a lost state anew from both sides.",
  ],
  options: {
    url: { value: "URL", help: "the service's base URL (else MDMIRROR_URL)" },
    "key-file": { value: "FILE", help: "read the API key from FILE (else MDMIRROR_API_KEY, else the keychain)" },
    remote: { value: "PATH", help: "mirror this folder of the workspace, not all of it" },
    prefer: {
      value: "SIDE",
      help: "whose text wins where both sides have one: local, remote, or each (both are kept)",
    },
    yes: { short: "y", help: "link without a question" },
    "no-store-key": { help: "do not store the key in .mdmirror/key; cron then needs MDMIRROR_API_KEY" },
    "allow-http": {
      value: "HOST",
      multiple: true,
      help: "use plain http to this host, which shows the key to the network",
    },
    "any-folder": { help: "link even a home folder or /" },
  },
  operands: { least: 0, most: 1 },
  async run(io, args): Promise<ExitCode> {
    const prefer = args.text("prefer");
    if (prefer !== null && !PREFER.includes(prefer as Prefer))
      return misused(io, "--prefer takes local, remote or each");
    const dir = resolve(io.cwd, args.operands[0] ?? ".");
    const { judgeFolder } = await import("../../app/link-folder.ts");
    const kind = judgeFolder(dir, io.home, args.flag("any-folder"));
    if (kind.kind === "trouble") return complain(io, kind.trouble);
    if (kind.value === "linked") {
      const { initAgain } = await import("../init-again.ts");
      return initAgain(io, dir, args);
    }
    const config = await newConfig(io, args);
    if (typeof config === "number") return config;
    const { findKey } = await import("../../app/config/key.ts");
    const { env, cwd } = io;
    const key = findKey({ folder: join(dir, ".mdmirror"), keyFile: args.text("key-file"), cwd, env, url: config.url });
    if (key.kind === "trouble") return complain(io, key.trouble);
    return linkNew(io, args, dir, config, key.value, prefer as Prefer | null);
  },
};

async function newConfig(io: Io, args: Args): Promise<Config | ExitCode> {
  const { cleanPrefix, DEFAULT_CONFIG } = await import("../../app/config.ts");
  const { pickUrl } = await import("../../app/open-mirror.ts");
  const given = args.text("url") ?? io.env["MDMIRROR_URL"] ?? "";
  if (given === "") return misused(io, "--url is missing");
  const remote = cleanPrefix(args.text("remote") ?? "");
  if (remote === null) return misused(io, "--remote must be the path of a folder of the workspace");
  const allowHttp = args.texts("allow-http");
  const url = pickUrl({ url: given, allowHttp }, { url: args.text("url"), env: io.env });
  if (url.kind === "trouble") return complain(io, url.trouble);
  if (url.value !== given)
    io.err(`mdmirror: the URL is taken as ${url.value}: what follows is the path of a request, and is added by itself`);
  return { ...DEFAULT_CONFIG, url: url.value, remote, allowHttp };
}

async function linkNew(
  io: Io,
  args: Args,
  dir: string,
  config: Config,
  found: FoundKey,
  prefer: Prefer | null,
): Promise<ExitCode> {
  const { linkFolder } = await import("../../app/link-folder.ts");
  const agreed = await showFirstPlan(io, args, dir, config, found);
  if (agreed !== "agreed") return agreed;
  // A key that the keychain holds stays there alone.
  const stored = args.flag("no-store-key") || found.from === "keychain" ? null : found.key;
  const linked = linkFolder({ dir, config, random: io.random }, stored);
  if (linked.kind === "trouble") return complain(io, linked.trouble);
  io.out(`linked ${dir} to ${new URL(config.url).origin}${config.remote === "" ? "" : `, folder ${config.remote}`}`);
  const { firstSync } = await import("../first-sync.ts");
  return firstSync(io, dir, args.text("key-file"), prefer);
}

/** Counts by action with a few names; then the question, where one is due. */
async function showFirstPlan(
  io: Io,
  args: Args,
  dir: string,
  config: Config,
  found: FoundKey,
): Promise<"agreed" | ExitCode> {
  const { openUnlinked, onlyFillsFolder, mirrorsInside } = await import("../../app/link-folder.ts");
  const { previewSync, USUAL_RUN } = await import("../../app/run.ts");
  const { faultTrouble } = await import("../../app/fault.ts");
  const { planLines } = await import("../show-plan.ts");
  const progress = showProgress(io, false);
  const { clock, random } = io;
  const mirror = openUnlinked({ dir, config, key: found.key, clock, random, progress });
  if (mirror.kind === "trouble") return complain(io, mirror.trouble);
  try {
    const preview = await previewSync(mirror.value, USUAL_RUN);
    progress.end();
    if (preview.kind === "offline") return complain(io, faultTrouble(preview.fault, config.url));
    const [inside] = mirrorsInside(preview);
    if (inside !== undefined) {
      const what = `${inside} in this folder is a mirrored folder of its own; its files would be mirrored twice`;
      return complain(io, { kind: "usage", what, next: "move it out, or choose another folder" });
    }
    io.out(`the first sync of ${dir}:`);
    for (const line of planLines(preview, 3).slice(0, -1)) io.out(line);
    if (preview.plan.steps.length === 0) io.out("  nothing to do yet: both sides are empty, or equal");
    if (args.flag("yes") || (!io.terminal.input && onlyFillsFolder(preview))) return "agreed";
    if (!io.terminal.input) {
      const what = "this first sync does more than fill an empty folder, and there is no terminal to ask on";
      return complain(io, {
        kind: "usage",
        what,
        next: `if that is what you want: mdmirror init ${quoted(dir)} --yes with the same options`,
      });
    }
  } finally {
    progress.end();
    await mirror.value.close();
  }
  const answer = await io.ask("link the folder and do this now? [y/N] ");
  if (/^y(es)?$/i.test(answer?.trim() ?? "")) return "agreed";
  io.err("mdmirror: nothing was linked, nothing was written");
  return EXIT.usage;
}

function misused(io: Io, why: string): ExitCode {
  io.err(`mdmirror init: ${why}`);
  io.err("  next: mdmirror init --help");
  return EXIT.usage;
}
