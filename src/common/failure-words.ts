/**
 * Explains to users why a request got no answer. Users do not see the codes of Node and OpenSSL;
 * only the log contains them.
 */

const UNKNOWN_AUTHORITY_TEXT =
  "the certificate comes from an authority that this system does not know; NODE_EXTRA_CA_CERTS=FILE adds its certificate";

const WORDS_BY_CODE: Readonly<Record<string, string>> = {
  UND_ERR_SOCKET: "the connection was cut",
  UND_ERR_CLOSED: "mdmirror closed the connection",
  UND_ERR_DESTROYED: "mdmirror closed the connection",
  UND_ERR_ABORTED: "the request was cancelled",
  UND_ERR_CONNECT_TIMEOUT: "no connection was made in time",
  UND_ERR_HEADERS_TIMEOUT: "no answer came in time",
  UND_ERR_BODY_TIMEOUT: "the answer was incomplete",
  UND_ERR_HEADERS_OVERFLOW: "the answer's headers are too long",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "the answer was incomplete",
  UND_ERR_RES_EXCEEDED_MAX_SIZE: "the answer is too large",
  ECONNREFUSED: "nothing listens at this address",
  ECONNRESET: "the connection was cut",
  ECONNABORTED: "the connection was cut",
  EPIPE: "the connection was cut",
  ETIMEDOUT: "no answer in time",
  EHOSTUNREACH: "this computer cannot be reached",
  EHOSTDOWN: "this computer cannot be reached",
  ENETUNREACH: "its network cannot be reached",
  ENETDOWN: "the network is down",
  ENOTFOUND: "no computer has this name",
  EAI_AGAIN: "its name cannot be looked up now",
  EADDRNOTAVAIL: "this computer has no free port, or no such address",
  EACCES: "this system does not allow the connection",
  EPERM: "this system does not allow the connection",
  EMFILE: "this process has too many files open",
  ENFILE: "this system has too many files open",
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet, or this computer's clock is wrong",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is signed by itself, which this system does not trust",
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY_TEXT,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY_TEXT,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY_TEXT,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY_TEXT,
  CERT_REVOKED: "its certificate was revoked",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name",
  EPROTO: "no secure connection could be made: it may not speak https",
};

/**
 * Returns the reason for a failed request in words for users.
 * @param why `why` of a WireResult: an error code, or words of mdmirror
 */
export function describeFailure(why: string): string {
  const deadline = /^deadline of (\d+) ms$/.exec(why);
  if (deadline !== null) return `no answer within ${Number(deadline[1]) / 1_000} s`;
  const knownWords = Object.hasOwn(WORDS_BY_CODE, why) ? WORDS_BY_CODE[why] : undefined;
  if (knownWords !== undefined) return knownWords;
  if (/^HPE_|^UND_ERR_HTTP|^HTTPParserError$/.test(why)) return "the answer is not HTTP";
  if (/CERT|^ERR_(?:SSL|TLS)|^ERR_OSSL/.test(why)) return "no secure connection (TLS) could be made";
  // Words in capital letters, and names of error classes, are codes. Users do not see codes; only
  // the log contains them.
  return /^[A-Z0-9_]+$/.test(why) || /^[A-Za-z]*Error$/.test(why) ? "the connection failed" : why;
}
