import type { WireRequest } from "../../src/contract/wire.ts";
import { loadTools } from "../../src/engine/run/tools.ts";
import type { DiskFolding } from "../../src/model/path.ts";
import { combineByMerge } from "../../src/server/combine.ts";
import { newId } from "../../src/server/context.ts";
import { createService, type Service } from "../../src/server/service.ts";
import { type VirtualClock, virtualClock } from "../remote/virtual-clock.ts";
import { loosenService, tightenIds } from "../variants/loose-ids.ts";
import type { Variant, VariantState } from "../variants/variant.ts";
import { varyService } from "../variants/vary-service.ts";
import { App } from "./app.ts";
import { type Dice, rollDice } from "./dice.ts";
import { emptyDatabase } from "./empty-service.ts";
import { foldNames } from "./folding-service.ts";
import { Mirror, type MirrorCopy, type MirrorOptions } from "./mirror.ts";
import { ReadAnswers } from "./read-answers.ts";
import { rethrow } from "./quiet-ports.ts";

/**
 * A whole mdmirror in one thread: the real engine, planner, client, disk layer and state over a RAM
 * disk, the service in process and virtual time.
 */

// Before any virtual time: modules are read in the machine's own.
await loadTools();

export type Rig = {
  readonly clock: VirtualClock;
  readonly service: Service;
  readonly app: App;
  /** @param from of a mirror with the same options on the rig that this one is a copy of */
  mirror(options?: MirrorOptions, from?: MirrorCopy | null): Mirror;
  readonly dice: Dice;
  /** Of the service, its clock and its dice, between two requests. */
  copy(): RigCopy;
};

/** A service with what is around it, as it was. */
export type RigCopy = {
  readonly database: Uint8Array;
  readonly key: string;
  readonly dice: number;
  /** Milliseconds that passed. */
  readonly elapsed: number;
  readonly requests: number;
  readonly renames: ReadonlyMap<string, number>;
};

/** Another deployment: one of the variants, or one that takes several spellings for one name. */
export type Deployment = Variant & Partial<DiskFolding>;

/**
 * @param from what it goes on from: a copy of a rig of the same kind; by default an empty workspace
 */
export function createRig(
  seed: number,
  variant: Deployment = {},
  combine = combineByMerge,
  from: RigCopy | null = null,
): Rig {
  const dice = rollDice(from?.dice ?? seed);
  const clock = virtualClock(false, from?.elapsed);
  const random = (bytes: number) => Uint8Array.from({ length: bytes }, () => dice.below(256));
  const service = createService({
    database: from === null ? emptyDatabase() : { copy: from.database },
    now: () => clock.now(),
    random,
    combine,
    onFault: rethrow,
  });
  const key = from?.key ?? service.admin.createWorkspace("notes").key;
  const folding = { foldsCase: variant.foldsCase === true, foldsUnicode: variant.foldsUnicode === true };
  const reads = new ReadAnswers(() => newId({ random }, "req_"));
  const read = (request: WireRequest) => reads.answer(request, service.answer);
  const answer = foldNames(variant.looseIds === true ? loosenService(read) : read, folding, key);
  const varied: VariantState = {
    requests: from?.requests ?? 0,
    renames: new Map(from?.renames),
    now: () => clock.now(),
    withdraw: (changeId) => void opened.admin.reviews.reject(tightenIds(changeId)),
  };
  const handle = varyService(async (request) => answer(request), variant, varied);
  const opened = reads.open(service);
  return {
    clock,
    service: opened,
    dice,
    app: new App({ answer }, key),
    mirror: (options = {}, copy = null) => new Mirror({ key, handle, clock, dice }, options, copy),
    copy: () => ({
      database: service.copy(),
      key,
      dice: dice.seedNow(),
      elapsed: clock.monotonic(),
      requests: varied.requests,
      renames: new Map(varied.renames),
    }),
  };
}
