import { UnsafePath } from "../../state/unsafe-path.ts";

/**
 * Why a command cannot go on, for people: what, which path, the code, the request, what to do next.
 * A value that app returns and cli shows. It never holds a key or a document's text.
 */
export type Trouble = {
  /**
   * `usage`: the user's to mend in what was given or configured; `fault`: the ground is broken;
   * `offline`: no service, or a refused key.
   */
  readonly kind: "usage" | "fault" | "locked" | "offline";
  /** One clause, without a full stop. */
  readonly what: string;
  readonly code?: string | null;
  readonly requestId?: string | null;
  /** What to do, as a clause; often a command. */
  readonly next: string;
};

/** The end of something that may not go well. */
export type Result<T> =
  | { readonly kind: "ok"; readonly value: T }
  | { readonly kind: "trouble"; readonly trouble: Trouble };

export function ok<T>(value: T): Result<T> {
  return { kind: "ok", value };
}

export function trouble(
  kind: Trouble["kind"],
  what: string,
  next: string,
  more: Pick<Trouble, "code" | "requestId"> = {},
): { readonly kind: "trouble"; readonly trouble: Trouble } {
  return { kind: "trouble", trouble: { kind, what, next, ...more } };
}

/** The clause of a system error, by its errno. */
export function errnoClause(error: unknown): string {
  if (error instanceof UnsafePath) return error.message;
  const { code, message } = error as NodeJS.ErrnoException;
  switch (code) {
    case "ENOENT":
      return "it is not there";
    case "EACCES":
    case "EPERM":
      return "this user may not read or write it";
    case "EISDIR":
      return "it is a folder";
    case "ENOTDIR":
      return "what should be a folder is none";
    case "ENOSPC":
    case "EDQUOT":
    case "SQLITE_FULL":
      return "the disk is full";
    case "EROFS":
    case "SQLITE_READONLY":
      return "the disk is read-only";
    case "SQLITE_BUSY":
      return "another program holds the file";
    case "SQLITE_CANTOPEN":
      return "the file cannot be opened";
    case "EEXIST":
      return "something is there already";
    case "ELOOP":
      return "it is a symbolic link, or leads through one";
    case "EIO":
      return "the disk failed";
    case "EBUSY":
    case "ETXTBSY":
      return "another program uses it";
    case "ENAMETOOLONG":
      return "its name is too long for this disk";
    case "ENOTEMPTY":
      return "it is not empty";
    case "EMFILE":
    case "ENFILE":
      return "too many files are open";
    case "EADDRINUSE":
      return "another program listens there";
    default:
      return code === undefined ? message : `the system refused it (${code})`;
  }
}

/**
 * The code that an error of the system or of SQLite bears (`ENOSPC`, `SQLITE_FULL`); null: it bears
 * none.
 */
export function codeOf(error: unknown): string | null {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null;
}
