/** Reads the status of linked folders for pages. */

import { toAttentionJson, type OpenProblems } from "../mirror/operations/results/attention.ts";
import type { AttentionEntry } from "../mirror/operations/results/shapes.ts";
import type { DaemonStatus } from "../mirror/daemon/control/protocol.ts";
import { type FolderStatus, type MirrorStatus, readAllStatuses, type StatusOptions } from "../mirror/folder/status.ts";
import { BLOCK_REASONS, type BlockReason } from "../mirror/model/block.ts";
import { type ListedMirror, isSameName } from "../mirror/trust/list.ts";
import { checkOwner, examineFolder } from "../mirror/trust/owner.ts";
import type { Clock } from "../common/clock.ts";
import { ok, refusal, type Result, type Trouble } from "../common/trouble.ts";
import { documentAddress, mirrorAddress } from "./addresses.ts";
import type { Jobs, JobView } from "./jobs.ts";

/** An open problem. `address`: address of the page that solves it; null without such a page. */
export type LinkedProblem = AttentionEntry & { readonly address: string | null };

export type Folder = Pick<ListedMirror, "name" | "root" | "addresses"> & {
  readonly state: FolderStatus["state"];
  /** Status; null if the folder or its state file cannot be read. */
  readonly status: MirrorStatus | null;
  readonly trouble: Trouble | null;
  readonly daemon: DaemonStatus | null;
  readonly needs: readonly LinkedProblem[];
  /** Problems that end without an action of the user. */
  readonly waits: readonly LinkedProblem[];
  readonly job: JobView | null;
};

/**
 * All linked folders of this user. `unfit`: messages about folders in the user's list that the
 * pages cannot show.
 */
export type AllFolders = { readonly folders: readonly Folder[]; readonly unfit: readonly string[] };

type FoldersContext = StatusOptions & { readonly clock: Clock; readonly jobs: Jobs };

export class Folders {
  readonly #world: FoldersContext;
  readonly #roots: Set<string> | null;

  /**
   * @param roots real paths of the linked folders to show; null to show all linked folders of this
   * user
   */
  constructor(world: FoldersContext, roots: ReadonlySet<string> | null) {
    this.#world = world;
    this.#roots = roots === null ? null : new Set(roots);
  }

  /** Adds a folder that was just linked to the folders that the pages show. */
  add(root: string): void {
    this.#roots?.add(root);
  }

  async read(): Promise<AllFolders> {
    const { ended } = this.#world.jobs;
    const { mirrors, unfit } = await readAllStatuses(this.#world);
    // A job has ended during this read, so the status may be older than the job's result, and is
    // read again.
    if (ended !== this.#world.jobs.ended) return this.read();
    const folders = mirrors
      .filter(({ mirror }) => this.#roots?.has(mirror.root) !== false)
      .map((reading) => toFolder(reading, this.#world.jobs.of(reading.mirror.root)));
    return { folders, unfit };
  }

  /**
   * Returns the linked folder that a form names. Returns an error if the folder is missing, belongs
   * to another user, or is not the folder on the page.
   */
  ofForm(all: AllFolders, name: string, form: URLSearchParams): Result<Folder> {
    const namedFolder = findFolder(all, name);
    if (namedFolder.kind === "trouble") return namedFolder;
    const { root, state, trouble: away } = namedFolder.value;
    if (form.get("root") !== root) {
      const message = `"${name}" is another linked folder than when this page was shown; nothing was done`;
      return refusal(message, "go back to the list of linked folders", "other-mirror");
    }
    if (away !== null && (state === "gone" || state === "other")) return { kind: "trouble", trouble: away };
    const ownerCheck = checkOwner(root, this.#world.env);
    if (ownerCheck.kind === "trouble") return ownerCheck;
    const folderCheck = examineFolder(root);
    return folderCheck.kind === "trouble" ? folderCheck : namedFolder;
  }
}

export function findFolder({ folders }: AllFolders, name: string): Result<Folder> {
  const foundFolder = folders.find((folder) => isSameName(folder.name, name));
  if (foundFolder !== undefined) return ok(foundFolder);
  return refusal(`no linked folder is named "${name}"`, "choose a folder of the list", "no-mirror");
}

function toFolder({ mirror, reading, state }: FolderStatus, job: JobView | null): Folder {
  const { name, root, addresses } = mirror;
  const commonMembers = { name, root, addresses, state, job };
  if (reading.kind === "ok") {
    const { status, daemon } = reading.value;
    return { ...commonMembers, status, trouble: null, daemon, ...splitProblems(status, name) };
  }
  const { what, next, code = null } = reading.trouble;
  const unreadProblem = { path: "", kind: state, code, detail: what, next, address: null };
  return { ...commonMembers, status: null, trouble: reading.trouble, daemon: null, needs: [unreadProblem], waits: [] };
}

export function splitProblems(
  { attention, safetyStop, fault }: Pick<MirrorStatus, "attention" | "safetyStop" | "fault">,
  name: string,
): Pick<Folder, "needs" | "waits"> {
  const stopReasons = new Set<string>(safetyStop?.reasons.map(({ reason }) => reason));
  const toLinkedProblems = (problems: OpenProblems) =>
    toAttentionJson(problems).map((entry) => ({
      ...entry,
      address:
        entry.path === "" && stopReasons.has(entry.kind)
          ? mirrorAddress(name, "safety-stop")
          : findProblemPage(entry, name),
    }));
  return {
    needs: toLinkedProblems({ attention: attention.filter(({ waits }) => !waits), safetyStop, fault }),
    waits: toLinkedProblems({ attention: attention.filter(({ waits }) => waits), safetyStop: null, fault: null }),
  };
}

/** Kinds of problems that the page of reviews shows. */
const REVIEW_KINDS: ReadonlySet<string> = new Set(["in-review", "review-conflict", "review-delayed", "review-unknown"]);

/**
 * Returns the address of the page that solves a problem; null for a problem of the whole folder. A
 * blocked document has the page of a conflict, if the user can choose how the block ends.
 */
function findProblemPage({ kind, path }: AttentionEntry, name: string): string | null {
  if (REVIEW_KINDS.has(kind)) return mirrorAddress(name, "reviews");
  if (path === "") return null;
  const hasChoice = Object.hasOwn(BLOCK_REASONS, kind) && BLOCK_REASONS[kind as BlockReason].ways !== undefined;
  return documentAddress(name, kind === "conflict" || hasChoice ? "conflict" : "docs", path);
}
