import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { openPool } from "../../../src/server/postgres/pool.ts";

/** A message of a server about who somebody is. @param step 10: how it can be shown; 11: go on */
function authentication(step: 10 | 11, text: string): Buffer {
  const head = Buffer.alloc(9);
  head.write("R");
  head.writeInt32BE(8 + text.length, 1);
  head.writeInt32BE(step, 5);
  return Buffer.concat([head, Buffer.from(text)]);
}

/** Asks for a password by SCRAM, as a server does. */
function askForPassword(socket: Socket): void {
  socket.once("data", () => {
    socket.write(authentication(10, "SCRAM-SHA-256\0\0"));
    socket.once("data", (first) => {
      const nonce = /r=(.+)$/.exec(first.toString())?.[1];
      socket.write(authentication(11, `r=${nonce}more,s=c2FsdA==,i=4096`));
    });
  });
}

it("lets go of a server that wants a password where there is none", async () => {
  const server = createServer(askForPassword);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const asked = once(server, "connection");
  const { port } = server.address() as AddressInfo;
  const pool = openPool(`postgres://ann@127.0.0.1:${port}/notes`, () => undefined);
  await expect(pool.connect()).rejects.toThrow(/password/);
  const [socket] = (await asked) as [Socket];
  if (!socket.destroyed) await once(socket, "close");
  await pool.end();
});
