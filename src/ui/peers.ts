import type { Server } from "node:http";
import { type Ends, isOwnPeer, type Peer } from "../app/trust/peer.ts";
import { effectiveUser } from "../app/trust/owner.ts";

const { connect } = process.getBuiltinModule("node:net");

/**
 * Closes connections of other users of this machine, before a byte of them is read. Without it, a
 * session that one of them came by would be worth something: a browser sends the cookies of
 * 127.0.0.1 to each of its ports, and the ticket stands among the arguments of the program that
 * opens the browser.
 */
export class Peers {
  readonly #peerOf: (ends: Ends) => Peer;
  #tells = true;

  constructor(server: Server, peerOf: (ends: Ends) => Peer) {
    this.#peerOf = peerOf;
    // ORDER: before the listener that reads from it.
    server.prependListener("connection", (socket: Ends & { destroy(): void }) => {
      if (this.#tells && !isOwnPeer(this.#peerOf(socket))) socket.destroy();
    });
  }

  /** Looks at a connection of this process: a system that does not tell of it is not relied on. */
  async prove(port: number): Promise<void> {
    const socket = connect(port, "127.0.0.1");
    try {
      await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
      const { localAddress, localPort, remoteAddress, remotePort } = socket;
      const seen = this.#peerOf({
        remoteAddress: localAddress,
        remotePort: localPort,
        localAddress: remoteAddress,
        localPort: remotePort,
      });
      this.#tells = seen === effectiveUser();
    } finally {
      socket.on("error", () => undefined).destroy();
    }
  }
}
