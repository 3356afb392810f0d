import type { Why } from "../../app/why.ts";
import type { Command, Io } from "../command.ts";
import { complain, origin } from "../complain.ts";
import { actionPath, wordsOf } from "../describe.ts";
import { EXIT } from "../exit.ts";
import { locate } from "../find-mirror.ts";
import { REACH_OPTIONS, useMirror } from "../use-mirror.ts";
import { age, bytes, columns, localTime } from "../when.ts";
import { eventLine } from "./log.ts";

export const command: Command = {
  usage: "why PATH [--json]",
  about: [
    "What the mirror knows of a path: the facts of base, this folder and the service, the rule that applies, the last error",
    "with its request, what the next sync does, and why a file stays local. Writes nothing. Without the service: by the state alone.",
  ],
  options: { json: { help: "one JSON object" }, ...REACH_OPTIONS },
  operands: { least: 1, most: 1 },
  async run(io, args) {
    const place = locate(io, args.operands[0]!);
    if (place.kind === "trouble") return complain(io, place.trouble);
    const { root, path } = place.value;
    const json = args.flag("json");
    const { explain, formerPath } = await import("../../app/why.ts");
    return useMirror(io, args, root, { mode: "read", what: "why", quiet: true }, async (mirror) => {
      const why = await explain(mirror, path);
      if (json) io.out(JSON.stringify(why));
      else for (const line of whyLines(io, why, formerPath(mirror.world.state, path))) io.out(line);
      return EXIT.inSync;
    });
  },
};

function whyLines(io: Io, why: Why, former: string | null): string[] {
  const { link, folder, stays, verdict, hold, holdNext, conflict, lastError, events, offline } = why;
  const facts: string[][] = [];
  if (offline !== null) facts.push(["offline", `the service cannot be asked (${offline.detail}): by the state alone`]);
  facts.push(["base", baseFact(why)], ["here", hereFact(why)]);
  if (offline === null) facts.push(["service", serviceFact(why)]);
  if (stays !== null) facts.push(["stays", `${stays.path === why.path ? "" : `${stays.path} is `}${stays.why}`]);
  if (offline === null && (verdict !== null || link !== null)) facts.push(["rule", ruleFact(why)]);
  if (conflict !== null)
    facts.push(["conflict", `for ${age(io, conflict.since)}; the other version is ${conflict.sidecarPath}`]);
  if (hold !== null) facts.push(["held", `${hold.reason}: ${hold.detail}${origin(hold.code, hold.requestId)}`]);
  if (lastError !== null) facts.push(["error", eventLine(lastError)]);
  if (former !== null && link === null && folder === null)
    facts.push(["was", `a document of this name is ${former} now, or was there last`]);
  facts.push(...nextFacts(why).map((next) => ["next", next]));
  if (holdNext !== null) facts.push(["do", holdNext]);
  const last = events.length === 0 ? [] : ["last events:", ...events.map((event) => `  ${eventLine(event)}`)];
  return [why.path === "" ? "." : why.path, ...columns(facts).map((line) => `  ${line}`), ...last];
}

function ruleFact({ verdict, conflict, path }: Why): string {
  if (verdict === null) return "text unchanged/unchanged → nothing";
  const { cell, rule, moved, placeRule, evidence, localPath } = verdict;
  const found = evidence === null || localPath === path ? "" : `; found by ${evidence}`;
  const text = conflict === null ? rule : "in conflict: nothing is sent until that ends";
  return `text ${cell} → ${text}; place moved by ${moved} → ${placeRule}${found}`;
}

function baseFact({ link, folder }: Why): string {
  if (link !== null) {
    const place = link.remotePath === link.localPath ? "" : `, ${link.remotePath} on the service`;
    const standing = link.standing === "linked" ? "" : `, ${link.standing}`;
    const review = link.submissions.length === 0 ? "" : `, in review since ${localTime(link.submissions[0]!.at)}`;
    return `${link.id} at ${link.changeId}, text ${link.digest.slice(0, 12)}${place}${standing}${review}`;
  }
  return folder === null ? "not linked" : `folder ${folder.id}, ${folder.remotePath} on the service`;
}

function hereFact({ look, link, verdict, path }: Why): string {
  const elsewhere =
    verdict?.localPath != null && verdict.localPath !== path ? `; the document is ${verdict.localPath} now` : "";
  switch (look.kind) {
    case "file": {
      const same = link === null ? "" : look.digest === link.localDigest ? ", as base" : ", differs from base";
      return `a file, ${bytes(look.stamp.size)}, text ${look.digest.slice(0, 12)}${same}${elsewhere}`;
    }
    case "folder":
      return "a folder";
    case "other":
      return "neither a file nor a folder";
    case "absent":
      return `not there${elsewhere}`;
    case "unknown":
      return `cannot be told: ${look.why}`;
  }
}

function serviceFact({ remote, link, folder }: Why): string {
  if (remote === null) return folder === null ? "not there" : "see its documents";
  const moved = link === null || remote.path === link.remotePath ? "" : `, now ${remote.path}`;
  const version =
    link === null
      ? remote.changeId
      : remote.changeId === link.changeId
        ? "as base"
        : `at ${remote.changeId}, edited since base`;
  return `${remote.id} ${version}${moved}${remote.protected ? ", protected" : ""}`;
}

function nextFacts({ path, steps, offline, hold, stays, link, remote, folder }: Why): string[] {
  if (offline !== null) return ["the next sync that reaches the service looks again"];
  if (steps.length > 0)
    return steps.map(({ action, guarded }) => {
      const { arrow, label } = wordsOf(action);
      return `${arrow} ${label}: ${actionPath(action, () => path)}  (${action.why})${guarded ? ", once approved: mdmirror approve" : ""}`;
    });
  if (hold !== null) return ["nothing, while it is held"];
  if (stays !== null) return ["nothing: it stays local"];
  return link === null && remote === null && folder === null
    ? ["nothing: it is on neither side"]
    : ["nothing: both sides agree"];
}
