import { ownValue } from '../../../shared/base/values.ts'
import { badRequest } from '../http/statusError.ts'
import { type JsonObject, listAt, objectAt, textAt } from '../object/json.ts'

export type Labels = { readonly [key: string]: string | undefined }
export type LabelSelector = (labels: Labels) => boolean

const REQUIREMENT = /^\s*(?:(!)\s*([^\s!=<>(),]+)|([^\s!=<>(),]+)(?:\s+(in|notin)\s*\(([^)]*)\)|\s*(==|=|!=|>|<)\s*([^\s!=<>(),]*))?)\s*$/

/** Parses the label selector of a query (`a=b,c!=d,e in (f,g),!h`). Returns undefined if it is empty. */
export function parseLabelSelector(text: string): LabelSelector | undefined {
  if (text.trim() === '') return undefined
  const requirements = splitOutsideParentheses(text).map(parseRequirement)
  return (labels) => requirements.every((requirement) => requirement(labels))
}

function parseRequirement(text: string): LabelSelector {
  const match = REQUIREMENT.exec(text)
  if (!match) throw badRequest(`unable to parse requirement: found '${text.trim()}', expected: '=', '!=', '==', 'in', 'notin'`)
  const [, not, absentKey, key = '', setOperator, setValues = '', operator, value = ''] = match
  if (not !== undefined && absentKey !== undefined) return (labels) => ownValue(labels, absentKey) === undefined
  if (setOperator !== undefined) {
    const values = new Set(setValues.split(',').map((item) => item.trim()))
    return (labels) => {
      const found = ownValue(labels, key)
      return setOperator === 'in' ? found !== undefined && values.has(found) : found === undefined || !values.has(found)
    }
  }
  if (operator === undefined) return (labels) => ownValue(labels, key) !== undefined
  if (operator === '!=') return (labels) => ownValue(labels, key) !== value
  if (operator === '>') return (labels) => Number(ownValue(labels, key) ?? 'NaN') > Number(value)
  if (operator === '<') return (labels) => Number(ownValue(labels, key) ?? 'NaN') < Number(value)
  return (labels) => ownValue(labels, key) === value
}

function splitOutsideParentheses(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let start = 0
  for (let index = 0; index < text.length; index++) {
    const char = text[index]
    if (char === '(') depth++
    if (char === ')') depth--
    if (char === ',' && depth === 0) {
      parts.push(text.slice(start, index))
      start = index + 1
    }
  }
  parts.push(text.slice(start))
  return parts
}

/** Returns the selector of a spec: `matchLabels` and `matchExpressions`. An empty selector selects everything. */
export function specSelector(selector: JsonObject): LabelSelector {
  const wanted = Object.entries(objectAt(selector, 'matchLabels'))
  const expressions = listAt(selector, 'matchExpressions').map((expression) => {
    const key = textAt(expression, 'key')
    const values = new Set(listAt(expression, 'values').map(String))
    return (labels: Labels): boolean => matchesExpression(textAt(expression, 'operator'), ownValue(labels, key), values)
  })
  return (labels) => wanted.every(([key, value]) => ownValue(labels, key) === value) && expressions.every((matches) => matches(labels))
}

function matchesExpression(operator: string, found: string | undefined, values: ReadonlySet<string>): boolean {
  switch (operator) {
    case 'In':
      return found !== undefined && values.has(found)
    case 'NotIn':
      return found === undefined || !values.has(found)
    case 'Exists':
      return found !== undefined
    case 'DoesNotExist':
      return found === undefined
    default:
      return false
  }
}
