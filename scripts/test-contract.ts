/**
 * `node scripts/test-contract.ts --url URL --key-file FILE [--admin-key-file FILE] [--only TEXT]`:
 * runs the contract suite against any deployment. The tests create folders `contract-…` in the root
 * and remove them. Tests that need other keys, reviews or workspace states run only with
 * `--admin-key-file`, each in its own workspace.
 *
 * Without `--url` it runs against services in this process, over HTTP: one as it is, then one with
 * the profile `deployed`.
 *
 * - `--profile NAME` runs against a deployment of test/variants/variant.ts. Tests that it cannot
 *   pass are listed with the reason, and must fail.
 *
 * Exit code: 0 all passed, 1 some failed, 2 wrong usage.
 */
import { parseArgs } from "node:util";
import { CONTRACT } from "../test/contract/suite/all.ts";
import { cannotHold } from "../test/contract/suite/cannot-hold.ts";
import { type ContractTest, runContractTest, type Target } from "../test/contract/suite/world.ts";
import { type ProfileName, PROFILES, readProfile, type Variant } from "../test/variants/variant.ts";
import { type Opened, openOther, openOwn } from "./contract/opened.ts";
import { asksForHelp, printUsage } from "./usage.ts";

type Counts = { passed: number; failed: number; skipped: number; readonly excused: Map<string, number> };

/** @param profile null for the service as it is */
async function runSuite({ target, url }: Opened, only: string, profile: ProfileName | null): Promise<number> {
  const stamp = Date.now().toString(36);
  const chosen = CONTRACT.filter((test) => test.title.includes(only));
  const counts: Counts = { passed: 0, failed: 0, skipped: 0, excused: new Map() };
  for (const [i, test] of chosen.entries()) {
    if (test.needs === "admin" && target.adminKey === null) counts.skipped++;
    else
      note(counts, test.title, cannotHold(test.title, variantOf(profile)), await fails(test, target, `${stamp}-${i}`));
  }
  const excused = [...counts.excused.values()].reduce((sum, each) => sum + each, 0);
  const left = counts.skipped === 0 ? "" : `, ${counts.skipped} skipped (they need --admin-key-file)`;
  const apart = excused === 0 ? "" : `, ${excused} that cannot hold for the profile ${profile}`;
  console.log(
    `contract: ${counts.passed} passed, ${counts.failed} failed${apart}${left}, of ${chosen.length}, against ${url}`,
  );
  for (const [why, count] of counts.excused) console.log(`  ${count} cannot hold: ${why}`);
  return counts.failed === 0 ? 0 : 1;
}

function variantOf(profile: ProfileName | null): Variant {
  return profile === null ? {} : PROFILES[profile];
}

/** Runs a test. Returns why it failed; null if it passed. */
async function fails(test: ContractTest, target: Target, unique: string): Promise<string | null> {
  try {
    await runContractTest(test, target, unique);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

function note(counts: Counts, title: string, excuse: string | null, why: string | null): void {
  if (excuse === null && why === null) counts.passed++;
  else if (excuse !== null && why !== null) counts.excused.set(excuse, (counts.excused.get(excuse) ?? 0) + 1);
  else {
    counts.failed++;
    const shownReason = why ?? `it holds, and should not: ${excuse}`;
    console.log(`FAILED  ${title}\n        ${shownReason.replaceAll("\n", "\n        ")}`);
  }
}

const { values } = parseArgs({
  options: {
    url: { type: "string" },
    "key-file": { type: "string" },
    "admin-key-file": { type: "string" },
    only: { type: "string", default: "" },
    profile: { type: "string" },
    help: { type: "boolean", short: "h", default: false },
  },
});

/** @returns the exit code */
async function main(): Promise<number> {
  const { url, profile } = values;
  if (url !== undefined && (values["key-file"] === undefined || profile !== undefined)) {
    console.error("--url needs --key-file, and excludes --profile");
    printUsage(import.meta.url);
    return 2;
  }
  const named = profile === undefined ? null : readProfile(profile);
  if (url !== undefined) return suiteAgainst(openOther(url, values["key-file"]!, values["admin-key-file"]), null);
  let worst = 0;
  for (const each of named === null ? [null, "deployed" as const] : [named])
    worst = Math.max(worst, await suiteAgainst(openOwn(variantOf(each)), each));
  return worst;
}

async function suiteAgainst(opening: Opened | Promise<Opened>, profile: ProfileName | null): Promise<number> {
  const opened = await opening;
  try {
    return await runSuite(opened, values.only, profile);
  } finally {
    await opened.close();
  }
}

if (asksForHelp()) printUsage(import.meta.url);
else process.exitCode = await main();
