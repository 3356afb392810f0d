import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { concernsFolder, explainDatabaseError, explainDataError } from "../../../src/service/data-trouble.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { StoreBusyError } from "../../../src/service/store/store.ts";
import { findWorkspaceIn, openSession } from "../../../src/service/admin/session.ts";
import type { WorkspaceJson } from "../../../src/service/admin/operations.ts";

/** Returns an error like those of the operating system and SQLite. */
const systemFault = (code: string, path?: string) => Object.assign(new Error(code), { code, path });

describe("a data folder that cannot be used", () => {
  it.each([
    ["EACCES", "usage"],
    ["EPERM", "usage"],
    ["EEXIST", "usage"],
    ["ENOTDIR", "usage"],
    ["EIO", "fault"],
    ["SQLITE_FULL", "fault"],
    ["ENOSPC", "fault"],
    ["SQLITE_CANTOPEN", "fault"],
    ["SQLITE_BUSY", "locked"],
  ])("by %s is a matter of %s", (code, kind) => {
    const data = temporaryFolder();
    expect(explainDataError(data, systemFault(code))).toMatchObject({ trouble: { kind, code } });
    expect(explainDataError(join(data, "none"), systemFault(code))).toMatchObject({ trouble: { kind, code } });
  });
});

it("distinguishes faults of the folder from those of the connection to a database", () => {
  const of = (error: unknown) => concernsFolder("/srv/data", error);
  expect(of(systemFault("EACCES", "/srv/data"))).toBe(true);
  expect(of(systemFault("EACCES", "/srv/data/key"))).toBe(true);
  expect(of(systemFault("SQLITE_BUSY"))).toBe(true);
  expect(of(systemFault("ECONNREFUSED"))).toBe(false);
  expect(of(systemFault("EACCES", "/srv/data-of-another/root.crt"))).toBe(false);
});

it("lists workspaces of the same name with their numbers of documents", () => {
  const [first, second] = [
    { id: "wsp_1", name: "notes", documents: 1 },
    { id: "wsp_2", name: "notes", documents: 1_200 },
  ] as WorkspaceJson[];
  const what = "notes names 2 workspaces: wsp_1, 1 document; wsp_2, 1,200 documents";
  expect(findWorkspaceIn([first!, second!], "notes")).toMatchObject({ trouble: { what } });
});

/** Errors as `pg` and PostgreSQL report them. */

const URL = "postgres://ann:hunter2@db.example.org:5432/notes";
const databaseFault = (code: string | null, message: string) =>
  Object.assign(new Error(message), code === null ? {} : { code });
const unencrypted = 'no pg_hba.conf entry for host "10.0.0.7", user "ann", database "notes", no encryption';

test.each([
  ["a port where nobody listens", databaseFault("ECONNREFUSED", "connect ECONNREFUSED"), "offline"],
  ["a name without an address", databaseFault("ENOTFOUND", "getaddrinfo ENOTFOUND"), "offline"],
  ["a socket that does not exist", databaseFault("ENOENT", "connect ENOENT /x/.s.PGSQL.5432"), "offline"],
  ["a server that does not answer", databaseFault(null, "timeout expired"), "offline"],
  ["a server that is starting", databaseFault("57P03", "the database system is starting up"), "offline"],
  ["no free connection", databaseFault("53300", 'too many connections for role "ann"'), "offline"],
  ["a wrong password", databaseFault("28P01", "password authentication failed"), "usage"],
  ["no password", databaseFault(null, "SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string"), "usage"],
  ["a server that wants TLS", databaseFault("28000", unencrypted), "usage"],
  ["a server without TLS", databaseFault(null, "The server does not support SSL connections"), "usage"],
  ["an unknown signer", databaseFault("DEPTH_ZERO_SELF_SIGNED_CERT", "self-signed certificate"), "usage"],
  ["a database that does not exist", databaseFault("3D000", 'database "notes" does not exist'), "usage"],
  ["no right to create tables", databaseFault("42501", "permission denied for schema public"), "usage"],
  ["the fault of an open store", new StoreBusyError("away", { cause: databaseFault("53300", "too many") }), "offline"],
])("%s is reported by its kind, without the password", (_, error, kind) => {
  const result = explainDatabaseError(URL, error);
  expect(result).toMatchObject({ kind: "trouble", trouble: { kind } });
  const answer = JSON.stringify(result);
  expect(answer).toContain("the database notes of db.example.org:5432");
  expect(answer).not.toContain("hunter2");
});

test("throws what nobody knows", () => {
  const error = new TypeError("x is not a function");
  expect(() => explainDatabaseError(URL, error)).toThrow(error);
});

it("tells a write with an unreadable answer from one that was not done", async () => {
  const session = openSession(
    async () => ({
      kind: "unreadable",
      response: { status: 201, headers: {}, body: "" },
      why: "the answer is not UTF-8",
    }),
    "key",
    { where: "https://files.example.com", keyHint: "", close: async () => undefined },
  );
  const answer = await session.ask("createWorkspace", { body: { name: "Notes" } });
  expect(answer).toMatchObject({ kind: "trouble", trouble: { kind: "offline", code: "unreachable" } });
});
