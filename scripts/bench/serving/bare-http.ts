/**
 * A `node:http` server that answers each request with the same body, to measure the cost of Node
 * itself. `node bare-http.ts BODY_FILE` prints its address.
 */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const body = readFileSync(process.argv[2]!, "utf8");
const server = createServer((_request, response) => {
  response.setHeader("content-type", "application/json; charset=utf-8");
  response.end(body);
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
