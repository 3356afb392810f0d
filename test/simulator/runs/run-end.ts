import { unreachableTexts } from "../versions.ts";
import type { Actors } from "./actors.ts";
import { actInApp } from "./app-acts.ts";
import { closeAll } from "./user-folder.ts";
import { checkConverged } from "./oracle-end.ts";
import { checkServiceLinks } from "./oracle-links.ts";
import { checkMarks, shownText } from "./ledger.ts";
import { finishSave } from "./local-acts.ts";
import { quietSync, type Script } from "./script.ts";
import type { RunFacts } from "./oracle-run.ts";
import { runSync, settingsOf } from "./sync-step.ts";
import { toApprovalKey } from "../../../src/mirror/planner/verdict/stops.ts";
import { readApprovedKeys } from "../../../src/mirror/engine/run/guard-facts.ts";
import { META } from "../../../src/mirror/engine/run/meta.ts";
import { planOnly } from "../../../src/mirror/engine/run/converge.ts";
import { NO_HOOKS } from "./mirror.ts";

const ROUNDS = 9;
const READ = /^GET \/v1\/files\/([^/?]+)$/;
const SAVE = /^PUT \/v1\/files\/([^/?]+)\/content$/;

/** Ends a run: ends all faults, lets users rest, and checks the promises. */
export async function endRun(actors: Actors, { setup }: Script): Promise<void> {
  const { simulatedWorld, history } = actors;
  await simulatedWorld.late.arrive(true);
  simulatedWorld.endFaults();
  simulatedWorld.admin.setWorkspaceState(simulatedWorld.workspaceId, "open");
  for (const [index, { level }] of setup.mirrors.entries())
    simulatedWorld.grant(index, level === "hide-one-folder" ? "full" : level, 0);
  for (const mirror of actors.mirrors) mirror.direction = "both";
  for (const { userFolder, disk } of actors.mirrors) {
    finishSave(userFolder, history);
    closeAll(userFolder);
    disk.settle();
  }
  const rounds = await settle(actors);
  history.note(`calm after ${rounds} rounds`);
  if (rounds > ROUNDS) {
    history.fail(`I01 I02 I16 no rest after ${ROUNDS} rounds of syncs`);
    return;
  }
  for (const mirror of actors.mirrors) checkConverged(actors, mirror);
  actors.tally.links += checkServiceLinks(actors);
  checkMarks(actors.mirrors, simulatedWorld, history);
  await checkBounded(actors);
}

/** Syncs all mirrors in rounds. Returns the number of rounds until one wrote nothing. */
async function settle(actors: Actors): Promise<number> {
  for (let round = 1; round <= ROUNDS; round++) {
    let quiet = true;
    for (const mirror of actors.mirrors) {
      // The first rounds are manual syncs, which send refused changes again. A key that may only
      // read is refused again each time.
      const facts = await syncQuietly(actors, mirror.index, round <= 3);
      if (facts.report?.state === "stopped") {
        actors.history.note(`approve: ${await approveStop(actors, mirror.index)}`);
        quiet = false;
      }
      if (facts.report?.state === "offline")
        actors.history.fail(`I01 mirror ${mirror.index} is offline in quiet: ${JSON.stringify(facts.report.fault)}`);
      if (wrote(actors, mirror.index, facts)) quiet = false;
    }
    // A version that was shown for less than a minute does not count as seen by its user.
    await actors.simulatedWorld.clock.sleep(70_000);
    if (quiet) return round;
  }
  return ROUNDS + 1;
}

function syncQuietly(actors: Actors, mirror: number, retry: boolean): Promise<RunFacts> {
  return runSync(actors, { ...quietSync(mirror), retry });
}

function wrote(actors: Actors, index: number, { diskWrites }: RunFacts): boolean {
  return diskWrites > 0 || actors.oracles[index]!.requests.some((request) => !request.startsWith("GET "));
}

/**
 * Checks I22 and I33: after a few more edits in the web app, mirrors send one GET for each new
 * version, and none for unchanged documents.
 */
async function checkBounded(actors: Actors): Promise<void> {
  const { simulatedWorld, history } = actors;
  const blocks = actors.mirrors.map((mirror) => blocksOf(actors, mirror.index));
  for (const mirror of actors.mirrors) {
    const facts = await syncQuietly(actors, mirror.index, false);
    if (wrote(actors, mirror.index, facts))
      history.fail(
        `I02 mirror ${mirror.index} writes after a restart: ${actors.oracles[mirror.index]!.requests.filter((one) => !one.startsWith("GET")).join(", ")}`,
      );
    const after = blocksOf(actors, mirror.index);
    if (after !== blocks[mirror.index])
      history.fail(`I22 holds changed by a restart: ${blocks[mirror.index]} → ${after}`);
  }
  const before = new Map(simulatedWorld.files().map((file) => [file.id as string, file.changeId]));
  for (let n = 0; n < 3; n++)
    history.note(actInApp(simulatedWorld, history, n < 2 ? "edit" : "create", 4_711 + n * 13));
  for (const mirror of actors.mirrors) {
    const { heard } = await syncQuietly(actors, mirror.index, false);
    // Each check of an absence also reads a known document, to see that the key works.
    if (heard.includes(404)) continue;
    const { blocks: blocked, conflicts } = mirror.state.load();
    const { requests } = actors.oracles[mirror.index]!;
    for (const [id, count] of countById(requests, READ)) {
      // Blocked documents, and documents in a blocked folder, are read again in each cycle.
      if (blocked.size > 0 || conflicts.has(id as never)) continue;
      // One GET for each version: the web app's, and those that this mirror saved if the answer had
      // no content.
      const versions = 1 + (countById(requests, SAVE).get(id) ?? 0);
      if (count > versions) history.fail(`I33 mirror ${mirror.index} reads ${id} ${count} times`);
      // The document may have been changed by the web app, or by another mirror that can now send
      // an earlier change.
      const isUnchanged = simulatedWorld.files().some((file) => file.id === id && file.changeId === before.get(id));
      if (isUnchanged) history.fail(`I33 mirror ${mirror.index} reads ${id}, which did not change`);
    }
  }
  // A new document in a folder proves that the folder is readable. A document that was blocked in
  // it is then sent as new, which proves the same of another folder. A new document may also be the
  // target of a link that the service refused.
  const rounds = blocks.some((reason) => /gone-or-unreadable|refused/.test(reason)) ? ROUNDS : 1;
  for (let round = 1, quiet = false; round <= rounds && !quiet; round++) {
    quiet = true;
    for (const { index } of actors.mirrors)
      if (wrote(actors, index, await syncQuietly(actors, index, true))) quiet = false;
  }
  checkMarks(actors.mirrors, simulatedWorld, history);
  for (const mirror of actors.mirrors) {
    checkConverged(actors, mirror);
    for (const text of unreachableTexts(mirror.state))
      history.fail(`I03 no history lists what mirror ${mirror.index} keeps: ${shownText(text)}`);
  }
}

function countById(requests: readonly string[], kind: RegExp): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const request of requests) {
    const id = kind.exec(request)?.[1];
    if (id !== undefined) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

function blocksOf(actors: Actors, index: number): string {
  const { blocks } = actors.mirrors[index]!.state.load();
  return [...blocks.values()]
    .map(({ key, reason }) => `${key} ${reason}`)
    .sort()
    .join(", ");
}

const NOT_APPROVABLE: ReadonlySet<string> = new Set(["root-missing", "root-replaced"]);

/**
 * Approves like `mdmirror approve`: makes a new plan, and approves exactly the actions that a
 * safety check stops.
 * @returns the approved actions
 */
export async function approveStop(actors: Actors, index: number): Promise<string> {
  const mirror = actors.mirrors[index]!;
  const exchange = async (request: Parameters<typeof NO_HOOKS.exchange>[0]) =>
    ({ kind: "answer", response: await actors.simulatedWorld.handle(request) }) as const;
  const world = mirror.start({ ...NO_HOOKS, exchange });
  const end = await planOnly(world, { settings: settingsOf(mirror), retryRefused: true, kind: "approve" });
  if (end.kind === "offline" || end.plan.verdict.kind === "run") return "nothing";
  const { reasons, stoppedSteps, byReason } = end.plan.verdict;
  if (reasons.some(({ reason }) => NOT_APPROVABLE.has(reason))) return "nothing";
  const keys = [
    ...(byReason ? reasons.map(({ reason }) => reason) : []),
    ...stoppedSteps.map((step) => toApprovalKey(end.plan.steps[step]!.action)),
  ];
  mirror.state.setMeta(META.approved, JSON.stringify([...new Set([...readApprovedKeys(world), ...keys])].sort()));
  return reasons.map(({ reason }) => reason).join(" ");
}
