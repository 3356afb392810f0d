/** The state and the events of the model (model.ts). */

/** A document, whatever its path and id are. */
export type Note = string;
/** A content. `Model.knows` has the versions that its author had seen. */
export type Text = string;
export type Version = {
  readonly ver: string;
  readonly text: Text;
  readonly name: string;
  readonly isProtected: boolean;
};
export type Base = Pick<Version, "ver" | "text" | "name">;
export type RowKind = "put" | "post" | "delete" | "patch" | "write" | "trash" | "move";
/** The content of a journal row; a member is null if this kind of row has no such member. */
export type Planned = {
  readonly kind: RowKind;
  readonly ver: string | null;
  readonly text: Text | null;
  /** Content of the file before the effect. */
  readonly expect: Text | null;
  readonly name: string | null;
};
export type Row = Planned & {
  /** Progress of the effect. `unsure`: begun, and nothing has shown its end yet. */
  phase: "open" | "unsure" | "done" | "waits" | "undone";
  /** True if the document was seen as protected when the row was opened. */
  readonly isReview: boolean;
  /**
   * Version in the last read since the row was opened; null without a read, or if it found nothing.
   */
  shown: Pick<Version, "ver" | "name"> | null;
  /** True if a read since the row was opened showed that the path is free. */
  isFree: boolean;
};

export type Mirror = {
  // Facts that survive a crash.
  readonly files: Map<Note, { readonly text: Text; readonly name: string }>;
  readonly base: Map<Note, Base>;
  readonly rows: Map<string, Row>;
  readonly store: Set<Text>;
  /** Contents in review, as `note text`. */
  readonly sent: Set<string>;
  /** The version that a conflict copy shows. */
  readonly conflicts: Map<Note, Version>;
  /** True while its key may read nothing. */
  isBlind: boolean;
  // Facts in memory.
  readonly read: Map<Note, Text>;
  /** Number of whole scans in a row that did not find the file. */
  readonly scans: Map<Note, number>;
  /** Last known versions on the service; `text` is null until it was read. */
  readonly seen: Map<Note, Omit<Version, "text"> & { readonly text: Text | null }>;
  /**
   * Documents of base that a whole list did not contain; and documents whose absence a read has
   * proved.
   */
  readonly missing: Set<Note>;
  readonly gone: Set<Note>;
  // Records for checking the promises.
  readonly asked: Set<string>;
  /** Contents that a user had before deleting the file. */
  readonly left: Map<Note, Text>;
  readonly held: Map<Note, Set<Text>>;
};

export type Event =
  // users
  | { readonly do: "save"; readonly m: number; readonly n: Note; readonly text: Text; readonly name: string }
  | { readonly do: "remove"; readonly m: number; readonly n: Note }
  | { readonly do: "save-remote"; readonly n: Note; readonly text: Text; readonly ver: string; readonly name: string }
  | { readonly do: "remove-remote"; readonly n: Note }
  | { readonly do: "rename-remote"; readonly n: Note; readonly name: string }
  | { readonly do: "protect"; readonly n: Note; readonly on: boolean }
  | { readonly do: "review"; readonly n: Note; readonly text: Text; readonly accepts: boolean; readonly ver: string }
  | { readonly do: "choose"; readonly m: number; readonly n: Note; readonly mine: boolean }
  | { readonly do: "blind"; readonly m: number; readonly on: boolean }
  // observations
  | { readonly do: "scan"; readonly m: number; readonly whole: boolean }
  | { readonly do: "read"; readonly m: number; readonly n: Note }
  | { readonly do: "look"; readonly m: number; readonly n: Note }
  | { readonly do: "list"; readonly m: number; readonly of: readonly Note[] | null }
  | { readonly do: "get"; readonly m: number; readonly n: Note }
  // effects
  | { readonly do: "open"; readonly m: number; readonly n: Note; readonly row: Planned }
  /** A request. `ver`: id of the version that it creates. `answers`: true if its answer arrives. */
  | {
      readonly do: "send";
      readonly m: number;
      readonly n: Note;
      readonly kind: RowKind;
      readonly arrives: boolean;
      readonly answers: boolean;
      readonly ver: string;
    }
  /** The mirror changes a file; `text` is null if the file goes to the trash. */
  | { readonly do: "write"; readonly m: number; readonly n: Note; readonly text: Text | null; readonly name: string }
  | { readonly do: "base"; readonly m: number; readonly n: Note; readonly base: Base | null }
  | { readonly do: "close"; readonly m: number; readonly n: Note; readonly kind: RowKind }
  | { readonly do: "show"; readonly m: number; readonly n: Note }
  | { readonly do: "crash"; readonly m: number };

export function newMirror(): Mirror {
  const facts = { files: new Map(), base: new Map(), rows: new Map(), store: new Set<Text>(), sent: new Set<string>() };
  const memory = {
    read: new Map(),
    scans: new Map(),
    seen: new Map(),
    missing: new Set<Note>(),
    gone: new Set<Note>(),
  };
  const notes = { asked: new Set<string>(), left: new Map(), held: new Map() };
  return { ...facts, conflicts: new Map(), isBlind: false, ...memory, ...notes };
}

export function rowKey(n: Note, kind: RowKind): string {
  return `${n} ${kind}`;
}

/** Returns true for an effect on a file. */
function isLocal(kind: RowKind): boolean {
  return kind === "write" || kind === "trash" || kind === "move";
}

/**
 * Returns true for an effect on the path. It may run at the same time as an effect on the content.
 */
export function isPlace(kind: RowKind): boolean {
  return kind === "patch" || kind === "move";
}

export function rowsOf({ rows }: Mirror, n: Note): Row[] {
  return [...rows].flatMap(([key, row]) => (key.startsWith(`${n} `) ? [row] : []));
}

/**
 * Changes the rows as a crash leaves them. A request may have been sent. Whether an effect on the
 * disk happened can be seen.
 */
export function forgetProgress(rows: Mirror["rows"]): void {
  for (const row of rows.values()) {
    Object.assign(row, { shown: null, isFree: false });
    if (!isLocal(row.kind)) row.phase = "unsure";
    else if (row.phase === "open") row.phase = "undone";
  }
}
