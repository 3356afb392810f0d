/**
 * The floor under any service: bare `node:http` that answers from memory, with the bodies that the
 * embedded service gives. No key is judged, no name, no limit; nothing is written. `node
 * floor-service.ts FOLDER` serves the documents of a corpus; speaks over IPC.
 */
import { readdirSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

const PAGE = 1_000;

const folder = process.argv[2]!;
const documents = new Map<string, Buffer>();
const pages: Buffer[] = [];
let made = 0;

function* walk(below: string): Generator<string> {
  const entries = readdirSync(join(folder, below), { withFileTypes: true });
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory() && !entry.name.startsWith(".")) yield* walk(path);
    else if (entry.name.endsWith(".md")) yield path;
  }
}

/** As long as an id of the embedded service. */
const idOf = (kind: "doc" | "chg", n: number) => `${kind}_${String(n).padStart(22, "0")}`;

function load(): void {
  let listed: object[] = [];
  const paths = [...walk("")];
  for (const [n, path] of paths.entries()) {
    const item = { id: idOf("doc", n), path: `/${path}`, lastChangeId: idOf("chg", n), protected: false };
    documents.set(
      `/v1/files/${item.id}`,
      Buffer.from(JSON.stringify({ ...item, content: readFileSync(join(folder, path), "utf8") })),
    );
    listed.push(item);
    const hasMore = n + 1 < paths.length;
    if (listed.length < PAGE && hasMore) continue;
    const nextCursor = hasMore ? String(pages.length + 1) : null;
    pages.push(Buffer.from(JSON.stringify({ data: listed, hasMore, nextCursor })));
    listed = [];
  }
}

function answer(response: ServerResponse, status: number, body: Buffer): void {
  response.writeHead(status, { "content-type": "application/json", "content-length": body.length });
  response.end(body);
}

const NOT_FOUND = Buffer.from("{}");

function get(url: string, response: ServerResponse): void {
  const page = url.startsWith("/v1/files?") ? Number(/cursor=(\d+)/.exec(url)?.[1] ?? 0) : -1;
  const body = documents.get(url) ?? pages[page];
  answer(response, body === undefined ? 404 : 200, body ?? NOT_FOUND);
}

/** Keeps the text as it came: a create by path. */
function post(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const { path, content } = JSON.parse(Buffer.concat(chunks).toString()) as { path: string; content: string };
    const n = made++;
    const item = { id: `${idOf("doc", n)}n`, path, lastChangeId: idOf("chg", n), protected: false };
    documents.set(`/v1/files/${item.id}`, Buffer.from(JSON.stringify({ ...item, content })));
    answer(response, 201, Buffer.from(JSON.stringify(item)));
  });
}

load();
const server = createServer((request, response) => {
  if (request.method === "POST") post(request, response);
  else get(request.url!, response);
});
// A connection that rests while the other side of the pair runs is not closed.
server.keepAliveTimeout = 600_000;
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  process.send!({ url: `http://127.0.0.1:${port}` });
});
process.on("disconnect", () => process.exit(0));
