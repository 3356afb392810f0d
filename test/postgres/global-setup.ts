/**
 * One PostgreSQL server for all tests of a run. The first test file that needs it starts it by a
 * request on a socket. It ends with the run. Other runs start no server.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { ASK_AT, type PostgresAnswer } from "./ask.ts";
import { PostgresServer } from "./server.ts";

let folder: string | null = null;
let server: PostgresServer | null = null;
let socketServer: Server | null = null;
let found: Promise<PostgresAnswer> | null = null;

export async function setup(): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), "ask-"));
  const path = join(folder, "ask");
  socketServer = createServer((socket) => void answer(socket));
  await new Promise<void>((resolve) => socketServer!.listen(path, resolve));
  process.env[ASK_AT] = path;
}

async function answer(socket: Socket): Promise<void> {
  found ??= find();
  socket.end(JSON.stringify(await found));
}

async function find(): Promise<PostgresAnswer> {
  const url = process.env["MDMIRROR_TEST_POSTGRES"];
  if (url !== undefined) return { url };
  const made = await PostgresServer.make().catch((error: Error) => error.message);
  if (typeof made === "string") {
    console.warn(`\nThe tests on PostgreSQL are skipped: ${made}\n`);
    return { why: made };
  }
  server = made;
  return { url: server.url("postgres") };
}

export async function teardown(): Promise<void> {
  socketServer?.close();
  await server?.end();
  if (folder !== null) rmSync(folder, { recursive: true, force: true });
}
