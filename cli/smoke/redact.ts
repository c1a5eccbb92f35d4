/** Takes secrets and ids out of an answer of Azure, so that its form can be shown to anybody. */
import { setOwnValue } from '../../shared/base/values.ts'

/** Names of members with a secret or a personal text. The value is removed in any form. */
const SECRET_KEY =
  /custom_?data|user_?data|password|secret|token|^key|keys?$|credential|kubeconfig|connection_?string|^sas|signature|certificate|protected_?settings/i
const REMOVED = '<removed>'

const GUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi
/** Texts that are secrets by their form: tokens, keys, and the parts of a shared access signature. */
const SECRET_FORMS: readonly RegExp[] = [
  /eyJ[\w-]{5,}(?:\.[\w-]*){0,2}/g,
  /-----BEGIN [A-Z ]+-----[\s\S]*?(?:-----END [A-Z ]+-----|$)/g,
  /\bssh-[a-z0-9-]+ [A-Za-z0-9+/=]+(?: \S+)?/g,
  /\b[a-z0-9]{6}\.[a-z0-9]{16}\b/g,
  /\b(?:sig|code|password|pwd|AccountKey|SharedAccessKey)=[^&;\s"']+/gi,
  /[A-Za-z0-9+/]{60,}={0,2}/g,
]
/** An address with a query. A query of ARM may hold a token that reads the result of an operation. */
const WITH_QUERY = /(https?:\/\/[^\s"'?]+)\?([^\s"']*)/g

/** Replaces ids by placeholders that stay the same within a run, so that equal ids can be seen to be equal. */
export type Redactor = { readonly text: (text: string) => string; readonly value: (value: unknown) => unknown }

/** `known`: ids and names of the installation by their placeholder, such as `{ subscription: '...' }`. */
export function createRedactor(known: { readonly [placeholder: string]: string | undefined }): Redactor {
  const placeholders = new Map<string, string>()
  const names = Object.entries(known).flatMap(([name, id]) => (id === undefined || id === '' ? [] : [{ id, name: `<${name}>` }]))
  for (const { id, name } of names) placeholders.set(id.toLowerCase(), name)
  const spelled = names.map(({ id, name }) => ({ pattern: new RegExp(escaped(id), 'gi'), name }))
  const placeholderOf = (id: string): string => {
    const held = placeholders.get(id.toLowerCase()) ?? `<id-${placeholders.size + 1}>`
    placeholders.set(id.toLowerCase(), held)
    return held
  }
  const text = (said: string): string => {
    let left = said.replaceAll(WITH_QUERY, (_, address: string, query: string) => `${address}${versionIn(query)}`)
    for (const form of SECRET_FORMS) left = left.replaceAll(form, REMOVED)
    for (const { pattern, name } of spelled) left = left.replaceAll(pattern, name)
    return left.replaceAll(GUID, placeholderOf)
  }
  const value = (said: unknown): unknown => {
    if (typeof said === 'string') return text(said)
    if (Array.isArray(said)) return said.map(value)
    if (typeof said !== 'object' || said === null) return said
    const copy: { [key: string]: unknown } = {}
    for (const [key, member] of Object.entries(said)) setOwnValue(copy, text(key), isSecret(key, member) ? REMOVED : value(member))
    return copy
  }
  return { text, value }
}

/** A number or a flag under the name of a secret tells about the secret and is none. */
function isSecret(key: string, member: unknown): boolean {
  return SECRET_KEY.test(key) && (typeof member === 'string' || typeof member === 'object') && member !== null
}

function versionIn(query: string): string {
  const version = new URLSearchParams(query).get('api-version')
  return version === null ? '' : `?api-version=${version}`
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
}
