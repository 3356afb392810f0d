import { isLoopbackHost } from "../common/loopback.ts";
import { shellWord } from "../mirror/model/shell-word.ts";

/** Returns the command that links a folder to the service at `url`, for use on this machine. */
export function initCommand(url: string, keyFile: string): string {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  // A client cannot connect to "every address", so the command names loopback. Over TLS, it names
  // the host of the certificate.
  const loopback = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "[::1]" : null;
  const target = protocol === "http:" && loopback !== null ? `http://${loopback}${port === "" ? "" : `:${port}`}` : url;
  const isShown = protocol === "http:" && loopback === null && !isLoopbackHost(host);
  return `mdmirror init my-notes --url ${target}${isShown ? ` --allow-http ${host}` : ""} --key-file ${shellWord(keyFile)}`;
}
