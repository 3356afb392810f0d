import { expect, test } from "vitest";
import { explainDatabaseError } from "../../../src/service/admin/database-trouble.ts";
import { StoreBusyError } from "../../../src/service/store/store.ts";

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
