import type { DocId } from "../../contract/ids.ts";
import type { Digest } from "../../model/digest.ts";
import { EXACT_DISK, type LocalPath } from "../../model/path.ts";
import type { Plan, Signals } from "../../planner/plan-types.ts";
import { planQuiet } from "../../planner/quiet-plan.ts";
import type { Policy } from "../../model/policy.ts";
import type { OnText } from "../../ports/disk.ts";
import type { Fault, Held } from "../../ports/remote.ts";
import type { BaseTree, LocalTree, RemoteTree, Trees } from "../../model/tree.ts";
import { readAhead } from "./ahead.ts";
import { flushEarlier, noteBoot, restoreTorn } from "../journal/durable.ts";
import { APPROVE_EMPTY, type PassEnd, type PassInput } from "../run/pass.ts";
import { approvedKeys, gatherSignals } from "../run/guard-facts.ts";
import { hideOpenFolderMoves, hideOpenPosts } from "../journal/open-posts.ts";
import { observeLocal, observeLocalInTurns, type Known, observeRemote, refreshStamps } from "./observe.ts";
import type { StillOpen } from "../journal/recover.ts";
import { keepHere, seenThere } from "../apply/text-name.ts";
import { loadTools, readyTools } from "../run/tools.ts";
import type { PassContext } from "../run/world.ts";

/** The looks of a pass, and what a plan makes of them. */

export type Observed =
  | { readonly kind: "seen"; readonly trees: Trees }
  | { readonly kind: "offline"; readonly fault: Fault };

export async function observe(ctx: PassContext, input: PassInput, inodesTrusted: boolean): Promise<Observed> {
  const { world } = ctx;
  const { state } = world;
  let stillOpen: StillOpen = { ids: new Map(), paths: new Map(), posts: new Map(), folderMoves: new Map() };
  let openPaths = new Map<LocalPath, string>();
  const intents = state.intents();
  let restarted = false;
  if (!input.dry) {
    restarted = noteBoot(world);
    if (intents.length === 0 && !restarted) world.disk.sweep(new Set());
    else {
      const { recoverLocal, recoverRemote } = readyTools() ?? (await loadTools());
      openPaths = recoverLocal(ctx, intents, restarted);
      stillOpen = await recoverRemote(ctx, intents);
    }
  } else {
    // What was parked was replaced to its end; the parked inode is only looked at once more.
    for (const { intent } of intents)
      if ("path" in intent && intent.kind !== "parked")
        openPaths.set(intent.path, "an effect was cut off; the next sync settles it");
  }
  let base = state.load();
  const shown = new Map<Digest, string>();
  const showOnly = (digest: Digest, text: string) => void shown.set(digest, text);
  const keep: OnText = input.dry ? showOnly : keepHere(state, base);
  const keepProof: Known["keep"] = input.dry
    ? showOnly
    : (digest, text, { id, localPath }) => state.putKnownText(digest, text, seenThere(localPath, id));
  // ORDER: the listing is asked for before the walk: the service answers meanwhile.
  const trustEmpty = approvedKeys(world).has(APPROVE_EMPTY);
  let walked: LocalTree | null = null;
  const known = { keep: keepProof, ...(isClone(input, base) ? lookAhead(ctx, () => walked) : {}) };
  const looking = input.observers?.remote(base, trustEmpty) ?? observeRemote(world, base, trustEmpty, known);
  const guarded = looking.catch(() => undefined);
  let local: LocalTree;
  if (input.observers !== undefined) local = input.observers.local(ctx, base, inodesTrusted, keep);
  else if (world.clock.turn === undefined) local = observeLocal(world, base, inodesTrusted, keep);
  else local = await observeLocalInTurns(world, base, inodesTrusted, keep, world.clock.turn);
  walked = local;
  await guarded;
  const remote = await looking;
  if (remote.kind === "unreachable") return { kind: "offline", fault: remote.fault };
  if (!input.dry) {
    const isBack = restarted && (readyTools() ?? (await loadTools())).returnTrashed(ctx, base, local);
    if (isBack) local = observeLocal(world, base, inodesTrusted, keep);
    if (restarted && restoreTorn(ctx, base, local)) {
      base = state.load();
      local = observeLocal(world, base, inodesTrusted, keep);
    }
    base = refreshStamps(world, base, local);
    await flushEarlier(world, base, local);
  }
  for (const folder of remote.tree.folders.values()) ctx.folderIds.set(folder.path, folder.id);
  dryTexts.set(ctx, shown);
  const seen = {
    base,
    local: withReturned(ctx, withUnseen(local, openPaths, stillOpen.paths)),
    remote: withOpenIds(remote.tree, stillOpen.ids),
  };
  const trees = hideOpenFolderMoves(hideOpenPosts(seen, stillOpen.posts), stillOpen.folderMoves);
  ctx.local = trees.local;
  ctx.isListed = trees.remote.complete;
  return { kind: "seen", trees };
}

/** A first look at everything, of which all but what is here already will be created here. */
function isClone({ dry, observers, settings }: PassInput, { links, holds }: BaseTree): boolean {
  return !dry && observers === undefined && settings.direction !== "push-only" && links.size + holds.size === 0;
}

/** A clone's requests need not wait for its plan, nor its plan for the planner's modules. */
function lookAhead(ctx: PassContext, local: () => LocalTree | null): { readonly held: Held } {
  if (readyTools() === null) void loadTools();
  const ahead = readAhead(ctx.world, local);
  ctx.ahead = ahead;
  return {
    held: {
      count: 0,
      find(id, path) {
        if (typeof path === "string") ahead.note(id, path.startsWith("/") ? path.slice(1) : path);
        return -1;
      },
      shows: () => false,
      idAt: () => "",
    },
  };
}

/** Texts of a dry run, which has no store to keep them in. */
const dryTexts = new WeakMap<PassContext, Map<Digest, string>>();

function withReturned({ returned }: PassContext, local: LocalTree): LocalTree {
  return returned === undefined ? local : { ...local, returned };
}

function withUnseen(local: LocalTree, ...more: readonly ReadonlyMap<LocalPath, string>[]): LocalTree {
  if (more.every((map) => map.size === 0)) return local;
  return { ...local, unseen: new Map([...local.unseen, ...more.flatMap((map) => [...map])]) };
}

function withOpenIds(remote: RemoteTree, open: ReadonlyMap<string, string>): RemoteTree {
  if (open.size === 0) return remote;
  const unseen = new Map(remote.unseen);
  const files = new Map(remote.files);
  const gone = new Set(remote.gone);
  for (const [id, why] of open) {
    unseen.set(id as DocId, why);
    files.delete(id as DocId);
    gone.delete(id as DocId);
  }
  return { ...remote, files, gone, unseen };
}

export function policyOf(ctx: PassContext, input: PassInput, absentTwice: ReadonlySet<LocalPath> | null): Policy {
  const { reviewAfterQuiet, secondLookMs, ...settings } = input.settings;
  const traits = ctx.world.remote.traits();
  return {
    ...settings,
    refusedCharacters: traits.refusedCharacters,
    remoteFolding: traits,
    folderMoves: traits.folderPatch !== "no",
    // The root of a mirrored part is a folder there.
    movesToRoot: ctx.world.prefix !== "" || traits.moveToRoot !== "no",
    retryRefused: input.retryRefused,
    quietTexts: input.quietTexts,
    absentTwice,
  };
}

/**
 * An absence here that would delete there needs two looks, some seconds apart: an editor may be
 * between its two steps of a save.
 */
export async function planWithSecondLook(
  ctx: PassContext,
  input: PassInput,
  trees: Trees,
  signals: Signals,
  inodesTrusted: boolean,
): Promise<{ plan: Plan; trees: Trees }> {
  const { world, settings } = { world: ctx.world, settings: input.settings };
  const texts = (digest: Digest) => dryTexts.get(ctx)?.get(digest) ?? world.state.text(digest);
  world.progress.report("plan", 0, null);
  const once = settings.secondLookMs === null ? (input.absentTwice ?? null) : new Set<LocalPath>();
  const policy = policyOf(ctx, input, once);
  const quiet = planQuiet(trees, policy, signals);
  if (quiet !== null) return { plan: quiet, trees };
  const { makePlan } = readyTools() ?? (await loadTools());
  const plan = makePlan(trees, policy, signals, texts);
  const waiting = plan.holds.filter((hold) => hold.reason === "second-look");
  if (settings.secondLookMs === null || waiting.length === 0) return { plan, trees };
  await world.clock.sleep(settings.secondLookMs);
  const showOnly = (digest: Digest, text: string) => void dryTexts.get(ctx)?.set(digest, text);
  const again = observeLocal(
    world,
    trees.base,
    inodesTrusted,
    input.dry ? showOnly : keepHere(world.state, trees.base),
  );
  const unseen = new Map([...trees.local.unseen].filter(([path]) => !again.unseen.has(path)));
  const local = withReturned(ctx, withUnseen(again, unseen));
  ctx.local = local;
  // Which document is where, and which is absent again, is for the plan to say.
  const twice = new Set(waiting.map((hold) => hold.path));
  const seenTwice = { ...trees, local };
  return { plan: makePlan(seenTwice, policyOf(ctx, input, twice), signals, texts), trees: seenTwice };
}

/** Without a root there is nothing to see; the verdict alone says what is wrong. */
export async function planBlind(ctx: PassContext, input: PassInput, root: Signals["root"]): Promise<PassEnd> {
  const { makePlan } = readyTools() ?? (await loadTools());
  const base: BaseTree = ctx.world.state.load();
  const why = "the mirrored folder is not what it was";
  const local: LocalTree = {
    files: new Map(),
    folders: new Map(),
    others: new Map(),
    unseen: new Map([["", why]]),
    disk: EXACT_DISK,
    inodesTrusted: false,
    ignores: () => false,
  };
  const unseen = new Map([...base.links.keys()].map((id) => [id, why] as const));
  const remote: RemoteTree = {
    files: new Map(),
    folders: new Map(),
    complete: false,
    foldersComplete: false,
    gone: new Set(),
    goneFolders: new Set(),
    outside: new Set(),
    unseen,
  };
  const trees = { base, local, remote };
  const signals = gatherSignals(ctx, base, remote, root);
  const plan = makePlan(trees, policyOf(ctx, input, null), signals, (digest) => ctx.world.state.text(digest));
  return { kind: "planned", plan, trees, ends: [] };
}
