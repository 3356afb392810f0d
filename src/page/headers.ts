type HttpHeaders = Readonly<Record<string, string>>;

/**
 * Content security policy: pages load scripts, styles and images only from their own site, none of
 * them inline. No site may show a page in a frame.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

const COMMON_HEADERS: HttpHeaders = {
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
};

/**
 * Headers of pages and of answers to their scripts. The referrer policy is not `no-referrer`: a
 * browser would then send `Origin: null` with our own forms, which would look like forms of another
 * site.
 */
export const PAGE_HEADERS: HttpHeaders = {
  ...COMMON_HEADERS,
  "cache-control": "no-store",
  "referrer-policy": "same-origin",
};

/** Headers of an answer to an address that contains a secret. */
export const ENTER_HEADERS: HttpHeaders = { ...PAGE_HEADERS, "referrer-policy": "no-referrer" };

/**
 * Headers of scripts and styles. Browsers may keep these files, because their names change with the
 * content.
 */
export const ASSET_HEADERS: HttpHeaders = {
  ...COMMON_HEADERS,
  "cache-control": "private, max-age=31536000, immutable",
  "referrer-policy": "no-referrer",
};
