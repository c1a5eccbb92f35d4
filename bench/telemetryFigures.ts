import { join } from 'node:path'
import { createTestApp, NOW } from '../functions/testing/testApp.ts'
import { createMemoryShim } from '../shared/adapters/memory/memoryShim.ts'
import { createVirtualClock } from '../shared/adapters/memory/virtualClock.ts'
import { METRIC_PERIOD_MS } from '../shared/adapters/telemetry/sending.ts'
import { ingestEvents } from '../shared/flows/state/ingestEvents.ts'
import { clusterId } from '../shared/model/ids.ts'
import { LABEL, type Labels } from '../shared/model/labels.ts'
import type { LogRecord } from '../shared/model/logRecord.ts'
import { nodeClass } from '../test/builders/nodeClass.ts'
import { nodePool } from '../test/builders/nodePool.ts'
import { pod } from '../test/builders/pod.ts'
import { resources } from '../test/builders/resources.ts'
import { settings } from '../test/builders/snapshot.ts'
import { scaleDown, scaleUp } from '../test/crash/stories.ts'
import { createMonitored, type MonitoredOptions } from '../test/monitor/monitored.ts'
import { createMonitoredSimulation } from '../test/monitor/monitoredSimulation.ts'
import type { Figure } from './figures.ts'
import { startFigure } from './telemetryStart.ts'

// What telemetry costs in bytes, series and time: the app's own telemetry against an ingestion endpoint in this process, in virtual time.

const DAY_MS = 24 * 3_600_000
const TIMER_MS = 30_000
const TICK_MS = 5_000
const MEGABYTE = 1_000_000
const KILOBYTE = 1_000
const POOLS = 20
const NEVER = new AbortController().signal

export async function telemetryFigures(): Promise<readonly Figure[]> {
  const idle = await idleDay()
  const life = await lifeOfClaim()
  const calm = await readyAfter({})
  const troubled = [await readyAfter({ isDown: () => true }), await readyAfter({ slow: true })]
  return [
    { what: 'an idle cluster, a day', value: idle / MEGABYTE, unit: 'MB', gate: 5, aim: 2 },
    { what: 'the life of one machine, alone: events, spans and metrics', value: life / KILOBYTE, unit: 'KB', gate: 30, aim: 15 },
    { what: `series of five minutes, ${POOLS} pools`, value: await seriesOfBusyCluster(), unit: 'series', gate: 300, aim: 100 },
    { what: 'machines later while ingestion is down or never answers', value: Math.max(...troubled) - calm, unit: 'ms', gate: 0, aim: 0 },
    await startFigure(join(import.meta.dirname, '..')),
  ]
}

/** Returns the bytes of rows of a day in which nothing happens, with every timer and decision. */
async function idleDay(): Promise<number> {
  const clock = createVirtualClock(NOW)
  const { telemetry, ingestion } = createMonitored({ now: () => clock.now() })
  const app = createTestApp({ clock, telemetry, clusters: ['alpha'], runsUntil: NEVER })
  const { alpha } = app.worlds
  alpha.objects.put('nodeClass', nodeClass())
  alpha.objects.put('nodePool', nodePool())
  const shim = createMemoryShim(alpha, 1)
  await post(shim.snapshot())
  for (let passed = 0; passed < DAY_MS; passed += TICK_MS) {
    if (passed % TIMER_MS === 0) await app.run('timer', {})
    const changes = shim.changes()
    if (changes !== undefined) await post(changes)
    app.covers.alpha.allow()
    await telemetry.flush()
    await clock.advance(TICK_MS)
  }
  await telemetry.flushAll()
  return ingestion.bytes

  async function post(record: LogRecord): Promise<void> {
    const deps = { ...alpha.ports, telemetry }
    await ingestEvents({ ...deps, settings: settings() }, clusterId('alpha'), { ...record, unreadable: [] }, NEVER)
  }
}

/** Returns the bytes for one machine whose pod comes and goes again, with its share of the metrics. */
async function lifeOfClaim(): Promise<number> {
  const story = createMonitoredSimulation()
  await scaleUp(story.simulation, 1)
  await scaleDown(story.simulation)
  await story.flush()
  return story.ingestion.bytes / story.simulation.world.journal.entries.filter(({ operation }) => operation === 'api.createClaim').length
}

/** Returns the metric series of a busy cluster: pools with limits and machines of both kinds, joining machines, and pods that no machine fits. */
async function seriesOfBusyCluster(): Promise<number> {
  const { simulation, ingestion, flush } = createMonitoredSimulation()
  const { objects, clock } = simulation.world
  for (let number = 0; number < POOLS; number++) {
    const name = `pool-${number}`
    objects.put('nodePool', nodePool({ name, limits: resources(10_000, 40_000) }))
    for (const capacityType of ['spot', 'on-demand']) wait(name, { [LABEL.nodePool]: name, [LABEL.capacityType]: capacityType })
  }
  wait('nowhere', { [LABEL.zone]: 'nowhere' })
  wait('nobody', { [LABEL.nodePool]: 'nobody' })
  await simulation.runUntil(() => false, METRIC_PERIOD_MS)
  await flush()
  return new Set(ingestion.rows('AppMetrics').map(({ Name, Properties }) => JSON.stringify([Name, Properties]))).size

  function wait(name: string, nodeSelector: Labels): void {
    const now = clock.now()
    const key = `${name}-${Object.values(nodeSelector).join('-')}`
    objects.put('pod', pod({ name: key, cpus: 3, nodeSelector, createdAt: now, unschedulableSince: now }))
  }
}

/** Returns the time from the first pod until all machines are ready, in virtual milliseconds. */
async function readyAfter(options: MonitoredOptions): Promise<number> {
  const took = await scaleUp(createMonitoredSimulation({}, options).simulation)
  if (took === undefined) throw new Error('the machines did not get ready')
  return took
}
