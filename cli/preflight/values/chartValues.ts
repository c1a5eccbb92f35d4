import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import type { Environment } from '../../clusterAccess.ts'
import { parseImage } from '../shimImage.ts'
import { placeOf } from './placeOf.ts'

const FILE = join(import.meta.dirname, '../../../charts/joiner/values.schema.json')

/** Returns what the schema of the chart refuses, which Helm would refuse only after all of Azure is made. */
export function chartProblems({ JOINER_CHART_VALUES: text, JOINER_SHIM_IMAGE: image }: Environment): readonly string[] {
  const schema = z.fromJSONSchema(JSON.parse(readFileSync(FILE, 'utf8')))
  const given: readonly (readonly [name: string, values: unknown])[] = [
    ...(image ? [['JOINER_SHIM_IMAGE', { image: parseImage(image) }] as const] : []),
    ...(text ? [['JOINER_CHART_VALUES', withoutNull(JSON.parse(text))] as const] : []),
  ]
  return given.flatMap(([name, values]) => {
    const { error } = schema.safeParse(values)
    return (error?.issues ?? []).map(({ path, message }) => `${placeOf(name, path)}: ${message}`)
  })
}

/** Helm takes null for the removal of a default. */
function withoutNull(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).flatMap(([name, each]) => (each === null ? [] : [[name, withoutNull(each)]])))
}
