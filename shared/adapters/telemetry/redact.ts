const HIDDEN = '(hidden)'

/** The patterns of secrets at any place in a text. Clients may put secrets into errors, which may get into the log. */
const SHAPES: readonly (readonly [shape: RegExp, instead: string])[] = [
  // Tokens of three parts, for example of Entra and of service accounts.
  [/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, HIDDEN],
  [/\b(bearer|basic|sharedkey)\s+[^\s"',;]{8,}/gi, `$1 ${HIDDEN}`],
  // Bootstrap tokens of Kubernetes.
  [/\b[a-z0-9]{6}\.[a-z0-9]{16}\b/g, HIDDEN],
  // Connection strings, and URLs that contain a signature or a token.
  [/\b(AccountKey|SharedAccessKey|SharedAccessSignature|InstrumentationKey|Password|client_secret)\s*=\s*[^;\s"'&]+/gi, `$1=${HIDDEN}`],
  [/([?&](?:sig|code|access_token|client_secret)=)[^&\s"']+/gi, `$1${HIDDEN}`],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, HIDDEN],
]

/**
 * Returns a function that hides secrets in a text: texts with the pattern of a secret, and the words in `known`. Words with fewer than eight
 * characters do not count as secrets.
 */
export function createRedaction(known: readonly string[]): (text: string) => string {
  const words = known.filter((word) => word.length >= 8).sort((one, other) => other.length - one.length)
  return (text) => {
    const unknown = words.reduce((left, word) => left.replaceAll(word, HIDDEN), text)
    return SHAPES.reduce((left, [shape, instead]) => left.replace(shape, instead), unknown)
  }
}
