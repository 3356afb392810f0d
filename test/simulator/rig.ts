import type { ChangeId } from "../../src/contract/ids.ts";
import type { DiskFolding } from "../../src/contract/path.ts";
import { combineByMerge } from "../../src/service/files/files.ts";
import { newId } from "../../src/service/requests/context.ts";
import type { KeyGrant } from "../../src/service/admin/operations.ts";
import { SyncService } from "../sync-service/service.ts";
import { VirtualClock } from "../clocks.ts";
import { loosenService, tightenIds } from "../variants/traits.ts";
import type { Variant, VariantState } from "../variants/variant.ts";
import { varyService } from "../variants/vary-service.ts";
import { App } from "./app.ts";
import { type Dice, rollDice } from "./dice.ts";
import { emptyDatabase } from "./empty-service.ts";
import { foldNames } from "./folding-service.ts";
import { Mirror, type MirrorCopy, type MirrorOptions } from "./mirror.ts";
import { closeWithTest } from "./open-databases.ts";
import { ReadAnswers } from "./read-answers.ts";
import { rethrow } from "./quiet-ports.ts";

/**
 * The whole of mdmirror in one thread: the real engine, planner, client, disk layer and state on a
 * RAM disk, the service in the same process, and virtual time.
 */

export type OwnKey = { readonly id: string; readonly key: string };

/** A copy of a service, with its clock and random numbers. */
export type RigCopy = {
  readonly database: Uint8Array;
  readonly key: string;
  readonly dice: number;
  /** Milliseconds that have passed. */
  readonly elapsed: number;
  readonly requests: number;
  readonly renames: ReadonlyMap<string, number>;
};

/**
 * A deployment: one of the variants, or one that takes several spellings for one name. With
 * `checksLinks` it refuses links without a target.
 */
export type Deployment = Variant & Partial<DiskFolding> & { readonly checksLinks?: boolean };

export class Rig {
  readonly clock: VirtualClock;
  readonly service: SyncService;
  readonly app: App;
  readonly dice: Dice;
  readonly #key: string;
  readonly #handle: SyncService["handle"];
  /** The service without remembered answers: a copy does not change it. */
  readonly #plain: SyncService;
  readonly #varied: VariantState;

  constructor(seed: number, variant: Deployment, combine: typeof combineByMerge, from: RigCopy | null) {
    const dice = rollDice(from?.dice ?? seed);
    const clock = new VirtualClock(false, from?.elapsed);
    this.dice = dice;
    this.clock = clock;
    this.#plain = new SyncService({
      database: from === null ? emptyDatabase() : { copy: from.database },
      now: () => clock.now(),
      random: dice.bytes,
      combine,
      onFault: rethrow,
      ...(variant.checksLinks === true ? { links: "resolve" } : {}),
    });
    closeWithTest(() => this.#plain.close());
    this.#key = from?.key ?? this.#plain.admin.createWorkspace("notes").key;
    const reads = new ReadAnswers(() => newId({ random: dice.bytes }, "req_"), this.#plain.answer);
    const folding = { foldsCase: variant.foldsCase === true, foldsUnicode: variant.foldsUnicode === true };
    const answer = foldNames(
      variant.looseIds === true ? loosenService(reads.answer) : reads.answer,
      folding,
      this.#key,
    );
    this.#varied = {
      requests: from?.requests ?? 0,
      renames: new Map(from?.renames),
      now: () => clock.now(),
      withdraw: async (changeId) => void this.service.admin.reviews.reject(tightenIds(changeId)),
    };
    this.#handle = varyService(async (request) => answer(request), variant, this.#varied);
    this.service = reads.open(this.#plain);
    this.app = new App({ answer }, this.#key);
  }

  /** @param from a copy of a mirror with the same options; this rig must be a copy of its rig */
  mirror(options: MirrorOptions = {}, from: MirrorCopy | null = null): Mirror {
    return new Mirror({ key: this.#key, handle: this.#handle, clock: this.clock, dice: this.dice }, options, from);
  }

  /** Creates another key of the workspace. Without `grants` it may only read. */
  makeKey(...grants: readonly KeyGrant[]): OwnKey {
    const { admin } = this.service;
    const workspaceId = admin.workspaces()[0]!.id;
    const made = admin.createKey({ workspaceId, grants: grants.length === 0 ? [{ on: null, level: "read" }] : grants });
    if (!("key" in made)) throw new Error(made.detail);
    return made;
  }

  /** Sets what a key may do. */
  grant(keyId: string, ...grants: readonly KeyGrant[]): void {
    this.service.admin.changeKey(keyId, { grants });
  }

  /** Returns the ids of the changes in review, oldest first. */
  reviews(): ChangeId[] {
    const { reviews, workspaces } = this.service.admin;
    const all = reviews.page({ workspaceId: workspaces()[0]!.id });
    if (!("data" in all)) throw new Error("no list of reviews");
    return all.data.map(({ id }) => id);
  }

  /** Returns a copy of the service, its clock and its random numbers. Only between two requests. */
  copy(): RigCopy {
    return {
      database: this.#plain.copy(),
      key: this.#key,
      dice: this.dice.seedNow(),
      elapsed: this.clock.monotonic(),
      requests: this.#varied.requests,
      renames: new Map(this.#varied.renames),
    };
  }
}

/** @param from a copy of a rig of the same kind; by default an empty workspace */
export function createRig(
  seed: number,
  variant: Deployment = {},
  combine = combineByMerge,
  from: RigCopy | null = null,
): Rig {
  return new Rig(seed, variant, combine, from);
}
