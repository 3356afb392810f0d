import { connect } from "node:net";
import type { Server } from "node:http";
import { type ConnectionEnds, isOwnPeer, type PeerUser } from "../mirror/trust/peer.ts";
import { effectiveUser } from "../common/effective-user.ts";

/**
 * Closes connections of this machine's other users before a byte of them is read. Those users may
 * have seen a cookie or a ticket. A browser sends the cookies of 127.0.0.1 to each of its ports,
 * and the ticket is an argument of the program that opens the browser.
 */
export class Peers {
  readonly #peerOf: (ends: ConnectionEnds) => PeerUser;
  #tells = true;

  constructor(server: Server, peerOf: (ends: ConnectionEnds) => PeerUser) {
    this.#peerOf = peerOf;
    // ORDER: this listener comes before the listener that reads from the connection.
    server.prependListener("connection", (socket: ConnectionEnds & { destroy(): void }) => {
      if (this.#tells && !isOwnPeer(this.#peerOf(socket))) socket.destroy();
    });
  }

  /**
   * Tests the system's answer about users on a connection of this process. If that answer is wrong,
   * no connection is trusted.
   */
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
