import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createLineTelemetry, LINE_LEVELS } from '../shared/adapters/telemetry/lineTelemetry.ts'
import { DEFAULT_MACHINE_NAMES } from '../shared/model/ids.ts'
import { epochMs } from '../shared/model/units.ts'
import { SHIM_FIELD } from './clusterIdentities.ts'
import { readConfig, SETTINGS, type Settings } from './config.ts'
import { decisionSettings } from './decisionSettings.ts'
import { createTestApp } from './testing/testApp.ts'

const sample: { readonly Values: Record<string, string> } = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', 'local.settings.sample.json'), 'utf8'),
)
/** The sources of this folder, without the schema itself. */
const sources = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => readFileSync(join(import.meta.dirname, name), 'utf8').replace(/export const SETTINGS = [\s\S]*?\n}\)\n/, ''))

function settingsWith(changes: Record<string, string>): Settings {
  const read = readConfig({ ...sample.Values, ...changes })
  if (!read.ok) throw new TypeError(read.error.map(({ message }) => message).join('; '))
  return read.value.settings
}

/** Returns the log levels that are written. */
function written({ LOG_LEVEL }: Settings): readonly string[] {
  const lines: string[] = []
  const clock = { now: () => epochMs(0), sleep: () => Promise.resolve() }
  const telemetry = createLineTelemetry(clock, (line) => void lines.push(line), LOG_LEVEL)
  for (const level of LINE_LEVELS) telemetry[level](level)
  return lines
}

/** What a setting with several words changes. */
const EFFECTS: { readonly [name: string]: (settings: Settings) => unknown } = {
  MIN_VALUES_POLICY: (settings) => decisionSettings(settings, { machineNames: DEFAULT_MACHINE_NAMES }),
  PREFERENCE_POLICY: (settings) => decisionSettings(settings, { machineNames: DEFAULT_MACHINE_NAMES }),
  DISRUPTION_FREEZE: (settings) => decisionSettings(settings, { machineNames: DEFAULT_MACHINE_NAMES }),
  TERMINATE_FIRST: (settings) => decisionSettings(settings, { machineNames: DEFAULT_MACHINE_NAMES }),
  NODE_REPAIR: (settings) => decisionSettings(settings, { machineNames: DEFAULT_MACHINE_NAMES }),
  PLACEMENT: (settings) => decisionSettings(settings, { machineNames: DEFAULT_MACHINE_NAMES }),
  LOG_LEVEL: written,
  SHIM_AUTH: ({ SHIM_AUTH }) => SHIM_FIELD[SHIM_AUTH],
  EVENT_DELIVERY: ({ EVENT_DELIVERY }) => createTestApp({ eventDelivery: EVENT_DELIVERY }).triggers.get('interruption'),
}

function wordsOf(schema: unknown): readonly string[] {
  if (schema instanceof z.ZodDefault) return wordsOf(schema.unwrap())
  return schema instanceof z.ZodEnum ? schema.options.map(String) : []
}

const WORDS = Object.entries(SETTINGS.shape).flatMap(([name, schema]) => {
  const words = wordsOf(schema)
  return words.length === 0 ? [] : [[name, words] as const]
})

describe('every setting', () => {
  it.each(Object.keys(SETTINGS.shape))('%s is read by somebody', (name) => {
    // `settings.NAME`, `{ NAME } = settings`, or `%NAME%`, which the host fills in.
    const reading = new RegExp(`settings\\.${name}\\b|\\b${name}\\b[^\\n]*} = settings|%${name}%`)
    expect(sources.some((source) => reading.test(source))).toBe(true)
  })

  it('of several words has its effect listed', () => {
    expect(WORDS.map(([name]) => name).sort()).toEqual(Object.keys(EFFECTS).sort())
  })

  it.each(WORDS)('%s does another thing with each of its words', (name, words) => {
    const effects = words.map((word) => JSON.stringify(EFFECTS[name]?.(settingsWith({ [name]: word }))))
    expect(new Set(effects).size).toBe(words.length)
  })
})
