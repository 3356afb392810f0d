/** Requests a PostgreSQL server for a test process. The first request of a test run starts it. */
import { connect } from "node:net";
import process from "node:process";
import { text } from "node:stream/consumers";

/** Environment variable with the path of the socket for these requests. */
export const ASK_AT = "MDMIRROR_TEST_POSTGRES_ASK";

/**
 * URL of a database, with a user who may create databases; or the reason why there is no server.
 */
export type PostgresAnswer = { readonly url: string } | { readonly why: string };

let answer: Promise<PostgresAnswer> | null = null;

export function askForPostgres(): Promise<PostgresAnswer> {
  answer ??= ask();
  return answer;
}

async function ask(): Promise<PostgresAnswer> {
  const at = process.env[ASK_AT];
  if (at === undefined) throw new Error(`${ASK_AT} is not set: these tests run under config/vitest.config.ts`);
  return JSON.parse(await text(connect(at))) as PostgresAnswer;
}
