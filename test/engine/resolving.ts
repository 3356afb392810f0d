import { resolveProblem, type Resolution } from "../../src/mirror/operations/manual/resolve.ts";
import { findProblem } from "../../src/mirror/operations/manual/open-problem.ts";
import type { RunReport } from "../../src/mirror/engine/run/report.ts";
import { type Mirror, type MirrorOptions, ROOT } from "../simulator/mirror.ts";
import { createRig, type Rig } from "../simulator/rig.ts";
import type { Variant } from "../variants/variant.ts";

/** A mirror with a hold on one of its documents, and how it is ended by hand. */

export async function resolve(mirror: Mirror, path: string, way: Resolution["kind"]) {
  const world = mirror.world();
  const subject = findProblem(world, path);
  if (subject.kind === "trouble") return subject;
  return resolveProblem(world, subject.value, { kind: way } as Resolution, { force: false });
}

export function holdsOf(mirror: Mirror): string[] {
  return [...mirror.state.load().holds.values()].map(({ reason }) => reason).sort();
}

export function remoteTexts(rig: Rig): Record<string, string> {
  return Object.fromEntries([...rig.app.files().values()].map(({ path, text }) => [path, text]));
}

export function here(mirror: Mirror): Record<string, string> {
  return Object.fromEntries(mirror.texts());
}

export function trashOf(mirror: Mirror): string[] {
  const files = mirror.disk.user.texts(`${ROOT}/.mdmirror`, true);
  return [...files].filter(([path]) => path.startsWith("trash/")).map(([, text]) => text);
}

export async function start(
  files: Readonly<Record<string, string>>,
  variant: Variant = {},
  options: MirrorOptions = {},
): Promise<{ rig: Rig; mirror: Mirror; sync: () => Promise<RunReport> }> {
  const rig = createRig(7, variant);
  for (const [path, text] of Object.entries(files)) rig.app.create(path, text);
  const mirror = rig.mirror(options);
  const sync = async () => (await mirror.sync())!;
  await sync();
  return { rig, mirror, sync };
}
