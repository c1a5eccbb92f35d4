import type { Figure } from '../figures.ts'
import { idleHour } from '../idle/hours.ts'
import { startStorageProcess } from '../idle/idleFigures.ts'
import { beyondIdle, billedMonth } from './billing.ts'
import { playMachines, type StoryOptions } from './story.ts'

/** Machines that are played one after another. */
const PLAYED = 2

/** Measures the parts: the idle hour in virtual time, and the machines on a host that stops and kills idle processes. */
export async function monthFigures(options: Pick<StoryOptions, 'hostFile' | 'limitMs' | 'speed'>): Promise<readonly Figure[]> {
  const { at, stop } = await startStorageProcess()
  const { billedSeconds } = await idleHour(at, 'machines').finally(() => stop())
  const bills = await playMachines({ ...options, harsh: [] }, PLAYED)
  console.log(JSON.stringify(bills))
  const parts = { idleHour: billedSeconds, ...beyondIdle(bills, billedSeconds) }
  return [
    { what: 'idle hour with machines: billed', value: parts.idleHour, unit: 's' },
    { what: 'a machine comes: billed beyond that', value: parts.comes, unit: 's' },
    { what: 'a machine goes: billed beyond that', value: parts.goes, unit: 's' },
    { what: 'a month, 100 machines in and out a day: billed', value: billedMonth(parts), unit: 's', gate: 326_000, aim: 200_000 },
  ]
}
