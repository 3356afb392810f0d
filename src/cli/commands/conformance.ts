import { ALLOW_HTTP_OPTION } from "../use-mirror.ts";
import { plural } from "../../common/count.ts";
import { failureWords } from "../../common/failure-words.ts";
import { shownWords } from "../../common/shown-name.ts";
import { type Trouble, TroubleError, unwrap } from "../../common/trouble.ts";
import type { Wire } from "../../common/wire.ts";
import { type Judgement, judgeService, type Report, type SectionReport } from "../../conformance/judge.ts";
import { NoAnswerError, waitingForRetryAfter } from "../../conformance/observe.ts";
import { type Section, SECTIONS } from "../../conformance/sections.ts";
import type { Exchange } from "../../conformance/world.ts";
import { findKey } from "../../mirror/settings/key.ts";
import { openWire } from "../../mirror/trust/connect.ts";
import { originOfUser } from "../../mirror/trust/gate.ts";
import type { Args, Command, Io } from "../command.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { showResult } from "../show-result.ts";
import { countWords } from "../text.ts";

const NAMES = Object.keys(SECTIONS) as Section[];

/** LIMIT: time and bytes of one answer. A page of 1,000 files is the largest. */
const BOUNDS = { deadlineMs: 60_000, maxBytes: 64 * 1024 * 1024 } as const;

export const command: Command = {
  about: [
    "Sends requests to a service, compares its answers with the contract of the API, and reports each difference by section.",
    "Writes to the workspace of the key: it creates folders mdmirror-conformance-… at the root and deletes them. It changes no other document. The key needs full access.",
    "Where the published contract says nothing, mdmirror chose; such a difference is reported as assumed and does not count. Nor does an operation that the contract leaves open and the service does not offer.",
    "Exit codes: 0 if the service follows the contract, 3 if it differs, 5 if it cannot be reached or refuses the key.",
  ],
  examples: [
    "mdmirror conformance https://docs.example.com --key-file key.txt",
    "mdmirror conformance http://localhost:8787 --key-file key.txt --section files --json",
  ],
  options: {
    "key-file": { value: "FILE", help: "file with the API key (default: MDMIRROR_API_KEY, then the keychain)" },
    section: { value: "NAME", multiple: true, choices: NAMES, help: `only this section: ${NAMES.join(", ")}` },
    "leave-behind": {
      help: "also run cases that leave a change in review, or a folder where the service cannot delete folders",
    },
    ...ALLOW_HTTP_OPTION,
    json: { help: "print one JSON object with the differences of each section" },
  },
  operands: { usage: "URL", least: 1, most: 1, offers: ["nothing"] },
  async run(io, args) {
    const { wire, key } = openService(io, args);
    try {
      return await report(io, args, await judgeOver(io, args, wire, key));
    } finally {
      await wire.close();
    }
  },
};

function openService(io: Io, args: Args): { readonly wire: Wire; readonly key: string } {
  const { env, cwd } = io;
  // Not null, because the user passed a URL.
  const origin = unwrap(originOfUser({ url: args.operands[0]!, env: {}, allowHttp: args.texts("allow-http") })!);
  const { key } = unwrap(findKey({ folder: null, keyFile: args.text("key-file"), cwd, env, origin }));
  return { wire: openWire(origin), key };
}

async function judgeOver(io: Io, args: Args, wire: Wire, key: string): Promise<Judgement> {
  const exchange: Exchange = async (request) => {
    const result = await wire.send(request, BOUNDS);
    if (result.kind !== "answer") throw new NoAnswerError(result.why);
    return result.response;
  };
  const name = `mdmirror-conformance-${io.random.hex(8)}`;
  const leaves = args.flag("leave-behind") ? "deletes those that it can" : "deletes them";
  io.err(`Creates folders ${name}-… at the root of the workspace, and ${leaves}.`);
  const wanted = args.texts("section");
  const { value } = await io.stoppable((stop) =>
    judgeService({
      exchange: waitingForRetryAfter(exchange, (ms) => io.clock.sleep(ms, stop)),
      key,
      name,
      sections: wanted.length === 0 ? NAMES : NAMES.filter((section) => wanted.includes(section)),
      leaveBehind: args.flag("leave-behind"),
      onCase: (done, total) => {
        if (io.terminal.error) io.status(`case ${done + 1} of ${total}`);
      },
      stop,
    }),
  );
  if (io.terminal.error) io.status("");
  return value;
}

function report(io: Io, args: Args, judged: Judgement): ExitCode {
  if (judged.kind !== "judged") throw new TroubleError(troubleOf(args.operands[0]!, judged));
  const { report: json } = judged;
  const exit = json.conforms ? EXIT.inSync : EXIT.attention;
  return showResult(io, args.flag("json"), { json, lines: linesOf(json).map(shownWords), exit });
}

function troubleOf(url: string, judged: Exclude<Judgement, { kind: "judged" }>): Trouble {
  switch (judged.kind) {
    case "unreachable": {
      const what = `the service cannot be reached (${url}): ${failureWords(judged.why)}`;
      return { kind: "offline", what, next: "check the URL, then run it again" };
    }
    case "refused": {
      const what = `the service answered ${judged.request} with status ${judged.status}`;
      return { kind: "offline", what, next: "check the URL and the key; the key needs full access to the workspace" };
    }
    case "foreign":
      return { kind: "offline", what: `the answer of ${url} to GET /v1/files is no list`, next: "check the URL" };
    case "cannot-clear": {
      const what = `the service did not delete the folder ${judged.folder}, so that each case would leave one`;
      return { kind: "usage", what, next: "to run the cases and leave their folders: add --leave-behind" };
    }
  }
}

function linesOf({ conforms, isComplete, sections, leftBehind }: Report): string[] {
  return [
    ...sections.flatMap(sectionLines),
    ...leftBehind.map((path) => `left behind: ${path}`),
    ...(isComplete ? [] : ["stopped: some cases did not run"]),
    conforms
      ? "the service follows the contract"
      : "the service does not follow the contract, as far as it was checked",
  ];
}

function sectionLines({ section, passed, differences, notOffered, skipped }: SectionReport): string[] {
  const published = differences.filter(({ basis }) => basis === "published");
  const others = countWords([
    [published.length, "differ"],
    [differences.length - published.length, "assumed, differ"],
    [notOffered.length, "not offered"],
    [skipped.length, "skipped (--leave-behind)"],
  ]);
  const operations = [...new Set(notOffered.map(({ operation }) => operation))];
  return [
    `${section}: ${plural(passed, "case")} passed${others === "" ? "" : `, ${others}`}`,
    ...operations.map((operation) => `  not offered: ${operation}`),
    ...differences.flatMap(({ title, basis, request, status, detail }) => [
      `  ${basis === "assumed" ? "assumed, differs" : "differs"}: ${title}`,
      `    ${request === null ? "" : `${request} answered ${status}: `}${detail}`,
    ]),
  ];
}
