/**
 * Several processes in one folder at the same time. One works; the others report that the folder is
 * in use, or let the daemon work. Nothing is done twice.
 */
import { type Ended, type Rig, linkAndSync, openRig, run, start, fillService, workOnBothSides } from "./fixture.ts";
import { countDamage, openLedger, recordState } from "./oracle.ts";
import type { Fault, Soak } from "./row.ts";

const DOCUMENTS = 60;
const PROCESSES = 5;
const LOCKED = 6;

async function manySyncs({ rounds, seed }: Soak) {
  const ledger = openLedger();
  const rig = await openRig(seed);
  await fillService(rig, DOCUMENTS);
  await linkAndSync(rig);
  let worked = 0;
  let refused = 0;
  for (let round = 0; round < rounds; round++) {
    await workOnBothSides(rig, round, 6, DOCUMENTS);
    const before = await recordState(rig);
    // The service delays its answers until another process has met the working one.
    const met = Promise.withResolvers<void>();
    const hook = () => met.promise;
    rig.hooks.add(hook);
    const ends = await Promise.all(
      Array.from({ length: PROCESSES }, async () => {
        await new Promise((later) => setTimeout(later, rig.dice.below(400)));
        const end = await run(rig, ["sync", rig.notes]);
        met.resolve();
        return end;
      }),
    );
    rig.hooks.delete(hook);
    for (const { code, out } of ends) {
      ledger.ended(code);
      if (code === 0) worked++;
      else if (code === LOCKED && /in use by/.test(out)) refused++;
      else ledger.broken.push(`round ${round} (seed ${seed}): exit ${code}: ${out.trim()}`);
    }
    if (ends.every(({ code }) => code !== 0)) ledger.broken.push(`round ${round} (seed ${seed}): nobody worked`);
    ledger.add(`round ${round} (seed ${seed})`, await countDamage(rig, before, { syncs: 1 }));
  }
  await rig.end();
  if (refused === 0) ledger.broken.push("no two processes ever met");
  const counted = { ...ledger.figures, worked, refused, exits: ledger.exits() };
  return { fault: "many-syncs", rounds, counted, broken: ledger.broken };
}

/** Runs commands in a folder beside `watch`. */
async function syncWhileWatch({ rounds, seed }: Soak) {
  const ledger = openLedger();
  const rig = await openRig(seed);
  await fillService(rig, DOCUMENTS);
  await linkAndSync(rig);
  const daemon = await startDaemon(rig);
  let asked = 0;
  for (let round = 0; round < rounds; round++) {
    await workOnBothSides(rig, round, 6, DOCUMENTS);
    // The service may merge the daemon's edits with versions that the daemon never saw, so only
    // marks are compared.
    const before = { ...(await recordState(rig)), digests: new Map() };
    const second = start(rig, ["watch", rig.notes]);
    const ends = await Promise.all([
      run(rig, ["sync", rig.notes]),
      run(rig, ["sync", rig.notes, "--max-deletes", "5"]),
      run(rig, ["sync", rig.notes, "--json"]),
      run(rig, ["status", rig.notes, "--json"]),
      second.ended,
    ]);
    for (const [n, end] of ends.entries()) noteEnd(n, end, round);
    ledger.add(`round ${round} (seed ${seed})`, await countDamage(rig, before, { syncs: 1 }));
  }
  daemon.child.kill("SIGTERM");
  const { code, out } = await daemon.ended;
  if (code !== 0) ledger.broken.push(`the daemon ended with ${code}: ${out.slice(-500)}`);
  await rig.end();
  const counted = { ...ledger.figures, "done by the daemon": asked, exits: ledger.exits() };
  return { fault: "sync-while-watch", rounds, counted, broken: ledger.broken };

  function noteEnd(n: number, { code, out }: Ended, round: number): void {
    ledger.ended(code);
    const wanted = n === 4 ? [LOCKED] : n === 1 ? [0, LOCKED] : [0];
    if (n === 0 && code === 0) asked++;
    // `status` may report pending changes.
    if (!wanted.includes(code as 0) && !(n === 3 && code === 3))
      ledger.broken.push(`round ${round} (seed ${seed}), process ${n}: exit ${code}: ${out.trim()}`);
  }
}

/** Starts a daemon. Resolves when it has locked the folder. */
export async function startDaemon(rig: Rig): Promise<ReturnType<typeof start>> {
  let ready: () => void;
  const began = new Promise<void>((resolve) => {
    ready = resolve;
  });
  const daemon = start(rig, ["watch", rig.notes, "--json"], { onLine: () => ready() });
  await Promise.race([began, daemon.ended]);
  return daemon;
}

export const AT_ONCE: readonly Fault[] = [
  { name: "many-syncs", rounds: 20, quick: 2, run: manySyncs },
  { name: "sync-while-watch", rounds: 12, quick: 2, run: syncWhileWatch },
];
