/** The configuration of CoreDNS as CoreDNS reads it, reduced to the plugins of local DNS. Source: coredns/coredns v1.12.3, plugin folders, 2025-08. */

type Words = readonly string[]
type Directive = { readonly words: Words; readonly block: readonly Words[] }
export type DnsServer = { readonly zone: string; readonly listeners: Words; readonly directives: readonly Directive[] }

/** Why CoreDNS does not start with the text, or its servers. */
export function readCorefile(text: string): readonly DnsServer[] | string {
  const lines = text
    .split('\n')
    .map(wordsOf)
    .filter((words) => words.length > 0)
  const servers: DnsServer[] = []
  for (let at = 0; at < lines.length; ) {
    const read = readServer(lines, at)
    if (typeof read === 'string') return read
    servers.push(read.server)
    at = read.next
  }
  const names = servers.flatMap(({ zone, listeners }) => listeners.map((listener) => `${zone} on ${listener}`))
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  return twice === undefined ? servers : `cannot serve dns://${twice}: it is already defined`
}

/** The words of a line, in quotes or not, without a comment. */
function wordsOf(line: string): Words {
  return [...line.matchAll(/"((?:[^"\\]|\\.)*)"|(#.*)|(\S+)/g)].flatMap(([, quoted, comment, plain]) =>
    comment === undefined ? [quoted ?? plain ?? ''] : [],
  )
}

function readServer(lines: readonly Words[], start: number): { readonly server: DnsServer; readonly next: number } | string {
  const head = (lines[start] ?? []).join(' ')
  const zone = /^(\S+):53 \{$/.exec(head)?.[1]
  if (zone === undefined) return `${head} does not begin a server on port 53`
  if (/[A-Z]/.test(zone)) return `${zone}: no name is found in a zone with a capital letter`
  const read = readDirectives(lines, start + 1)
  if (read === undefined) return `${zone}: the block has no end`
  const bad = read.directives.map(directiveFailure).find((failure) => failure !== undefined)
  if (bad !== undefined) return `${zone}: ${bad}`
  const listeners = read.directives.flatMap(({ words: [name, ...addresses] }) => (name === 'bind' ? addresses : []))
  return { server: { zone: zone === '.' ? zone : zone.replace(/\.$/, ''), listeners, directives: read.directives }, next: read.next }
}

const isEnd = (words: Words | undefined): boolean => words?.join(' ') === '}'

/** The directives up to the end of the server. Undefined if a block has no end. */
function readDirectives(
  lines: readonly Words[],
  start: number,
): { readonly directives: readonly Directive[]; readonly next: number } | undefined {
  const directives: Directive[] = []
  for (let at = start; at < lines.length; at += 1) {
    const words = lines[at] ?? []
    if (isEnd(words)) return { directives, next: at + 1 }
    const hasBlock = words.at(-1) === '{'
    const end = hasBlock ? lines.findIndex((each, index) => index > at && isEnd(each)) : at
    if (end < 0) return undefined
    directives.push({ words: hasBlock ? words.slice(0, -1) : words, block: lines.slice(at + 1, end) })
    at = end
  }
  return undefined
}

type Check = (args: Words, block: readonly Words[]) => string | undefined

const ADDRESS = String.raw`\d{1,3}(\.\d{1,3}){3}`

function directiveFailure({ words: [name = '', ...args], block }: Directive): string | undefined {
  const check = PLUGINS.get(name)
  if (check === undefined) return `unknown directive ${name}`
  const failure = check(args, block)
  return failure === undefined ? undefined : `plugin/${name}: ${failure}`
}

/** A plugin whose arguments match, and whose properties match one pattern each. */
function plugin(argument: RegExp, properties: readonly RegExp[] = []): Check {
  return (args, block) => {
    if (!argument.test(args.join(' '))) return `wrong argument ${args.join(' ')}`
    const unknown = block.find((words) => !properties.some((property) => property.test(words.join(' '))))
    return unknown === undefined ? undefined : `unknown property ${unknown.join(' ')}`
  }
}

const cache = plugin(/^\d+$/, [/^(success|denial) \d+( \d+)?$/, /^serve_stale \d+(s|m|h)( (immediate|verify))?$/, /^servfail \d+(s|m|h)?$/])

const PLUGINS: ReadonlyMap<string, Check> = new Map([
  ['bind', plugin(new RegExp(`^${ADDRESS}( ${ADDRESS})*$`))],
  ['cache', (args, block) => (Number(args[0]) === 0 ? 'cache TTL can not be zero or negative: 0' : cache(args, block))],
  ['errors', plugin(/^$/)],
  [
    'forward',
    plugin(new RegExp(`^\\. ${ADDRESS}$`), [
      /^(force_tcp|prefer_udp)$/,
      /^policy (random|round_robin|sequential)$/,
      /^max_concurrent \d+$/,
    ]),
  ],
  ['log', plugin(/^$/)],
  ['loop', plugin(/^$/)],
  ['nsid', plugin(/^[\w -]*$/)],
  ['prometheus', plugin(/^:\d+$/)],
  ['ready', plugin(new RegExp(`^${ADDRESS}:\\d+$`))],
  ['template', plugin(/^ANY ANY \S+$/, [/^match \S+$/, /^rcode [A-Z]+$/, /^fallthrough$/])],
  ['whoami', plugin(/^$/)],
])
