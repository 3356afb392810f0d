import { UnsafePath } from "../../common/unsafe-path.ts";
import { absentTrouble, type ListedMirror, listOwnMirrors } from "../trust/list.ts";
import { askDaemonForStatus, type StatusReading, type StatusOptions, readStatusFromState } from "./status.ts";
import { errorCodeOf, errnoClause, ok, type Result, type Trouble } from "../../common/trouble.ts";

/**
 * Reads the states of all linked folders of this user. A folder that cannot be read does not hide
 * the others.
 */

export type FolderStatus = {
  readonly mirror: ListedMirror;
  readonly look: StatusReading;
  /** State of the folder in one word. */
  readonly state: MirrorWord;
};

/**
 * States of a folder. `gone` and `other`: the folder is missing, or replaced by another one;
 * `untrusted`: `mdmirror trust` has to be run; `unreadable`: the state or the daemon cannot be
 * read.
 */
export type MirrorWord =
  | Extract<StatusReading, { kind: "seen" }>["status"]["state"]
  | Exclude<ListedMirror["place"], "present">
  | "untrusted"
  | "unreadable";

/**
 * Returns the folders by path. `unfit`: a clause about each registry entry that cannot be trusted.
 */
export async function readAllStatuses(
  options: StatusOptions,
): Promise<Result<{ readonly mirrors: readonly FolderStatus[]; readonly unfit: readonly string[] }>> {
  const listed = listOwnMirrors(options.env);
  if (listed.kind === "trouble") return listed;
  // ORDER: all daemons are asked first, in parallel, because a daemon that hangs takes its whole
  // deadline. No state is read before all have answered, because reading would delay the answers.
  const asked = await Promise.all(listed.value.mirrors.map((mirror) => askListed(mirror, options)));
  const mirrors: FolderStatus[] = [];
  for (const [at, mirror] of listed.value.mirrors.entries()) {
    const first = asked[at]!;
    const look =
      first.kind === "asked"
        ? await orTell(mirror.root, () => readStatusFromState(mirror.root, first, options))
        : first;
    mirrors.push({ mirror, look, state: wordOf(mirror, look) });
  }
  return ok({ mirrors, unfit: listed.value.unfit });
}

async function askListed(mirror: ListedMirror, options: StatusOptions): ReturnType<typeof askDaemonForStatus> {
  if (mirror.place !== "present") return { kind: "unseen", trouble: absentTrouble(mirror) };
  return orTell(mirror.root, () => askDaemonForStatus(mirror.root, options));
}

async function orTell<T>(
  root: string,
  look: () => Promise<T>,
): Promise<T | Extract<StatusReading, { kind: "unseen" }>> {
  try {
    return await look();
  } catch (error) {
    const trouble = troubleOf(root, error);
    if (trouble === null) throw error;
    return { kind: "unseen", trouble };
  }
}

/** Returns the trouble for an error of the folder; null if the error is a bug. */
function troubleOf(root: string, error: unknown): Trouble | null {
  if (error instanceof UnsafePath) return { kind: "usage", what: error.message, next: error.next };
  const code = errorCodeOf(error);
  if (code === null) return null;
  const what = `${root} cannot be read: ${errnoClause(error)}`;
  return { kind: "fault", what, code, next: "check that its disk works and this user may read it" };
}

function wordOf({ place }: ListedMirror, look: StatusReading): MirrorWord {
  if (place !== "present") return place;
  if (look.kind === "seen") return look.status.state;
  return look.trouble.code === "untrusted" ? "untrusted" : "unreadable";
}
