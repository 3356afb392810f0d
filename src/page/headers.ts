/** The headers with which the pages are answered. */

type Headers = Readonly<Record<string, string>>;

/** Nothing from elsewhere, and nothing that stands within the page, is run, shown or framed. */
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

const ALWAYS: Headers = {
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
};

/**
 * Of a page, or of what it fetches. Not `no-referrer`: with it a browser sends `Origin: null` with
 * each form, and no form could be told from one of another site.
 */
export const PAGE_HEADERS: Headers = {
  ...ALWAYS,
  "cache-control": "no-store",
  "referrer-policy": "same-origin",
};

/** Of an answer to an address that holds a secret. */
export const ENTER_HEADERS: Headers = { ...PAGE_HEADERS, "referrer-policy": "no-referrer" };

/** Of a script or a style, whose name changes with its content. */
export const ASSET_HEADERS: Headers = {
  ...ALWAYS,
  "cache-control": "private, max-age=31536000, immutable",
  "referrer-policy": "no-referrer",
};
