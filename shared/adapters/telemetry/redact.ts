const HIDDEN = '(hidden)'

/** What secrets look like, wherever they stand: whatever a client puts into an error may reach a line of the log. */
const SHAPES: readonly (readonly [shape: RegExp, instead: string])[] = [
  // Tokens of three parts, as of Entra and of service accounts.
  [/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, HIDDEN],
  [/\b(bearer|basic|sharedkey)\s+[^\s"',;]{8,}/gi, `$1 ${HIDDEN}`],
  // Bootstrap tokens of Kubernetes.
  [/\b[a-z0-9]{6}\.[a-z0-9]{16}\b/g, HIDDEN],
  // Connection strings, and addresses that carry their right with them.
  [/\b(AccountKey|SharedAccessKey|SharedAccessSignature|InstrumentationKey|Password|client_secret)\s*=\s*[^;\s"'&]+/gi, `$1=${HIDDEN}`],
  [/([?&](?:sig|code|access_token|client_secret)=)[^&\s"']+/gi, `$1${HIDDEN}`],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, HIDDEN],
]

/**
 * Texts with secrets taken out: what has the shape of one, and `known` word for word. Words shorter than eight characters are no secrets.
 */
export function createRedaction(known: readonly string[]): (text: string) => string {
  const words = known.filter((word) => word.length >= 8).sort((one, other) => other.length - one.length)
  return (text) => {
    const unknown = words.reduce((left, word) => left.replaceAll(word, HIDDEN), text)
    return SHAPES.reduce((left, [shape, instead]) => left.replace(shape, instead), unknown)
  }
}
