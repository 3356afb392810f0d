/** Facts and events of the model (model.ts). */

/** A document, whatever file and id it has. */
export type Note = string;
/** A content. `Model.knows` has what its author had seen. */
export type Text = string;
export type Version = {
  readonly ver: string;
  readonly text: Text;
  readonly name: string;
  readonly isProtected: boolean;
};
export type Base = Pick<Version, "ver" | "text" | "name">;
export type RowKind = "put" | "post" | "delete" | "patch" | "write" | "trash" | "move";
/** What a row of the journal names; null where its kind has no such member. */
export type Planned = {
  readonly kind: RowKind;
  readonly ver: string | null;
  readonly text: Text | null;
  /** Text of the file before the effect. */
  readonly expect: Text | null;
  readonly name: string | null;
};
export type Row = Planned & {
  /** `unsure`: begun, and nothing has shown the end yet. */
  phase: "open" | "unsure" | "done" | "waits" | "undone";
  /** True if the document was seen protected when the row was opened. */
  readonly isReview: boolean;
  /** Version that a read showed since the row was opened; null: no read, or not found. */
  shown: Pick<Version, "ver" | "name"> | null;
  /** True if the path was free when it was looked at since the row was opened. */
  isFree: boolean;
};

export type Mirror = {
  // Facts that survive a crash.
  readonly files: Map<Note, { readonly text: Text; readonly name: string }>;
  readonly base: Map<Note, Base>;
  readonly rows: Map<string, Row>;
  readonly store: Set<Text>;
  /** Texts in review, as `note text`. */
  readonly sent: Set<string>;
  /** The version that a conflict copy shows. */
  readonly conflicts: Map<Note, Version>;
  /** True while its key may read nothing. */
  isBlind: boolean;
  // Facts in memory.
  readonly read: Map<Note, Text>;
  /** Number of whole scans in a row that did not find the file. */
  readonly scans: Map<Note, number>;
  /** Versions as lists, reads and answers showed them. `text`: null until it was read. */
  readonly seen: Map<Note, Omit<Version, "text"> & { readonly text: Text | null }>;
  /** Documents of base that a whole list did not show; and those that a read proved to be gone. */
  readonly missing: Set<Note>;
  readonly gone: Set<Note>;
  // Notes for the promises.
  readonly asked: Set<string>;
  /** Texts that its user had before deleting the file. */
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
  /** A request; `ver`: the version that it makes; `answers`: its answer arrives. */
  | {
      readonly do: "send";
      readonly m: number;
      readonly n: Note;
      readonly kind: RowKind;
      readonly arrives: boolean;
      readonly answers: boolean;
      readonly ver: string;
    }
  /** The mirror changes a file; `text`: null if the file goes to the trash. */
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

/** Effects on the place go beside one on the content. */
export function isPlace(kind: RowKind): boolean {
  return kind === "patch" || kind === "move";
}

export function rowsOf({ rows }: Mirror, n: Note): Row[] {
  return [...rows].flatMap(([key, row]) => (key.startsWith(`${n} `) ? [row] : []));
}

/**
 * What a crash leaves of the rows. A request may have been sent. An effect on the disk shows by
 * itself how far it got.
 */
export function forgetProgress(rows: Mirror["rows"]): void {
  for (const row of rows.values()) {
    Object.assign(row, { shown: null, isFree: false });
    if (!isLocal(row.kind)) row.phase = "unsure";
    else if (row.phase === "open") row.phase = "undone";
  }
}
