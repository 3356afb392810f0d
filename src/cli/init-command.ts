import { isLoopbackHost } from "../common/loopback.ts";
import { shellWord } from "../mirror/model/shell-word.ts";

/**
 * The command that links a folder to a service which listens at `url`, as it works on this machine
 * when it is pasted.
 */
export function initCommand(url: string, keyFile: string): string {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  // Every address of this machine is no address to send to; over TLS a certificate names another.
  const loopback = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "[::1]" : null;
  const target = protocol === "http:" && loopback !== null ? `http://${loopback}${port === "" ? "" : `:${port}`}` : url;
  const isShown = protocol === "http:" && loopback === null && !isLoopbackHost(host);
  return `mdmirror init my-notes --url ${target}${isShown ? ` --allow-http ${host}` : ""} --key-file ${shellWord(keyFile)}`;
}
