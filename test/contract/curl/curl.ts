import { execFile, spawnSync } from "node:child_process";

/** One request by the `curl` of this machine. */

export type Curled = { readonly status: number; readonly type: string; readonly body: string };

export function hasCurl(): boolean {
  return spawnSync("curl", ["--version"], { stdio: "ignore" }).status === 0;
}

/** What is written behind the body, which may hold anything but this. */
const MARK = "\u001e";

/** @throws where curl ends with an error: no connection, no answer */
export function curl(url: string, method: string, key: string, body: object | null): Promise<Curled> {
  const sent = body === null ? [] : ["-H", "Content-Type: application/json", "--data-raw", JSON.stringify(body)];
  const told = ["-w", `${MARK}%{http_code}${MARK}%{content_type}`];
  const args = ["-q", "-sS", "-g", "--max-time", "30", "-X", method, "-H", `X-API-Key: ${key}`, ...sent, ...told, url];
  return new Promise((resolve, reject) => {
    execFile("curl", args, { maxBuffer: 16 * 1024 * 1024 }, (error, stdout) => {
      if (error !== null) return reject(new Error(`curl ${method} ${url}: ${error.message}`));
      const [text = "", status = "", type = ""] = stdout.split(MARK);
      resolve({ status: Number(status), type, body: text });
    });
  });
}
