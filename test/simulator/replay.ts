import * as z from "zod";
import {
  BUNDLE_FORMAT,
  type Bundle,
  comparePlans,
  toPlainPlan,
  replayPlan,
} from "../../src/mirror/operations/doctor/bundle.ts";
import { getSubject } from "../../src/mirror/model/action.ts";

/** Replays the plan in a bundle of `mdmirror doctor --bundle` on a developer's machine. */

const map = z.object({ map: z.array(z.tuple([z.string(), z.unknown()])) });
const set = z.object({ set: z.array(z.string()) });

/** The members that a replay reads. A bundle has more. */
const BUNDLE = z.object({
  format: z.literal(BUNDLE_FORMAT),
  mdmirror: z.string(),
  system: z.string(),
  names: z.enum(["replaced", "kept"]),
  journal: z.array(z.unknown()),
  input: z.object({
    trees: z.object({
      base: z.object({ records: map, dirs: map, tombstones: map, conflicts: map, blocks: map }),
      local: z.object({ files: map, folders: map, others: map, unseen: map, inodesTrusted: z.boolean() }),
      remote: z.object({ files: map, folders: map, gone: set, goneFolders: set, outside: set, unseen: map }),
    }),
    policy: z.object({ direction: z.enum(["both", "pull", "push"]), guards: z.record(z.string(), z.number()) }),
    signals: z.object({ root: z.string(), emptied: set, approved: set }),
  }),
  answers: z.object({ ignores: z.object({ file: map, folder: map }), conflicts: map, texts: map }),
  planned: z.object({
    steps: z.array(z.unknown()),
    blocks: z.array(z.unknown()),
    verdict: z.array(z.unknown()),
    toRead: z.array(z.unknown()),
    renamedForOthers: z.array(z.unknown()),
  }),
});

/**
 * Reads a bundle.
 * @throws if it is not a bundle of the present format
 */
export function readBundle(text: string): Bundle {
  const json: unknown = JSON.parse(text);
  const read = BUNDLE.safeParse(json);
  if (read.success) return json as Bundle;
  const { format } = (json ?? {}) as { readonly format?: unknown };
  if (typeof format !== "string" || !format.startsWith("mdmirror bundle "))
    throw new Error("this is no bundle of mdmirror doctor --bundle");
  const why = format === BUNDLE_FORMAT ? z.prettifyError(read.error) : `this checkout reads ${BUNDLE_FORMAT}`;
  throw new Error(`the bundle cannot be read: it is a ${format} (${why}); replay it at the commit that made it`);
}

/** `lines` describe the new plan, `differences` compare it with the recorded one. */
type Replay = { readonly lines: readonly string[]; readonly differences: readonly string[] };

/**
 * Plans over the trees of a bundle. Returns the plan as text, and its differences from the recorded
 * plan.
 */
export function replayBundle(bundle: Bundle): Replay {
  const { plan, input, unanswered } = replayPlan(bundle);
  const { base, local, remote } = input.trees;
  const differences = comparePlans(bundle.planned, toPlainPlan(plan));
  const { verdict } = plan;
  const stops = verdict.kind === "run" ? [] : verdict.reasons.map(({ reason }) => reason);
  const cover = [
    local.partial === true ? "partly" : "whole",
    remote.complete && remote.foldersComplete ? "whole" : "partly",
  ];
  return {
    differences,
    lines: [
      `mdmirror ${bundle.mdmirror} on ${bundle.system}; names ${bundle.names}`,
      `base: ${base.records.size} documents, ${base.dirs.size} folders, ${base.conflicts.size} conflicts, ${base.blocks.size} blocks`,
      `local: ${local.files.size} documents, ${local.folders.size} folders, seen ${cover[0]}, ${local.unseen.size} paths not seen`,
      `service: ${remote.files.size} documents, ${remote.folders.size} folders, seen ${cover[1]}, ${remote.gone.size} gone`,
      `journal: ${JSON.stringify(bundle.journal)}`,
      ...plan.steps.map(({ action }, at) => `step ${at}: ${action.kind} ${getSubject(action).path}`),
      ...plan.blocks.map(({ reason, path }) => `blocked: ${reason} ${path}`),
      `verdict: ${[verdict.kind, ...stops].join(" ")}`,
      ...(unanswered === 0 ? [] : [`the planner asked ${unanswered} questions that the bundle does not answer`]),
      differences.length === 0 ? "the plan is the recorded one" : "the plan differs from the recorded one (-):",
      ...differences,
    ],
  };
}
