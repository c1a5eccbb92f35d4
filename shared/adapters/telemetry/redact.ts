const HIDDEN = '(hidden)'

/** Texts are read up to here. A row shows less than this. */
export const LONGEST_READ = 32_768
/** No pattern needs more characters of a secret to know it. */
const LONGEST_START = 32

/**
 * The patterns of secrets at any place in a text. Clients may put secrets into errors, which may get into the log. Anybody may write such a text: a
 * pattern that was begun and fails has looked at a few characters only, or at characters that no other try begins in.
 */
export const SECRET_SHAPES: readonly (readonly [shape: RegExp, instead: string])[] = [
  // Tokens of three parts, for example of Entra and of service accounts. The first part is enough: a token may have been cut.
  [/(?<![a-zA-Z0-9])eyJ[\w-]{8,}[\w.-]*/g, HIDDEN],
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
 * characters do not count as secrets. A long text is cut first, and with it each secret that the cut goes through.
 */
export function createRedaction(known: readonly string[]): (text: string) => string {
  const words = known.filter((word) => word.length >= 8).sort((one, other) => other.length - one.length)
  const longest = words[0]?.length ?? 0
  return (text) => {
    const isCut = text.length > LONGEST_READ
    const unknown = words.reduce((left, word) => left.replaceAll(word, HIDDEN), isCut ? text.slice(0, LONGEST_READ) : text)
    const whole = isCut ? withoutEnd(unknown, longest) : unknown
    const hidden = SECRET_SHAPES.reduce((left, [shape, instead]) => left.replace(shape, instead), whole)
    return isCut ? withoutEnd(hidden, LONGEST_START) : hidden
  }
}

function withoutEnd(text: string, length: number): string {
  return text.slice(0, Math.max(0, text.length - length))
}
