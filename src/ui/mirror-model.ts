import type { FolderStatus, MirrorWord } from "../mirror/folder/all-statuses.ts";
import type { DaemonStatus, CurrentTraffic } from "../mirror/daemon/control/protocol.ts";
import type { MirrorStatus } from "../mirror/folder/read-status.ts";
import { whyNotInSync } from "../mirror/operations/results/needs.ts";
import type { Tone } from "../page/layout.ts";
import type { JobView } from "./jobs.ts";
import { type Need, needsOf } from "./needs.ts";
import type { Ui } from "./page.ts";

/**
 * State of a linked folder as plain data. Has times instead of ages, so that the data stays equal
 * while nothing changes.
 */
export type MirrorModel = {
  readonly name: string;
  readonly root: string;
  readonly addresses: readonly string[];
  /** Name of the state, as in `mdmirror list`. */
  readonly state: MirrorWord;
  readonly tone: Tone;
  /** Reason why the folder is not in sync, as a clause; null if it is in sync, or never was. */
  readonly why: string | null;
  readonly syncedAt: number | null;
  /** Facts about the contents; null if the folder or its state cannot be read. */
  readonly facts: Pick<MirrorStatus, "remote" | "documents" | "folders" | "pending" | "lastRun"> | null;
  readonly daemon: {
    readonly phase: string;
    readonly detail: string;
    readonly paused: boolean;
    readonly traffic: CurrentTraffic | null;
  } | null;
  /** Problems to fix. */
  readonly needs: readonly Need[];
  /** Problems that end by themselves. */
  readonly waits: readonly Need[];
  readonly job: JobView | null;
};

const TONES: Readonly<Record<MirrorWord, Tone>> = {
  "in-sync": "good",
  attention: "asks",
  stopped: "bad",
  offline: "bad",
  never: "asks",
  gone: "quiet",
  other: "quiet",
  untrusted: "bad",
  unreadable: "bad",
};

export function modelOf({ mirror, look, state }: FolderStatus, { jobs }: Pick<Ui, "jobs">): MirrorModel {
  const { name, root, addresses } = mirror;
  const common = { name, root, addresses, state, tone: TONES[state], job: jobs.of(root) };
  if (look.kind === "unseen") {
    const { what, next, code = null } = look.trouble;
    const open = { path: "", kind: state, code, detail: what, next, where: null };
    return { ...common, why: null, syncedAt: null, facts: null, daemon: null, needs: [open], waits: [] };
  }
  const { status, daemon } = look;
  const { remote, documents, folders, pending, lastRun, syncedAt } = status;
  const open = needsOf(status);
  const onlyWaits = state === "attention" && open.needs.length === 0;
  return {
    ...common,
    tone: onlyWaits ? "quiet" : common.tone,
    why: state === "in-sync" || state === "never" ? null : whyNotInSync(status),
    syncedAt,
    facts: { remote, documents, folders, pending, lastRun },
    daemon: daemon === null ? null : daemonOf(daemon),
    ...open,
  };
}

function daemonOf({ phase, detail, paused, traffic = null }: DaemonStatus): NonNullable<MirrorModel["daemon"]> {
  return { phase, detail, paused, traffic };
}
