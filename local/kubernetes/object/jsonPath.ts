import { ownValue } from '../../../shared/base/values.ts'
import { isList, isObject, type Json, sameJson } from './json.ts'

type Step = (values: readonly Json[]) => Json[]

const STEP =
  /^(?:\.?\[\s*'([^']*)'\s*\]|\.?\[\s*"([^"]*)"\s*\]|\.?\[\s*(-?\d+|\*)\s*\]|\.?\[\s*\?\((.*?)\)\s*\]|\.(\*)|\.?((?:[^.[\]\\]|\\.)+))/
const FILTER = /^\s*@((?:\.[^=!<>\s]+)+)\s*(?:(==|!=|<=|>=|<|>)\s*(.+?))?\s*$/

/**
 * Compiles a JSON path of the kind that printer columns and scale paths use: fields, indexes, wildcards and simple filters. Returns undefined if the
 * text is not such a path.
 */
export function compileJsonPath(text: string): ((root: Json) => readonly Json[]) | undefined {
  let rest = text
    .trim()
    .replace(/^\{(.*)\}$/, '$1')
    .replace(/^\$/, '')
  const steps: Step[] = []
  while (rest !== '' && rest !== '.') {
    const match = STEP.exec(rest)
    if (!match) return undefined
    const step = stepOf(match)
    if (!step) return undefined
    steps.push(step)
    rest = rest.slice(match[0].length)
  }
  return (root) => steps.reduce<readonly Json[]>((values, step) => step(values), [root])
}

function stepOf(match: RegExpExecArray): Step | undefined {
  const [, single, double, index, filter, star, bare] = match
  if (filter !== undefined) return filterStep(filter)
  if (star !== undefined || index === '*') return (values) => values.flatMap(children)
  if (index !== undefined) return (values) => values.flatMap((value) => pick(isList(value) ? value.at(Number(index)) : undefined))
  const name = (single ?? double ?? bare ?? '').replaceAll(/\\(.)/g, '$1')
  return (values) => values.flatMap((value) => pick(isObject(value) ? ownValue(value, name) : undefined))
}

function pick(value: Json | undefined): Json[] {
  return value === undefined ? [] : [value]
}

function children(value: Json): Json[] {
  if (isList(value)) return [...value]
  return isObject(value) ? Object.values(value).flatMap((member) => pick(member)) : []
}

function filterStep(filter: string): Step | undefined {
  const match = FILTER.exec(filter)
  if (!match) return undefined
  const [, path = '', operator, literal] = match
  const find = compileJsonPath(path)
  const wanted = literal === undefined ? undefined : parseLiteral(literal)
  if (!find) return undefined
  const holds = (item: Json): boolean => {
    const found = find(item)
    if (operator === undefined) return found.length > 0
    return found.some((value) => compare(operator, value, wanted ?? null))
  }
  return (values) => values.flatMap((value) => children(value).filter(holds))
}

function parseLiteral(text: string): Json {
  const quoted = /^'(.*)'$|^"(.*)"$/.exec(text)
  if (quoted) return quoted[1] ?? quoted[2] ?? ''
  if (text === 'true' || text === 'false') return text === 'true'
  return Number.isNaN(Number(text)) ? text : Number(text)
}

function compare(operator: string, value: Json, wanted: Json): boolean {
  if (operator === '==') return sameJson(value, wanted)
  if (operator === '!=') return !sameJson(value, wanted)
  const first = Number(value)
  const second = Number(wanted)
  if (operator === '<') return first < second
  if (operator === '>') return first > second
  return operator === '<=' ? first <= second : first >= second
}
