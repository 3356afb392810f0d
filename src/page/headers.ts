/** Headers of every answer. */

type Headers = Readonly<Record<string, string>>;

/** Content policy: browsers run, show and frame nothing from other sites, and nothing inline. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

const COMMON_HEADERS: Headers = {
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
};

/**
 * Headers for pages and the requests of their scripts. Not `no-referrer`: with that value a browser
 * sends `Origin: null` with each form, and our own form would look like a form of another site.
 */
export const PAGE_HEADERS: Headers = {
  ...COMMON_HEADERS,
  "cache-control": "no-store",
  "referrer-policy": "same-origin",
};

/** Headers for the answer to an address with a secret. */
export const ENTER_HEADERS: Headers = { ...PAGE_HEADERS, "referrer-policy": "no-referrer" };

/** Headers for a script or a style. Its name changes with its content, so browsers may keep it. */
export const ASSET_HEADERS: Headers = {
  ...COMMON_HEADERS,
  "cache-control": "private, max-age=31536000, immutable",
  "referrer-policy": "no-referrer",
};
