import { errnoClause, type Result, trouble } from "../mirror/trouble.ts";

/** What PostgreSQL says of a database that cannot be used, by the beginning of its code. */
const TROUBLES: readonly { readonly codes: RegExp; readonly what: string; readonly next: string }[] = [
  {
    codes: /^(?:28|SASL)/,
    what: "refuses the user or the password",
    next: "give both in the URL, or in PGUSER and PGPASSWORD, or in ~/.pgpass",
  },
  {
    codes: /^3D000$/,
    what: "is not there",
    next: "make it with: createdb NAME",
  },
  {
    codes: /^42501$/,
    what: "does not let this user make tables",
    next: "give the user a database of its own: createdb --owner USER NAME",
  },
];

/**
 * Why a database of PostgreSQL cannot be served.
 * @param url never shown as it is: it may hold a password
 * @throws what is a bug
 */
export function databaseTrouble(url: string, error: unknown): Result<never> {
  const code = (error as NodeJS.ErrnoException).code ?? null;
  const message = (error as Error).message;
  const name = shownDatabase(url);
  if (code === "newer-data") {
    return trouble("usage", `${name}: ${message}; nothing was changed`, "use the newer mdmirror", { code });
  }
  if (code === "other-data" || code === "other-key") {
    const next = "give a folder of this process with --data; the right admin-key is in the first process's folder";
    return trouble("usage", message, next, { code });
  }
  if (code === "unusable-database") {
    const next = "make another: createdb --encoding UTF8 --template template0 NAME";
    return trouble("usage", `${name} cannot be used: ${message}`, next, { code });
  }
  const known = TROUBLES.find(({ codes }) => codes.test(code ?? ""));
  if (known !== undefined) return trouble("usage", `${name} ${known.what}`, known.next, { code });
  if (isBug(code, message)) throw error;
  const why = code !== null && /^E[A-Z]+$/.test(code) ? errnoClause(error) : message;
  return trouble("fault", `${name} cannot be reached: ${why}`, "see that PostgreSQL runs there, and start it again", {
    code,
  });
}

function isBug(code: string | null, message: string): boolean {
  return code === null && !/^(?:Connection terminated|timeout )/.test(message);
}

/** A URL without its password, and without what follows the name of the database. */
function shownDatabase(url: string): string {
  if (!URL.canParse(url)) return "the database";
  const { hostname, port, pathname, searchParams } = new URL(url);
  const host = searchParams.get("host") ?? hostname;
  return `the database ${pathname.slice(1)} of ${host === "" ? "this machine" : host}${port === "" ? "" : `:${port}`}`;
}
