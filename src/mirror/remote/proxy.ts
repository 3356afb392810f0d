import { isLoopbackHost } from "../../common/loopback.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export type ServiceRoute =
  | { readonly kind: "direct" }
  | {
      readonly kind: "proxy";
      readonly variable: string;
      /** URL of the proxy, which must not be printed, because it may contain a password. */
      readonly url: string;
      readonly origin: string;
    }
  | { readonly kind: "bad"; readonly variable: string };

const PROXY_VARIABLES = {
  "https:": ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"],
  "http:": ["http_proxy", "HTTP_PROXY"],
} as const;
const DEFAULT_PORT: Readonly<Record<string, string>> = { "https:": "443", "http:": "80" };

/**
 * Returns how to reach a service: by the proxy in `HTTPS_PROXY` or `HTTP_PROXY`, or directly if
 * `NO_PROXY` lists its host. As in curl, a variable in lower case has priority. A service on this
 * machine is always reached directly, because a proxy on another machine would see the key in the
 * unencrypted request.
 * @param origin an http or https URL
 */
export function chooseRoute(origin: string, env: Environment): ServiceRoute {
  const { protocol, hostname, port } = new URL(origin);
  const host = hostname.replace(/^\[|\]$/g, "");
  const variable = PROXY_VARIABLES[protocol as keyof typeof PROXY_VARIABLES]?.find((name) => (env[name] ?? "") !== "");
  if (variable === undefined || isLoopbackHost(host)) return { kind: "direct" };
  if (isListed(host, port || DEFAULT_PORT[protocol]!, env["no_proxy"] ?? env["NO_PROXY"] ?? "")) {
    return { kind: "direct" };
  }
  const text = env[variable]!.trim();
  const url = text.includes("://") ? text : `http://${text}`;
  if (!URL.canParse(url)) return { kind: "bad", variable };
  const parsed = new URL(url);
  if (!(parsed.protocol in DEFAULT_PORT)) return { kind: "bad", variable };
  return { kind: "proxy", variable, url, origin: parsed.origin };
}

/**
 * Returns true if `NO_PROXY` lists a host. Each item of `NO_PROXY` is a host, a parent domain or
 * `*`, with or without a port.
 */
function isListed(host: string, port: string, noProxy: string): boolean {
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      const [, name = "", onlyPort] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(isBareIpv6(entry) ? `[${entry}]` : entry)!;
      if (name === "" || (onlyPort !== undefined && onlyPort !== port)) return false;
      const domain = name.replace(/^\*?\.(?=.)/, "");
      return name === "*" || host === domain || host.endsWith(`.${domain}`);
    });
}

function isBareIpv6(entry: string): boolean {
  return !entry.startsWith("[") && entry.split(":").length > 2;
}
