import { expect, it } from 'vitest'
import { createMemoryWorld } from '../shared/adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../shared/adapters/memory/virtualClock.ts'
import { clusterId } from '../shared/model/ids.ts'
import { durationMs, epochMs } from '../shared/model/units.ts'
import { settings } from '../test/builders/snapshot.ts'
import { createClusterRuntime } from './clusterRuntime.ts'
import { createClusterWork } from './clusterWork.ts'
import { DEFAULT_SCHEDULES, schedulesOf } from './scheduleSettings.ts'
import { LONGEST_SILENCE_MS, msUntilAgain } from './untilAgain.ts'

it('asks for no post before the longest silence is over: the shim comes then anyway, and would come twice', () => {
  const clock = createVirtualClock(epochMs(0))
  const deps = { ...createMemoryWorld({ clock, cluster: clusterId('alpha'), instanceTypes: [] }).ports, settings: settings() }
  const work = createClusterWork(deps.cluster, { clock, batch: { idle: durationMs(0), max: durationMs(0) } })
  const runtime = createClusterRuntime({ deps, work, instancePrefix: '' })
  expect(msUntilAgain(runtime, schedulesOf(DEFAULT_SCHEDULES).disruption)).toBe(LONGEST_SILENCE_MS)
})
