/**
 * What three linked folders of one workspace may show. After "Mysteries of Dropbox" (Hughes,
 * Pierce, Arts, Norell 2016): nobody sees when a folder uploads or downloads, so the model keeps
 * every state that such *conjectured transfers* can explain. Each observation removes the states
 * that contradict it. If none is left, no order of transfers explains what mdmirror did.
 *
 * A model knows one document. Its content is a set of marks, one for each paragraph, so the model
 * can merge two contents without knowing the order of paragraphs.
 */

import { basename, dirname, join } from "node:path";

/** A version of the document on one side. */
export type Version = {
  /** Id of the document. A document that is deleted and created again has a new id. */
  readonly id: string;
  /** Sorted marks of its paragraphs. */
  readonly marks: readonly string[];
  /** Null if two documents met at one path, because one of them may have got another path. */
  readonly path: string | null;
};

/** What one linked folder has of the document. */
type Replica = {
  /** The local file, as the user sees it; null if there is none. */
  readonly local: Version | null;
  /** Base: the last version that both the folder and the service were seen to have. */
  readonly base: Version | null;
  /** Marks of the conflict copy; null without a conflict. */
  readonly shown: readonly string[] | null;
};

export type State = { readonly remote: Version | null; readonly replicas: readonly Replica[] };

/**
 * The document as a user sees it in a folder. `copies` are the marks of its conflict copies. They
 * are null, and not compared, after a kill, when a copy may be missing or left over.
 */
export type View = {
  readonly files: readonly { readonly path: string; readonly marks: readonly string[] }[];
  readonly copies: readonly (readonly string[])[] | null;
};

const sorted = (marks: Iterable<string>) => [...new Set(marks)].toSorted();
const isSame = (a: readonly string[], b: readonly string[]) => a.join() === b.join();
const isEdited = (version: Version, base: Version) => !isSame(version.marks, base.marks);
const isMoved = (version: Version, base: Version) =>
  version.path !== null && base.path !== null && version.path !== base.path;

/** Returns the marks that both sides kept, and the marks that one side added. */
function merge(base: readonly string[], one: readonly string[], other: readonly string[]): string[] {
  const added = [...one, ...other].filter((mark) => !base.includes(mark));
  return sorted([...added, ...one.filter((mark) => other.includes(mark))]);
}

const NOTHING: Replica = { local: null, base: null, shown: null };
const inSync = (version: Version): Replica => ({ local: version, base: version, shown: null });

type Transfer = { readonly remote: Version | null; readonly replica: Replica };

/** Returns each single transfer that the folder may make now. */
function transfersOf(remote: Version | null, { local, base, shown }: Replica): Transfer[] {
  if (remote === null) {
    if (local === null) return base === null ? [] : [{ remote, replica: NOTHING }];
    // An edit beats a deletion, so the content is uploaded as a new document.
    if (base !== null && !isEdited(local, base)) return [{ remote, replica: NOTHING }];
    const created = base === null ? local : { ...local, id: `${local.id}'` };
    return [{ remote: created, replica: inSync(created) }];
  }
  const download = { remote, replica: inSync(remote) };
  if (base === null) return local === null ? [download] : meet(remote, local);
  if (base.id !== remote.id) return local === null || !isEdited(local, base) ? [download] : meet(remote, local);
  if (local === null) {
    const isUnchanged = !isEdited(remote, base) && !isMoved(remote, base);
    return [isUnchanged ? { remote: null, replica: NOTHING } : download];
  }
  return [...contentTransfers(remote, local, base, shown), ...placeTransfers(remote, local, base, shown)];
}

/**
 * Returns the transfers of a local document that meets another document at its path. Neither
 * content replaces the other.
 */
function meet(remote: Version, local: Version): Transfer[] {
  const own = { ...local, id: remote.id };
  if (isSame(local.marks, remote.marks)) return [{ remote, replica: { local: own, base: remote, shown: null } }];
  const joined = { ...remote, marks: sorted([...remote.marks, ...local.marks]), path: null };
  return [
    { remote, replica: { local: joined, base: remote, shown: null } },
    { remote, replica: { local: own, base: { ...remote, marks: [] }, shown: remote.marks } },
  ];
}

/**
 * Returns the transfers of content. The side that changed it wins; two changes merge or become a
 * conflict.
 */
function contentTransfers(remote: Version, local: Version, base: Version, shown: Replica["shown"]): Transfer[] {
  const take = (content: Version) => ({ marks: content.marks, ...(content.path === null && { path: null }) });
  if (!isEdited(local, base) && !isEdited(remote, base)) return [];
  const ended = { remote, replica: { local, base: { ...base, ...take(remote) }, shown: null } };
  if (!isEdited(local, remote)) return [ended];
  if (!isEdited(local, base))
    return [{ ...ended, replica: { ...ended.replica, local: { ...local, ...take(remote) } } }];
  if (!isEdited(remote, base))
    return [
      { remote: { ...remote, ...take(local) }, replica: { local, base: { ...base, ...take(local) }, shown: null } },
    ];
  const merged = { marks: merge(base.marks, local.marks, remote.marks) };
  return [
    { ...ended, replica: { ...ended.replica, local: { ...local, ...merged } } },
    // The service merges a PUT that is based on an older version.
    { remote: { ...remote, ...merged }, replica: { local, base, shown } },
    { remote, replica: { local, base, shown: remote.marks } },
  ];
}

/**
 * Returns the transfers of the path, which is decided apart from content. The side that moved the
 * document wins; if both did, either may win. A rename into another folder is two requests.
 */
function placeTransfers(remote: Version, local: Version, base: Version, shown: Replica["shown"]): Transfer[] {
  const isLocal = isMoved(local, base) && isMoved(local, remote);
  if (!isMoved(remote, base) && !isLocal) return [];
  const follow = (path: string | null) => ({
    remote: { ...remote, path },
    replica: { local, base: { ...base, path }, shown },
  });
  const download = {
    remote,
    replica: { local: { ...local, path: remote.path }, base: { ...base, path: remote.path }, shown },
  };
  const halves = isLocal
    ? [join(dirname(remote.path!), basename(local.path!)), join(dirname(local.path!), basename(remote.path!))]
    : [];
  return [...(isMoved(remote, base) ? [download] : []), ...(isLocal ? [local.path, ...halves].map(follow) : [])];
}

/**
 * Returns true if the folder has no transfer left. An open conflict has none while its copy shows
 * the service's version.
 */
function isAtRest({ remote, replicas }: State, folder: number): boolean {
  const { local, base, shown } = replicas[folder]!;
  const isDecided = shown !== null && remote !== null && isSame(shown, remote.marks);
  const left = transfersOf(remote, replicas[folder]!);
  return isDecided && local !== null && base !== null
    ? left.every(({ replica }) => replica.base?.path === base.path)
    : left.length === 0;
}

/**
 * LIMIT: states of one document. Three daemons and many edits can lead to more; the model then
 * gives up.
 */
const MAX_STATES = 50_000;

const show = (version: Version | null) =>
  version === null ? "nothing" : `${version.path ?? "any path"} ${version.marks.join(" ")}`;

function showView({ files, copies }: View): string {
  const lines = files.map(({ path, marks }) => `${path} ${marks.join(" ")}`);
  const copyLines = (copies ?? []).map((copy) => `copy ${copy.join(" ")}`);
  return [...lines, ...copyLines].join(", ") || "nothing";
}

/** Thrown for an observation that no order of transfers explains. */
export class Unexplained extends Error {}
/** Thrown if there are too many states to decide whether mdmirror is right. */
export class Undecided extends Error {}

/** All states that explain the observations of one document so far. */
export class Model {
  readonly #name: string;
  #states: readonly State[];
  #before: readonly State[] = [];

  /** @param version that all sides have at first; null if the document does not exist yet */
  constructor(name: string, folders: number, version: Version | null) {
    this.#name = name;
    const replica = version === null ? NOTHING : inSync(version);
    this.#states = [{ remote: version, replicas: Array.from({ length: folders }, () => replica) }];
  }

  /** True if two documents met at one path. Users leave such a document alone. */
  get isAmbiguous(): boolean {
    return this.#states.some(({ remote, replicas }) =>
      [remote, ...replicas.map(({ local }) => local)].some((version) => version?.path === null),
    );
  }

  /** Adds the states to which any number of transfers of these folders can lead. */
  transfer(folders: Iterable<number>): void {
    const found = new Map(this.#states.map((state) => [JSON.stringify(state), state]));
    for (const state of found.values()) {
      if (found.size > MAX_STATES) throw new Undecided(`${this.#name}: more than ${MAX_STATES} states`);
      for (const folder of folders)
        for (const { remote, replica } of transfersOf(state.remote, state.replicas[folder]!)) {
          const next = { remote, replicas: state.replicas.with(folder, replica) };
          found.set(JSON.stringify(next), next);
        }
    }
    this.#states = [...found.values()];
  }

  /** Begins a command. A later kill cannot undo what a folder recorded before this. */
  begin(): void {
    this.#before = this.#states;
  }

  /** Adds the states in which the killed process did not record its last transfers. */
  kill(folder: number): void {
    const replicas = [...this.#before, ...this.#states].map((state) => state.replicas[folder]!);
    const bases = new Map(replicas.map(({ base }) => [JSON.stringify(base), base]));
    const states = this.#states.flatMap((state) =>
      [...bases.values()].map((base) => ({
        ...state,
        replicas: state.replicas.with(folder, { ...state.replicas[folder]!, base }),
      })),
    );
    this.#states = [...new Map(states.map((state) => [JSON.stringify(state), state])).values()];
  }

  seeFolder(folder: number, view: View): void {
    const marks = sorted(view.files.flatMap((file) => file.marks));
    const { copies } = view;
    this.#keep(`folder ${folder} shows ${showView(view)}`, ({ replicas }) => {
      const { local, shown } = replicas[folder]!;
      if (!matches(local, marks, view.files)) return false;
      if (copies === null || local?.path === null) return true;
      return shown === null ? copies.length === 0 : copies.length === 1 && isSame(copies[0]!, shown);
    });
  }

  seeRemote(files: View["files"]): void {
    const marks = sorted(files.flatMap((file) => file.marks));
    const what = `the service shows ${showView({ files, copies: null })}`;
    this.#keep(what, ({ remote }) => matches(remote, marks, files));
  }

  /** Observes that an undisturbed sync has done all that it can. */
  seeRest(folder: number): void {
    this.#keep(`folder ${folder} should be at rest`, (state) => isAtRest(state, folder));
  }

  /** Returns a model with the states in which these folders have no transfer left. */
  atRest(folders: readonly number[]): Model {
    const model = new Model(this.#name, 0, null);
    model.#states = this.#states.filter((state) => folders.every((folder) => isAtRest(state, folder)));
    return model;
  }

  /** A user saves new content. The document is new if the folder has no file. */
  write(folder: number, version: Version): void {
    this.#change(folder, (replica) => {
      const { local, base } = replica;
      const id = local?.id ?? (base?.path === version.path ? base.id : version.id);
      return { ...replica, local: { ...version, id, path: local?.path === null ? null : version.path } };
    });
  }

  /** @param path null if a user deletes the file */
  move(folder: number, path: string | null): void {
    const moved = (local: Version | null) => (local === null || path === null ? null : { ...local, path });
    this.#change(folder, (replica) => ({ ...replica, local: moved(replica.local) }));
  }

  /** The user has seen both versions of a conflict and keeps one of them. */
  choose(folder: number, side: "mine" | "theirs"): void {
    this.#change(folder, ({ local, base, shown }) => {
      if (shown === null || local === null || base === null) return { local, base, shown };
      const chosen = { ...base, marks: shown };
      return { local: side === "mine" ? local : { ...local, marks: shown }, base: chosen, shown: null };
    });
  }

  #change(folder: number, change: (replica: Replica) => Replica): void {
    this.#states = this.#states.map((state) => ({
      ...state,
      replicas: state.replicas.with(folder, change(state.replicas[folder]!)),
    }));
  }

  #keep(what: string, explains: (state: State) => boolean): void {
    const left = this.#states.filter(explains);
    if (left.length === 0) throw new Unexplained(`${this.#name}: ${what}; possible: ${this.#lines().join("; or ")}`);
    this.#states = left;
  }

  #lines(): string[] {
    const lines = this.#states.map(({ remote, replicas }) => {
      const parts = replicas.map(
        ({ local, base, shown }, n) =>
          `${n}: ${show(local)} (base ${show(base)}${shown === null ? "" : `, copy ${shown.join(" ")}`})`,
      );
      return `service: ${show(remote)}, ${parts.join(", ")}`;
    });
    return lines.length > 4 ? [...lines.slice(0, 4), `${lines.length - 4} more`] : lines;
  }
}

function matches(version: Version | null, marks: readonly string[], files: View["files"]): boolean {
  if (version === null) return files.length === 0;
  if (!isSame(version.marks, marks)) return false;
  return version.path === null || (files.length === 1 && files[0]!.path === version.path);
}
