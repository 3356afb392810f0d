import { describe, expect, it } from "vitest";
import { checkBaseUrl } from "../../src/mirror/remote/base-url.ts";

describe("checkBaseUrl", () => {
  it.each([
    ["https://files.example.com", "https://files.example.com", ""],
    ["https://files.example.com/", "https://files.example.com", ""],
    ["https://files.example.com:8443/api/files//", "https://files.example.com:8443", "/api/files"],
    ["http://localhost:8080", "http://localhost:8080", ""],
    ["http://127.0.0.1:1/x", "http://127.0.0.1:1", "/x"],
    ["http://127.1", "http://127.0.0.1", ""],
    ["http://[::1]:8080", "http://[::1]:8080", ""],
    ["http://NAS.local:8080", "http://nas.local:8080", ""],
    ["http://box:81", "http://box:81", ""],
  ])("takes %s", (text, origin, prefix) => {
    expect(checkBaseUrl(text, ["nas.LOCAL", "box:81"])).toEqual({ kind: "good", origin, prefix });
  });

  it.each([
    ["files.example.com", "absolute"],
    ["ftp://files.example.com", "does not start with"],
    ["file:///etc/passwd", "does not start with"],
    ["https://user:secret@files.example.com", "password"],
    ["https://files.example.com/?key=secret", "query"],
    ["https://files.example.com/#secret", "query or fragment"],
    ["http://files.example.com", "plain http"],
    ["http://127.0.0.1.example.com", "plain http"],
    ["http://localhost.example.com", "plain http"],
    ["http://10.0.0.1", "plain http"],
    ["http://box:82", "plain http"],
    ["http://0.0.0.0", "plain http"],
  ])("refuses %s and does not repeat it", (text, why) => {
    const judged = checkBaseUrl(text, ["box:81"]);
    expect(judged).toEqual({ kind: "bad", why: expect.stringContaining(why) });
    expect(JSON.stringify(judged)).not.toContain("secret");
  });
});
