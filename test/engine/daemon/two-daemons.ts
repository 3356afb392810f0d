import { isConflictCopyName, nameOf } from "../../../src/contract/path.ts";
import { ROOT } from "../../simulator/mirror.ts";
import { createRig, type Deployment } from "../../simulator/rig.ts";
import { type DaemonRig, startDaemon } from "./rig.ts";

const mirrored = (one: DaemonRig) => [...one.mirrored.texts().keys()].filter((path) => isDocument(path));

/**
 * Runs two daemons and a user of the service on one workspace: random edits, renames, deletions and
 * new documents by all three, in virtual time. Then nobody changes anything until both folders and
 * the service must be equal.
 * @returns the differences at the end; empty if there is none
 */
export async function soakTwoDaemons(seed: number, steps: number, deployment: Deployment = {}): Promise<string[]> {
  const rig = createRig(seed, deployment);
  const { dice, app } = rig;
  for (let n = 0; n < 12; n++) app.create(`notes/note-${n}.md`, textOf(n));
  const daemons = [await startDaemon({ rig }), await startDaemon({ rig })];
  let made = 0;

  const pick = <T>(list: readonly T[]): T | undefined => list[dice.below(Math.max(1, list.length))];

  function actLocally(one: DaemonRig, who: string, step: number): void {
    const path = pick(mirrored(one));
    if (path === undefined) return;
    const text = one.mirrored.disk.user.read(`${ROOT}/${path}`) ?? "";
    const what = dice.below(20);
    if (what < 13) one.save(path, withLine(text, who, step));
    else if (what < 15) one.save(`notes/${who}-${made++}.md`, textOf(1_000 + made));
    else if (what < 18) {
      const to = `${path.slice(0, -".md".length)}-${who}${step}.md`;
      if (to.length < 60) one.rename(path, to);
    } else if (mirrored(one).length > 8) one.remove(path);
  }

  function actOnService(step: number): void {
    const path = pick([...app.files().keys()]);
    if (path === undefined) return;
    const what = dice.below(10);
    if (what < 7) app.edit(path, withLine(app.text(path)!, "app", step));
    else if (what < 9) {
      const to = `${nameOf(path).slice(0, -".md".length)}-app${step}.md`;
      if (to.length < 60) app.rename(path, to);
    } else app.create(`notes/app-${made++}.md`, textOf(1_000 + made));
  }

  for (let step = 0; step < steps; step++) {
    const who = dice.below(5);
    if (who < 4) actLocally(daemons[who % 2]!, who % 2 === 0 ? "ann" : "bob", step);
    else actOnService(step);
    for (let n = dice.below(3); n > 0; n--) await daemons[0]!.pass(dice.below(4_000));
    await daemons[0]!.pass(dice.below(200) + 1);
  }
  // Long enough for all grace periods, idle polls and a periodic scan.
  await daemons[0]!.pass(1_500_000);
  const wrong = daemons.flatMap((one, index) => differences(one, index));
  for (const one of daemons) await one.stop();
  return wrong;
}

function differences(one: DaemonRig, index: number): string[] {
  const [here, there] = [one.mirrored.texts(), one.app.files()];
  const { blocks, conflicts } = one.mirrored.state.load();
  const blocked = new Set([...blocks.values()].map(({ path }) => path));
  const wrong = [...blocks.values()]
    .filter(({ reason }) => reason !== "conflict")
    .map((block) => `hold ${block.reason} ${block.path}`);
  for (const [path, { text, id }] of there) {
    if (conflicts.has(id)) continue;
    if (here.get(path) !== text) wrong.push(`${path} differs`);
  }
  for (const path of here.keys())
    if (isDocument(path) && !there.has(path) && !blocked.has(path)) wrong.push(`${path} is only here`);
  const { phase } = one.daemon.status();
  if (phase.kind !== "idle") wrong.push(`it is ${phase.kind}`);
  return wrong.map((what) => `mirror ${index}: ${what}`);
}

function isDocument(path: string): boolean {
  return !isConflictCopyName(nameOf(path));
}

const WHO = ["ann", "bob", "app"];

/** Each of the three has its own paragraph, far enough from the others' that their edits merge. */
function textOf(n: number): string {
  return `# Note ${n}\n\n${WHO.map((who) => `## Of ${who} in note ${n}\n\n${who}: nothing yet\n\nA paragraph between, number ${n}.\n`).join("\n")}`;
}

function withLine(text: string, who: string, step: number): string {
  return text.replace(new RegExp(`^${who}: .*$`, "m"), `${who}: step ${step}`);
}
