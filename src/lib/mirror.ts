import { nextFor } from "../mirror/operations/results/next-step.ts";
import { readDifferences, readHistoryOf, readTexts, readVersion } from "./documents.ts";
import { operationsOf } from "./operations.ts";
import { errorOf, unwrap } from "./with-errors.ts";
import type { Session } from "./session.ts";
import type {
  Difference,
  History,
  Mirror,
  MirrorPlan,
  MirrorWatch,
  OpenConflict,
  OpenBlockedPath,
  StatusReport,
  SyncOptions,
  SyncReport,
  TwoTexts,
  Verification,
} from "./types.ts";
import type { OperationName } from "../mirror/operations/declared/table.ts";
import { stoppableBy } from "../mirror/model/stoppable.ts";
import { Watch } from "./watch.ts";
import { MdmirrorError } from "./error.ts";

export function mirrorOf(session: Session): Mirror {
  return Object.assign(new OpenMirror(session), operationsOf(session));
}

class OpenMirror implements Omit<Mirror, OperationName> {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  get root(): string {
    return this.#session.root;
  }

  status(): Promise<StatusReport> {
    const { root, world } = this.#session;
    return this.#session.run(root, async () => {
      const { ageOf, readFolderStatus } = await import("../mirror/folder/status.ts");
      const { statusJson } = await import("../mirror/operations/results/status.ts");
      const look = await readFolderStatus(root, world);
      if (look.kind === "unseen") throw errorOf(look.trouble, root);
      return statusJson(look.status, ageOf(look.status, world.clock.now()));
    });
  }

  plan(): Promise<MirrorPlan> {
    const { root } = this.#session;
    return this.#session.opened({ mode: "read", what: "plan", path: root }, async (mirror) => {
      const { previewSync, stoppedRun } = await import("../mirror/folder/run.ts");
      const { faultTrouble } = await import("../mirror/folder/fault-trouble.ts");
      const { planJson } = await import("../mirror/operations/results/plan.ts");
      const preview = await previewSync(mirror, stoppedRun(mirror, false));
      if (preview.kind === "offline") throw errorOf(faultTrouble(preview.fault, mirror.url), root);
      const { steps, blocked } = planJson(preview);
      const { versionOfStop } = await import("../mirror/operations/manual/answer-stop.ts");
      const { stopOf } = await import("../mirror/operations/manual/approve.ts");
      const halted = stopOf(preview);
      const safetyStop =
        halted.kind === "nothing" ? null : { reasons: halted.reasons, version: versionOfStop(mirror, halted) };
      return { steps, blocked, safetyStop };
    });
  }

  sync({ direction = "both", maxDeletes, attended = false, signal }: SyncOptions = {}): Promise<SyncReport> {
    const { root, world } = this.#session;
    return this.#session.run(root, async () => {
      const { syncMirror } = await import("../mirror/operations/manual/sync.ts");
      const { reportJson } = await import("../mirror/operations/results/report.ts");
      const request = { direction, maxDeletes: maxDeletes ?? null, attended };
      const stoppable = signal === undefined ? {} : { stoppable: stoppableBy(signal) };
      const { report } = unwrap(await syncMirror(root, request, { ...world, ...stoppable }), root);
      return reportJson(report);
    });
  }

  watch({ signal }: { readonly signal?: AbortSignal } = {}): MirrorWatch {
    const { root, world } = this.#session;
    const { NOTIFY_SOCKET: _socket, WATCHDOG_USEC: _watchdog, ...env } = world.env;
    const watch = new Watch(
      (onEvent, stop) =>
        this.#session.run(root, async () => {
          const { runDaemons } = await import("../mirror/daemon/daemon.ts");
          const quiet = { ...world, env: { ...env, MDMIRROR_NOTIFY: "off" }, onNote: () => undefined };
          const ended = await runDaemons([root], { ...quiet, onEvent: (_root, event) => onEvent(event) }, stop);
          unwrap(ended, root);
        }),
      signal,
    );
    this.#session.onClose(() => watch.stop());
    return watch;
  }

  conflicts(): Promise<{ readonly conflicts: readonly OpenConflict[]; readonly blocked: readonly OpenBlockedPath[] }> {
    return this.#session.local(this.root, async (mirror) => {
      const { listConflicts } = await import("../mirror/operations/manual/conflicts.ts");
      const { conflicts, blocked } = listConflicts(mirror);
      return {
        conflicts: conflicts.map(({ renewed: _renewed, ...one }) => one),
        blocked: blocked.map((hold) => {
          const { path, kind: reason, code, detail, requestId, since } = hold;
          return { path, reason, code, detail, requestId, since, next: nextFor(hold) };
        }),
      };
    });
  }

  async history(path: string): Promise<History> {
    givenPath(path);
    return this.#session.local(path, (mirror) => readHistoryOf(mirror, path));
  }

  async show(path: string, n?: number): Promise<string> {
    const [named, number] = [givenPath(path), givenNumber(n)];
    return this.#session.local(path, (mirror) => readVersion(mirror, named, number));
  }

  differences(): Promise<readonly Difference[]> {
    return this.#session.opened({ mode: "read", what: "diff", path: this.root }, readDifferences);
  }

  async diff(path: string): Promise<TwoTexts> {
    givenPath(path);
    return this.#session.opened({ mode: "read", what: "diff", path }, (mirror) => readTexts(mirror, path));
  }

  verify(): Promise<Verification> {
    const { root } = this.#session;
    return this.#session.opened({ mode: "read", what: "verify", path: root }, async (mirror) => {
      const { verifyMirror } = await import("../mirror/operations/doctor/verify.ts");
      const { faultTrouble } = await import("../mirror/folder/fault-trouble.ts");
      const verified = await verifyMirror(mirror.world);
      if (verified.kind === "offline") throw errorOf(faultTrouble(verified.fault, mirror.url), root);
      return { agree: verified.agree, ...verified.report };
    });
  }

  close(): Promise<void> {
    return this.#session.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/**
 * Checks values from programs without a compiler: a missing member is `undefined`, and must not
 * name a document.
 */

/**
 * Returns the path that a program gave.
 * @throws MdmirrorError of kind `usage`
 */
function givenPath(path: unknown): string {
  if (typeof path !== "string" || path === "") throw unfit("path", "a path as text", path);
  return path;
}

/**
 * Returns the number of a version; null if none was given.
 * @throws MdmirrorError of kind `usage`
 */
function givenNumber(n: unknown): number | null {
  if (n === undefined || n === null) return null;
  if (typeof n !== "number" || !Number.isSafeInteger(n) || n < 1) throw unfit("n", "a whole number from 1 on", n);
  return n;
}

function unfit(name: string, wanted: string, given: unknown): MdmirrorError {
  return new MdmirrorError({
    kind: "usage",
    code: "usage",
    path: "",
    message: `${name} is not ${wanted}, but ${given === null ? "null" : typeof given}`,
    next: `give ${wanted}`,
  });
}
