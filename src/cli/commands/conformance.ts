import { ALLOW_HTTP_OPTION } from "../use-mirror.ts";
import { plural } from "../../common/quantities.ts";
import { shownWords } from "../../common/shown-words.ts";
import { type Result, unwrap } from "../../common/trouble.ts";
import type { Wire } from "../../common/wire.ts";
import {
  differsFromContract,
  type JudgeOptions,
  judgeService,
  type ConformanceReport,
  type SectionReport,
} from "../../conformance/judge.ts";
import { NoAnswerError, waitForRetryAfter } from "../../conformance/observe.ts";
import { type Section, CASES_BY_SECTION } from "../../conformance/sections.ts";
import type { Exchange } from "../../conformance/world.ts";
import { findKey } from "../../mirror/settings/key.ts";
import { openWire } from "../../mirror/trust/connect.ts";
import { readUserOrigin } from "../../mirror/trust/gate.ts";
import type { Args, Command, Io } from "../command.ts";
import { EXIT } from "../exit.ts";
import { formatCounts } from "../text.ts";

const SECTION_NAMES = Object.keys(CASES_BY_SECTION) as Section[];

/**
 * LIMIT: milliseconds to wait for one answer, and bytes of one answer, so that a faulty service
 * cannot stop the checks. The largest valid answer is a page of 1,000 files.
 */
const ANSWER_BOUNDS = { deadlineMs: 60_000, maxBytes: 64 * 1024 * 1024 } as const;

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
    section: {
      value: "NAME",
      multiple: true,
      choices: SECTION_NAMES,
      help: `only this section: ${SECTION_NAMES.join(", ")}`,
    },
    "leave-behind": {
      help: "also run cases that leave a change in review, or a folder where the service cannot delete folders",
    },
    ...ALLOW_HTTP_OPTION,
    json: { help: "print one JSON object with the differences of each section" },
  },
  operands: { usage: "URL", least: 1, most: 1, offers: ["nothing"] },
  async run(io, args) {
    const { env, cwd } = io;
    const url = args.operands[0]!;
    // `readUserOrigin` returns null only without a URL.
    const origin = unwrap(readUserOrigin({ url, env: {}, allowHttp: args.texts("allow-http") })!);
    const { key } = unwrap(findKey({ folder: null, keyFile: args.text("key-file"), cwd, env, origin }));
    const wire = openWire(origin);
    try {
      const json = unwrap(await runJudge(io, args, { url, wire, key }));
      const exitCode = json.conforms ? EXIT.inSync : EXIT.attention;
      return { json, lines: formatReport(json).map(shownWords), exit: exitCode };
    } finally {
      await wire.close();
    }
  },
};

type JudgedService = Pick<JudgeOptions, "url" | "key"> & { readonly wire: Wire };

async function runJudge(io: Io, args: Args, { url, wire, key }: JudgedService): Promise<Result<ConformanceReport>> {
  const exchange: Exchange = async (request) => {
    const result = await wire.send(request, ANSWER_BOUNDS);
    if (result.kind !== "answer") throw new NoAnswerError(result.why);
    return result.response;
  };
  const name = `mdmirror-conformance-${io.random.hex(8)}`;
  const leavesFolders = args.flag("leave-behind");
  io.err(
    `Creates folders ${name}-… at the root of the workspace, and deletes ${leavesFolders ? "those that it can" : "them"}.`,
  );
  const wantedSections = args.texts("section");
  const { value } = await io.stoppable((stop) =>
    judgeService({
      exchange: waitForRetryAfter(exchange, io.clock, stop),
      url,
      key,
      name,
      sections: SECTION_NAMES.filter((section) => wantedSections.length === 0 || wantedSections.includes(section)),
      leaveBehind: leavesFolders,
      onCase: (done, total) => {
        if (io.terminal.error) io.status(`case ${done + 1} of ${total}`);
      },
      stop,
    }),
  );
  if (io.terminal.error) io.status("");
  return value;
}

function formatReport({ conforms, isComplete, sections, leftBehind }: ConformanceReport): string[] {
  return [
    ...sections.flatMap(formatSection),
    ...leftBehind.map((path) => `left behind: ${path}`),
    ...(isComplete ? [] : ["stopped: some cases did not run"]),
    formatVerdict(conforms, sections),
  ];
}

function formatVerdict(conforms: boolean, sections: readonly SectionReport[]): string {
  if (conforms) return "the service follows the contract";
  return differsFromContract(sections)
    ? "the service does not follow the contract, as far as it was checked"
    : "the cases that ran found no difference from the contract";
}

function formatSection({ section, passed, differences, notOffered, skipped }: SectionReport): string[] {
  const publishedDifferences = differences.filter(({ basis }) => basis === "published");
  const notPassedCounts = formatCounts([
    [publishedDifferences.length, "differ"],
    [differences.length - publishedDifferences.length, "assumed, differ"],
    [notOffered.length, "not offered"],
    [skipped.length, "skipped (--leave-behind)"],
  ]);
  const operations = [...new Set(notOffered.map(({ operation }) => operation))];
  return [
    `${section}: ${plural(passed, "case")} passed${notPassedCounts === "" ? "" : `, ${notPassedCounts}`}`,
    ...operations.map((operation) => `  not offered: ${operation}`),
    ...differences.flatMap(({ title, basis, request, status, detail }) => [
      `  ${basis === "assumed" ? "assumed, differs" : "differs"}: ${title}`,
      `    ${request === null ? "" : `${request} answered ${status}: `}${detail}`,
    ]),
  ];
}
