import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { unwrap } from "../../../src/common/trouble.ts";
import { judgeService, type ConformanceReport } from "../../../src/conformance/judge.ts";
import { CASES_BY_SECTION, type Section } from "../../../src/conformance/sections.ts";
import { httpWire } from "../suite/http-wire.ts";

/** The cases of the contract, run against a service that shares no code with mdmirror. */

const PROGRAM = fileURLToPath(new URL("service.py", import.meta.url));
const KEY = "mdm_of-the-other-service";

const hasPython = spawnSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]).status === 0;
const reason = hasPython ? "" : " (skipped: no python3 of version 3.9 or newer)";

/** URLs of the services, by their fault; null is the service without a fault. */
let urls: ReadonlyMap<string | null, string>;

async function judgeOther(sections: readonly Section[], fault: string | null): Promise<ConformanceReport> {
  const judged = await judgeService({
    exchange: httpWire(urls.get(fault)!),
    url: urls.get(fault)!,
    key: KEY,
    name: "case",
    sections,
    leaveBehind: true,
    onCase: () => undefined,
    stop: new AbortController().signal,
  });
  return unwrap(judged);
}

/** Fault option of the service → the section of the cases that must report it. */
const FAULTS: Readonly<Record<string, Section>> = {
  "spaces-allowed": "paths-and-names",
  "length-unbounded": "limits",
  "any-key": "keys-and-access",
  "cursor-repeats": "pagination",
  "stale-edit-wins": "files",
  "folder-merges": "folders",
  "protection-ignored": "reviews",
  "no-request-id": "errors",
};

describe.skipIf(!hasPython)(`a service in Python${reason}`, () => {
  let service: ChildProcess;
  beforeAll(async () => {
    const faults = [null, ...Object.keys(FAULTS)];
    const args = [PROGRAM, "--key", KEY, ...Object.keys(FAULTS)];
    service = spawn("python3", args, { stdio: ["ignore", "pipe", "inherit"] });
    const ports = createInterface({ input: service.stdout! })[Symbol.asyncIterator]();
    const found = new Map<string | null, string>();
    for (const fault of faults) found.set(fault, `http://127.0.0.1:${(await ports.next()).value}`);
    urls = found;
  });
  afterAll(() => void service.kill());

  test("follows the contract in every section, and offers no search", { timeout: 120_000 }, async () => {
    const report = await judgeOther(Object.keys(CASES_BY_SECTION) as Section[], null);
    expect(report.sections.flatMap(({ differences }) => differences)).toEqual([]);
    expect(report).toMatchObject({ conforms: true, isComplete: true });
    const missing = report.sections.flatMap(({ notOffered }) => notOffered.map(({ operation }) => operation));
    expect([...new Set(missing)]).toEqual(["POST /v1/search"]);
    expect(report.sections.filter(({ notOffered }) => notOffered.length > 0)).toHaveLength(1);
  });

  test.each(Object.entries(FAULTS))("with the fault %s differs in %s", { timeout: 120_000 }, async (fault, section) => {
    const { conforms, sections } = await judgeOther([section], fault);
    expect(conforms).toBe(false);
    expect(sections[0]!.differences.map(({ basis }) => basis)).toContain("published");
  });
});
