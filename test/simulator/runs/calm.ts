import { unreachableTexts } from "../reachable.ts";
import type { Actors } from "./actors.ts";
import { actInApp } from "./app-acts.ts";
import { approveStop } from "./approve.ts";
import { closeAll } from "./editors.ts";
import { checkConverged } from "./oracle-end.ts";
import { checkServiceLinks } from "./oracle-links.ts";
import { checkMarks, shownText } from "./ledger.ts";
import { finishSave } from "./local-texts.ts";
import type { Script, SyncStep } from "./script.ts";
import type { RunFacts } from "./run-facts.ts";
import { runSync } from "./sync-step.ts";

const ROUNDS = 9;
const READ = /^GET \/v1\/files\/([^/?]+)$/;
const SAVE = /^PUT \/v1\/files\/([^/?]+)\/content$/;

/** Ends a run: all faults end, users stop, and the promises are checked. */
export async function calmDown(actors: Actors, { setup }: Script): Promise<void> {
  const { simulatedWorld, history } = actors;
  await simulatedWorld.late.arrive(true);
  simulatedWorld.becomeCalm();
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

/** @returns the number of rounds until one wrote nothing */
async function settle(actors: Actors): Promise<number> {
  for (let round = 1; round <= ROUNDS; round++) {
    let quiet = true;
    for (const mirror of actors.mirrors) {
      // Manual syncs at first: refused changes are tried again, and a key that may only read is
      // refused again each time.
      const facts = await quietSync(actors, mirror.index, round <= 3);
      if (facts.report?.state === "stopped") {
        actors.history.note(`approve: ${await approveStop(actors, mirror.index)}`);
        quiet = false;
      }
      if (facts.report?.state === "offline")
        actors.history.fail(`I01 mirror ${mirror.index} is offline in quiet: ${JSON.stringify(facts.report.fault)}`);
      if (wrote(actors, mirror.index, facts)) quiet = false;
    }
    // A version that was shown for less than a minute does not count as seen.
    await actors.simulatedWorld.clock.sleep(70_000);
    if (quiet) return round;
  }
  return ROUNDS + 1;
}

function quietSync(actors: Actors, mirror: number, retry: boolean): Promise<RunFacts> {
  const step: SyncStep = {
    do: "sync",
    mirror,
    seed: 0,
    retry,
    kill: null,
    storm: null,
    trouble: null,
    interventions: [],
  };
  return runSync(actors, step);
}

function wrote(actors: Actors, index: number, { diskWrites }: RunFacts): boolean {
  return diskWrites > 0 || actors.oracles[index]!.requests.some((request) => !request.startsWith("GET "));
}

/**
 * Checks I22 and I33: after a few more changes in the web app, one GET for each new version, and
 * none for unchanged documents.
 */
async function checkBounded(actors: Actors): Promise<void> {
  const { simulatedWorld, history } = actors;
  const blocks = actors.mirrors.map((mirror) => blocksOf(actors, mirror.index));
  for (const mirror of actors.mirrors) {
    const facts = await quietSync(actors, mirror.index, false);
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
    const { heard } = await quietSync(actors, mirror.index, false);
    // With each check of an absence, a known document is read to see that the key works.
    if (heard.includes(404)) continue;
    const { blocks: blocked, conflicts } = mirror.state.load();
    const { requests } = actors.oracles[mirror.index]!;
    for (const [id, count] of countById(requests, READ)) {
      // Blocked documents, and documents in a blocked folder, are checked again in each cycle.
      if (blocked.size > 0 || conflicts.has(id as never)) continue;
      // One for each version: the web app's, and the ones that this mirror saved, whose answer may
      // show no content.
      const versions = 1 + (countById(requests, SAVE).get(id) ?? 0);
      if (count > versions) history.fail(`I33 mirror ${mirror.index} reads ${id} ${count} times`);
      // By the web app, or by another mirror that can now send a change that it could not send
      // before.
      const isUnchanged = simulatedWorld.files().some((file) => file.id === id && file.changeId === before.get(id));
      if (isUnchanged) history.fail(`I33 mirror ${mirror.index} reads ${id}, which did not change`);
    }
  }
  // A document that comes to a folder shows that the folder is readable. Then a document that was
  // blocked in it is sent as new, and shows the same about another folder. A link that the service
  // refused may have the new document as its target.
  const rounds = blocks.some((reason) => /gone-or-unreadable|refused/.test(reason)) ? ROUNDS : 1;
  for (let round = 1, quiet = false; round <= rounds && !quiet; round++) {
    quiet = true;
    for (const { index } of actors.mirrors)
      if (wrote(actors, index, await quietSync(actors, index, true))) quiet = false;
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
