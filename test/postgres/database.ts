/** Databases for single tests, on the PostgreSQL server of the test run. */
import { randomBytes } from "node:crypto";
import pg from "pg";
import { onTestFinished } from "vitest";
import { askForPostgres } from "./ask.ts";

/** Reason why PostgreSQL is not available, so that tests are skipped; null: it is available. */
export const whyNoPostgres = await whyNot();

async function whyNot(): Promise<string | null> {
  const answer = await askForPostgres();
  return "why" in answer ? answer.why : null;
}

/** Creates an empty database that is removed after the test. Returns its URL. */
export async function freshDatabase(): Promise<string> {
  const { url, remove } = await makeDatabase();
  onTestFinished(remove);
  return url;
}

/** Creates an empty database for several tests. The caller removes it. */
export async function makeDatabase(): Promise<{ readonly url: string; remove(): Promise<void> }> {
  const answer = await askForPostgres();
  if ("why" in answer) throw new Error(answer.why);
  const name = `mdmirror_test_${randomBytes(6).toString("hex")}`;
  // `template0` is the same on every server. It is copied as files, which writes no log and is
  // faster.
  const made = "TEMPLATE template0 ENCODING 'UTF8' STRATEGY file_copy";
  await administer(answer.url, `CREATE DATABASE ${name} ${made}`);
  const url = new URL(answer.url);
  url.pathname = `/${name}`;
  return { url: url.href, remove: () => administer(answer.url, `DROP DATABASE ${name} WITH (FORCE)`) };
}

async function administer(url: string, command: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(command);
  } finally {
    await client.end();
  }
}
