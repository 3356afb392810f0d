import type { DocId } from "../../contract/ids.ts";
import type { Digest } from "../../model/digest.ts";
import type { Hold } from "../../model/link.ts";
import type { LocalPath } from "../../model/path.ts";
import type { BaseTree, LocalTree, Trees } from "../../model/tree.ts";
import type { PassEnd, PassContext } from "../run/pass-context.ts";
import type { RunReport } from "../run/report.ts";
import type { Settings, World } from "../run/world.ts";
import { createDirtyBook, type DirtyBook } from "./dirty.ts";
import { createGraces, type Graces } from "./grace.ts";
import { findEmptied, hidePaths, isHidden } from "./judge.ts";
import { createRest, type Rest } from "./rest.ts";
import { type RunEnd, runPart, runPasses } from "./run-passes.ts";
import { createKnownTrees, type KnownTrees } from "./known-trees.ts";
import { createStalePaths } from "./stale-path.ts";
import type { DaemonTiming } from "./timing.ts";

/** What the daemon knows between passes, and how a run is made of it. */
export type Work = {
  readonly dirty: DirtyBook;
  readonly graces: Graces;
  readonly knownTrees: KnownTrees;
  /** Protected texts on their way to review. */
  readonly quiet: Rest<DocId, Digest>;
  /** Documents that became empty. */
  readonly emptied: Rest<LocalPath, string>;
  run(retryRefused: boolean): Promise<RunEnd & Deletions>;
  /**
   * The documents at these paths, where they were edited where they stand, while all else is calm.
   * `same`: nothing is different; `whole`: a whole pass must judge.
   * @param last the report of the last run
   */
  part(paths: readonly LocalPath[], last: RunReport): "same" | "whole" | Trees;
  /** @returns `whole`: a whole pass must judge, or go on where one did not end well */
  runPart(part: Trees, last: RunReport): Promise<"whole" | RunEnd>;
  /**
   * Whether the last pass left one of these unjudged because it had not settled: it is to be
   * judged, even if it has not changed since.
   */
  hidAny(paths: readonly LocalPath[]): boolean;
};

export type Deletions = {
  /**
   * What began to wait, and whether it is in conflict: then it comes back instead of being deleted
   * there.
   */
  readonly begun: ReadonlyMap<LocalPath, { readonly inConflict: boolean }>;
  readonly calledOff: ReadonlySet<LocalPath>;
};

/**
 * What several passes of one run saw, told as one: what one began and another called off is no
 * news.
 */
export function noteDeletions(
  told: { begun: Map<LocalPath, { readonly inConflict: boolean }>; calledOff: Set<LocalPath> },
  begun: ReadonlyMap<LocalPath, { readonly inConflict: boolean }>,
  calledOff: readonly LocalPath[],
): void {
  for (const path of calledOff) if (!told.begun.delete(path)) told.calledOff.add(path);
  for (const [path, how] of begun) if (!told.calledOff.delete(path)) told.begun.set(path, how);
}

/** @param letGo nothing of base need be kept loaded */
export function createWork(world: World, settings: Settings, timing: DaemonTiming, letGo: () => void): Work {
  const dirty = createDirtyBook(timing);
  const graces = createGraces(timing);
  const knownTrees = createKnownTrees(world, letGo);
  const quiet = createRest<DocId, Digest>(timing.reviewQuietMs);
  const emptied = createRest<LocalPath, string>(timing.emptyMs);
  const stalePaths = createStalePaths(timing.stalePathMs);
  const now = () => world.clock.monotonic();
  let stopped: ReadonlySet<LocalPath> = new Set();
  let unsettled: ReadonlyMap<LocalPath, string> = new Map();

  function judge(ctx: PassContext, base: BaseTree, tree: LocalTree, again: () => LocalTree): LocalTree {
    const shown = show(tree, base);
    return stalePaths.redirect(ctx, base, shown, now()) ? show(again(), base) : shown;
  }

  function show(tree: LocalTree, base: BaseTree): LocalTree {
    const found = findEmptied(tree, base);
    emptied.see(now(), found);
    const over = emptied.rested(now());
    const waiting = new Map([...found].filter(([path]) => !over.has(path)));
    unsettled = dirty.unsettled(now());
    return hidePaths(tree, new Map([...waiting, ...unsettled]));
  }

  return {
    dirty,
    graces,
    knownTrees,
    quiet,
    emptied,
    hidAny: (paths) => paths.some((path) => unsettled.has(path)),
    async run(retryRefused) {
      let sent: ReadonlySet<LocalPath> = new Set();
      const deletions = {
        begun: new Map<LocalPath, { readonly inConflict: boolean }>(),
        calledOff: new Set<LocalPath>(),
      };
      const observers = knownTrees.observers(judge);
      const ended = await runPasses(world, {
        settings,
        retryRefused,
        look() {
          // What a guard stopped has had its grace, and stays stopped by it, not by a new grace.
          sent = new Set([...graces.due(now()), ...stopped]);
          return { observers, quietTexts: quiet.rested(now()), absentTwice: sent };
        },
        onPass(end) {
          knownTrees.learn(end);
          // Nobody looked: no absence has been watched meanwhile.
          if (end.kind === "planned" && end.trees.local.unseen.has("")) graces.restart(now());
          if (end.kind === "offline" || end.trees.local.unseen.has("")) return;
          stalePaths.learn(end, end.trees.base, now());
          const { holds } = end.plan;
          const absent = holds.filter(({ reason }) => reason === "second-look");
          const { base, local } = end.trees;
          const hows = new Map(absent.map(({ path, key }) => [path, { inConflict: base.conflicts.has(key as DocId) }]));
          stopped = stoppedDeletions(end);
          const { begun, ended: over } = graces.see(new Set(hows.keys()), now(), (path) =>
            isHidden(path, local.unseen),
          );
          noteDeletions(
            deletions,
            new Map(begun.map((path) => [path, hows.get(path)!])),
            over.filter((path) => !sent.has(path)),
          );
          quiet.see(now(), textsWaiting(holds));
        },
      });
      knownTrees.settle(ended.end);
      return { ...ended, ...deletions };
    },
    part(paths, last) {
      if (last.state !== "in-sync" && last.state !== "attention") return "whole";
      // Where a whole folder is not settled yet, nothing in it is judged.
      const waiting = dirty.unsettled(now());
      if (waiting.has("") || paths.some((path) => isHidden(path, waiting))) return "whole";
      return knownTrees.part(paths);
    },
    async runPart(part, last) {
      const ended = await runPart(world, settings, part, last);
      if (ended === "whole" || ended.done) return ended;
      knownTrees.forgetRemote(false);
      return "whole";
    },
  };
}

function textsWaiting(holds: readonly Hold[]): Map<DocId, Digest> {
  const texts = new Map<DocId, Digest>();
  for (const { reason, key, digest } of holds)
    if (reason === "review-quiet" && digest !== null) texts.set(key as DocId, digest);
  return texts;
}

/** Local paths of the deletions that a guard holds back. */
function stoppedDeletions({ plan }: Extract<PassEnd, { kind: "planned" }>): ReadonlySet<LocalPath> {
  const paths = new Set<LocalPath>();
  if (plan.verdict.kind !== "halt") return paths;
  for (const index of plan.verdict.guarded) {
    const action = plan.steps[index]?.action;
    if (action?.kind === "delete-remote") paths.add(action.localPath);
  }
  return paths;
}
