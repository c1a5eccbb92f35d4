/** The variables and commands of a boot script, read without running the script. */
export type ShellScript = {
  /** Variables by name. `undefined` if the value is known only when the script runs. */
  readonly variables: ReadonlyMap<string, string | undefined>
  /** The words of each command that is not just assignments. */
  readonly commands: readonly (readonly string[])[]
}

type Word = { text: string /** Length of the name when the word is `name=...`. */; assigns: number | undefined; known: boolean }

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/
const LEADERS = new Set(['export', 'readonly', 'declare', 'typeset', 'do', 'then', 'else', '{', '!'])

/** Reads the assignments and commands of a bash script: quoting, escapes, comments, here documents, plain expansions. */
export function readShellScript(text: string): ShellScript {
  const variables = new Map<string, string | undefined>()
  const commands: string[][] = []
  const reader: Reader = { text, at: 0, variables, documents: [] }
  let words: Word[] = []
  const endCommand = () => {
    const rest = words.slice(words.findIndex((word) => word.assigns !== undefined || !LEADERS.has(word.text)))
    const isAssignment = words.length > 0 && rest.every((word) => word.assigns !== undefined)
    if (isAssignment) for (const word of rest) assign(variables, word)
    else if (words.length > 0) commands.push(words.map((word) => word.text))
    words = []
  }
  while (reader.at < text.length) {
    const char = text.charAt(reader.at)
    if (char === '#') skipLine(reader)
    else if (char === '\n') {
      endCommand()
      reader.at++
      skipDocuments(reader)
    } else if (';&|()'.includes(char)) {
      endCommand()
      reader.at++
    } else if (char === ' ' || char === '\t' || char === '\r') reader.at++
    else if (text.startsWith('\\\n', reader.at)) reader.at += 2
    else if (/^[0-9]*[<>]/.test(text.slice(reader.at, reader.at + 4))) readRedirection(reader)
    else words.push(readWord(reader))
  }
  endCommand()
  return { variables, commands }
}

type Reader = {
  readonly text: string
  at: number
  readonly variables: ReadonlyMap<string, string | undefined>
  /** The end marks of here documents that begin after this line. */
  readonly documents: string[]
}

function assign(variables: Map<string, string | undefined>, word: Word): void {
  const length = word.assigns ?? 0
  variables.set(word.text.slice(0, length), word.known ? word.text.slice(length + 1) : undefined)
}

function skipLine(reader: Reader): void {
  const end = reader.text.indexOf('\n', reader.at)
  reader.at = end < 0 ? reader.text.length : end
}

/** The target of a redirection is not a word of the command. At the end of the line, the whole here document is skipped. */
function readRedirection(reader: Reader): void {
  const { text } = reader
  while (/[0-9]/.test(text.charAt(reader.at))) reader.at++
  const isDocument = text.startsWith('<<', reader.at) && !text.startsWith('<<<', reader.at)
  while ('<>&-'.includes(text.charAt(reader.at)) && reader.at < text.length) reader.at++
  while (text.charAt(reader.at) === ' ') reader.at++
  if (/[\n;|]/.test(text.charAt(reader.at))) return
  const target = readWord(reader)
  if (isDocument) reader.documents.push(target.text)
}

function skipDocuments(reader: Reader): void {
  for (const end of reader.documents.splice(0)) {
    while (reader.at < reader.text.length) {
      const start = reader.at
      skipLine(reader)
      const line = reader.text.slice(start, reader.at)
      reader.at++
      if (line.trim() === end) break
    }
  }
}

function readWord(reader: Reader): Word {
  const word: Word = { text: '', assigns: undefined, known: true }
  const { text } = reader
  while (reader.at < text.length) {
    const char = text.charAt(reader.at)
    if (' \t\r\n;&|()<>'.includes(char)) break
    if (char === '=' && word.assigns === undefined && NAME.test(word.text) && word.known) word.assigns = word.text.length
    readPiece(reader, word, char)
  }
  return word
}

function readPiece(reader: Reader, word: Word, char: string): void {
  if (char === "'") readSingleQuoted(reader, word)
  else if (char === '"') readDoubleQuoted(reader, word)
  else if (char === '$' || char === '`') readExpansion(reader, word)
  else if (char === '\\') {
    const next = reader.text.charAt(reader.at + 1)
    if (next !== '\n') word.text += next
    reader.at += 2
  } else {
    word.text += char
    reader.at++
  }
}

function readSingleQuoted(reader: Reader, word: Word): void {
  const end = endOr(reader, reader.text.indexOf("'", reader.at + 1))
  word.text += reader.text.slice(reader.at + 1, end)
  reader.at = end + 1
}

function readDoubleQuoted(reader: Reader, word: Word): void {
  const { text } = reader
  reader.at++
  while (reader.at < text.length && text.charAt(reader.at) !== '"') {
    const char = text.charAt(reader.at)
    const next = text.charAt(reader.at + 1)
    if (char === '$' || char === '`') readExpansion(reader, word)
    else if (char === '\\' && '$`"\\\n'.includes(next)) {
      if (next !== '\n') word.text += next
      reader.at += 2
    } else {
      word.text += char
      reader.at++
    }
  }
  reader.at++
}

/** Expands `$NAME` and `${NAME}` with values set before. Any other expansion makes the word unknown. */
function readExpansion(reader: Reader, word: Word): void {
  const { text } = reader
  const rest = text.slice(reader.at, reader.at + 200)
  const quoted = /^\$'((?:[^'\\]|\\.)*)'/s.exec(rest)
  if (quoted !== null && word.assigns !== undefined) {
    word.text += (quoted[1] ?? '')
      .replace(/\\n/g, '\n')
      .replace(/\\t/g, '\t')
      .replace(/\\(['"\\])/g, '$1')
    reader.at += quoted[0].length
    return
  }
  const plain = /^\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)\})/.exec(rest)
  if (plain !== null) {
    const name = plain[1] ?? plain[2] ?? ''
    const value = reader.variables.get(name)
    if (value === undefined && reader.variables.has(name)) word.known = false
    word.text += value ?? ''
    reader.at += plain[0].length
    return
  }
  if (!/^(\$[({0-9@*#?$!-]|`)/.test(rest)) {
    word.text += '$'
    reader.at++
    return
  }
  word.known = false
  skipSubstitution(reader)
}

function skipSubstitution(reader: Reader): void {
  const { text } = reader
  if (text.charAt(reader.at) === '`') {
    reader.at = endOr(reader, text.indexOf('`', reader.at + 1)) + 1
    return
  }
  const open = text.charAt(reader.at + 1)
  if (open !== '(' && open !== '{') {
    reader.at += 2
    return
  }
  const close = open === '(' ? ')' : '}'
  let depth = 0
  for (reader.at++; reader.at < text.length; reader.at++) {
    if (text.charAt(reader.at) === open) depth++
    if (text.charAt(reader.at) === close && --depth === 0) break
  }
  reader.at++
}

function endOr(reader: Reader, index: number): number {
  return index < 0 ? reader.text.length : index
}
