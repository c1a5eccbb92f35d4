/** The forms of answers: which fields an answer has, whatever their values are. */
import type { SmokeAnswer } from './record.ts'

/** The path of a request with a placeholder for each name: `/subscriptions/{}/resourceGroups/{}/providers/Microsoft.Compute/virtualMachines/{}`. */
export function pathTemplate(path: string): string {
  let place = 0
  const shown = path
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment) => {
      // A namespace follows each `providers`. Types and names stand in turn, each with its own name, before it and after its namespace.
      if (segment.toLowerCase() === 'providers') place = -2
      const isName = place > 0 && place % 2 === 1
      place++
      return isName ? '{}' : segment
    })
  return `/${shown.join('/')}`
}

/**
 * The fields of a value, each as `path:type`. `[]` stands for the items of a list, and `*` for the keys of a map of names that users choose.
 */
export function fieldsOf(value: unknown, at = ''): readonly string[] {
  if (Array.isArray(value)) return [...new Set([`${at}:list`, ...value.flatMap((item) => fieldsOf(item, `${at}[]`))])].sort()
  if (typeof value !== 'object' || value === null) return [`${at}:${value === null ? 'null' : typeof value}`]
  const members = Object.entries(value).flatMap(([key, member]) => fieldsOf(member, `${at}.${FREE.test(at) ? '*' : key}`))
  return [...new Set(members.length === 0 ? [`${at}:object`] : members)].sort()
}

/** Maps whose keys are names: tags, identities, and templates' outputs. */
const FREE = /\.(?:tags|userAssignedIdentities|outputs)$/i

/** The kind of an answer. Answers of one kind have one form in a record. */
export function kindOf({ method, path, status }: Pick<SmokeAnswer, 'method' | 'path' | 'status'>): string {
  return `${method} ${path.toLowerCase()} ${status}`
}

/** Items of a list that tell nothing new: all but the first of each form. */
export function firstOfEachForm(value: unknown): unknown {
  if (Array.isArray(value)) {
    const seen = new Set<string>()
    return value.map(firstOfEachForm).filter((item) => {
      const form = fieldsOf(item).join('\n')
      const isNew = !seen.has(form)
      seen.add(form)
      return isNew && seen.size <= MOST_FORMS
    })
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, firstOfEachForm(member)]))
}

/** A list of sizes has hundreds of forms, and a few tell all of its fields. */
const MOST_FORMS = 8

/**
 * What the answers of an emulator lack in comparison with a record of Azure: fields and headers, with their answer. An answer of the record that the
 * emulator never gave is not compared.
 */
export function missingFields(azure: readonly SmokeAnswer[], emulator: readonly SmokeAnswer[]): readonly string[] {
  const given = Map.groupBy(emulator, kindOf)
  return azure.flatMap((answer) => {
    const same = given.get(kindOf(answer))
    if (same === undefined) return []
    const fields = new Set(same.flatMap(({ body }) => fieldsOf(body)))
    const headers = new Set(same.flatMap((each) => Object.keys(each.headers)))
    return [
      ...fieldsOf(answer.body).flatMap((field) => (fields.has(field) ? [] : [`${kindOf(answer)}: ${field}`])),
      ...Object.keys(answer.headers).flatMap((header) => (headers.has(header) ? [] : [`${kindOf(answer)}: header ${header}`])),
    ]
  })
}
