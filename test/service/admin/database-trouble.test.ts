import { expect, test } from "vitest";
import { databaseTrouble } from "../../../src/service/admin/database-trouble.ts";
import { StoreBusy } from "../../../src/service/store/store.ts";

/** As `pg` and PostgreSQL say it. */

const URL = "postgres://ann:hunter2@db.example.org:5432/notes";
const fault = (code: string | null, message: string) =>
  Object.assign(new Error(message), code === null ? {} : { code });
const unencrypted = 'no pg_hba.conf entry for host "10.0.0.7", user "ann", database "notes", no encryption';

test.each([
  [
    "a port where nobody listens",
    fault("ECONNREFUSED", "connect ECONNREFUSED"),
    "offline",
    "nothing listens at this port",
  ],
  ["a name without an address", fault("ENOTFOUND", "getaddrinfo ENOTFOUND"), "offline", "has no address"],
  [
    "a socket that is not there",
    fault("ENOENT", "connect ENOENT /x/.s.PGSQL.5432"),
    "offline",
    "the socket does not exist",
  ],
  ["a way that is cut", fault("EHOSTUNREACH", "connect EHOSTUNREACH"), "offline", "cannot be reached"],
  ["a server that says nothing", fault(null, "timeout expired"), "offline", "does not answer"],
  [
    "a server that is starting",
    fault("57P03", "the database system is starting up"),
    "offline",
    "is starting or stopping",
  ],
  ["no free connection", fault("53300", 'too many connections for role "ann"'), "offline", "no free connection"],
  ["a wrong password", fault("28P01", "password authentication failed"), "usage", "rejects the user or the password"],
  [
    "no password",
    fault(null, "SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string"),
    "usage",
    "rejects",
  ],
  ["a server that wants TLS", fault("28000", unencrypted), "usage", "only connections with TLS"],
  ["a server without TLS", fault(null, "The server does not support SSL connections"), "usage", "speaks no TLS"],
  ["an unknown signer", fault("DEPTH_ZERO_SELF_SIGNED_CERT", "self-signed certificate"), "usage", "does not trust"],
  ["another's certificate", fault("ERR_TLS_CERT_ALTNAME_INVALID", "does not match"), "usage", "does not trust"],
  ["a database that is not there", fault("3D000", 'database "notes" does not exist'), "usage", "does not exist"],
  ["no right to make tables", fault("42501", "permission denied for schema public"), "usage", "create tables"],
  [
    "what an open store met",
    new StoreBusy("away", { cause: fault("53300", "too many") }),
    "offline",
    "no free connection",
  ],
])("tells %s", (_, error, kind, what) => {
  const result = databaseTrouble(URL, error);
  expect(result).toMatchObject({ kind: "trouble", trouble: { kind, what: expect.stringContaining(what) } });
  const told = JSON.stringify(result);
  expect(told).toContain("the database notes of db.example.org:5432");
  expect(told).not.toContain("hunter2");
});

test("throws what nobody knows", () => {
  const error = new TypeError("x is not a function");
  expect(() => databaseTrouble(URL, error)).toThrow(error);
});
