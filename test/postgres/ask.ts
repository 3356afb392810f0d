/** What a process of the tests asks the run for: a PostgreSQL, which the first question starts. */
import { connect } from "node:net";
import process from "node:process";
import { text } from "node:stream/consumers";

/** The variable with the socket where it is asked. */
export const ASK_AT = "MDMIRROR_TEST_POSTGRES_ASK";

/** The URL of any database of it, as a user who may make others; or why there is none. */
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
