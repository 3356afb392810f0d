import { connect } from "node:net";
import type { Server } from "node:http";
import { type ConnectionEnds, isOwnPeer, type PeerUser } from "../mirror/trust/peer.ts";
import { effectiveUser } from "../common/effective-user.ts";

/**
 * Closes connections of other users of this computer before reading from them, because other users
 * may know the secrets of a session:
 * - A browser sends the cookie for 127.0.0.1 to every port, including ports of other users.
 * - The sign-in ticket is in the arguments of the browser, which all users can see.
 *
 * LIMIT: accepts connections of root. Accepts all connections if the system does not report users.
 */
export class Peers {
  readonly #peerOf: (ends: ConnectionEnds) => PeerUser;
  #tells = true;

  constructor(server: Server, peerOf: (ends: ConnectionEnds) => PeerUser) {
    this.#peerOf = peerOf;
    // ORDER: this listener must run before the listener of the HTTP server, which reads from the
    // connection.
    server.prependListener("connection", (socket: ConnectionEnds & { destroy(): void }) => {
      if (this.#tells && !isOwnPeer(this.#peerOf(socket))) socket.destroy();
    });
  }

  /**
   * Checks that the system reports the right user of a connection: this process connects to itself.
   * If the report is wrong, connections are accepted without a check of their user.
   */
  async prove(port: number): Promise<void> {
    const socket = connect(port, "127.0.0.1");
    try {
      await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
      const { localAddress, localPort, remoteAddress, remotePort } = socket;
      const reportedUser = this.#peerOf({
        remoteAddress: localAddress,
        remotePort: localPort,
        localAddress: remoteAddress,
        localPort: remotePort,
      });
      this.#tells = reportedUser === effectiveUser();
    } finally {
      socket.on("error", () => undefined).destroy();
    }
  }
}
