import { expect } from "vitest";
import type { OpenedMirror } from "../../src/mirror/folder/open-mirror.ts";
import { findProblem, type OpenProblem } from "../../src/mirror/operations/manual/problem.ts";
import { resolve as operation, type Resolution } from "../../src/mirror/operations/manual/resolve.ts";
import { carryOut } from "../../src/mirror/operations/run-operation.ts";
import type { Mirror } from "../simulator/mirror.ts";
import type { Rig } from "../simulator/rig.ts";
import { keepsText } from "../promises/fixture.ts";

/** A linked folder with a blocked document, and the command that ends the block. */

/** Ends the open problem of one document by a command, without a sync. */
export async function resolveProblem(
  world: OpenedMirror["world"],
  { path }: OpenProblem,
  { kind: way, ...more }: Resolution,
  { force }: { readonly force: boolean },
) {
  const input = { paths: [path], way, force, noSync: true, ...more };
  const carried = await carryOut(operation, { world } as OpenedMirror, input);
  if (carried.kind === "trouble" || carried.value.kind === "declined") return carried;
  return { kind: "ok", value: carried.value.result.items[0]!.notes };
}

export async function resolve(mirror: Mirror, path: string, way: Resolution["kind"] | Resolution) {
  const world = mirror.world();
  const subject = findProblem(world, path);
  if (subject.kind === "trouble") return subject;
  const resolution = typeof way === "string" ? ({ kind: way } as Resolution) : way;
  return resolveProblem(world, subject.value, resolution, { force: false });
}

export function blocksOf(mirror: Mirror): string[] {
  return [...mirror.state.load().blocks.values()].map(({ reason }) => reason).sort();
}

export function remoteTexts(rig: Rig): Record<string, string> {
  return Object.fromEntries(rig.app.texts());
}

export function localTexts(mirror: Mirror): Record<string, string> {
  return Object.fromEntries(mirror.texts());
}

/** Expects I03: no content is lost. */
export function expectKept(rig: Rig, mirror: Mirror, ...texts: readonly string[]): void {
  expect(texts.filter((text) => !keepsText({ rig, mirror }, text))).toEqual([]);
}
