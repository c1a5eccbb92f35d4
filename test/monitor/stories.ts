// The telemetry that Joiner sends to Azure Monitor in six stories: of a cluster, of a move, of a repair, of the app, of Azure, and of a bug.
import { createTestApp, NOW } from '../../functions/testing/testApp.ts'
import { createCatalog } from '../../shared/adapters/azure/catalog.ts'
import { reportCluster } from '../../shared/flows/decide/reportCluster.ts'
import { interrupt } from '../../shared/flows/lifecycle/interrupt.ts'
import { clusterId } from '../../shared/model/ids.ts'
import { LABEL } from '../../shared/model/labels.ts'
import { Fault, problem } from '../../shared/model/problem.ts'
import { durationMs } from '../../shared/model/units.ts'
import { candidateOf, claim, memoryBlobs, nodeClass, REAL_CLOCK, SIGNAL, startHarness, typeNamed } from '../azure/harness.ts'
import { instanceType } from '../builders/instanceType.ts'
import { nodePool } from '../builders/nodePool.ts'
import { pod } from '../builders/pod.ts'
import { resources } from '../builders/resources.ts'
import { snapshot } from '../builders/snapshot.ts'
import { drift, repair, scaleDown, scaleUp } from '../crash/stories.ts'
import type { Ingestion } from './ingestion.ts'
import { createMonitored } from './monitored.ts'
import { createMonitoredSimulation } from './monitoredSimulation.ts'
import type { Rows } from './rowsOfQuery.ts'

/** Machines come and go. An offering is refused, a pod fits nowhere, a pool has a limit, and a spot machine is interrupted. */
async function storyOfCluster(): Promise<Ingestion> {
  const instanceTypes = [4, 8, 16].map((cpus) =>
    instanceType({ name: `Standard_D${cpus}as_v6`, cpus, memoryGib: 4 * cpus, diskPrice: 0.027 }),
  )
  const { simulation, ingestion, flush } = createMonitoredSimulation({ instanceTypes })
  const { objects, machines, clock } = simulation.world
  objects.put('nodePool', nodePool({ name: 'limited', limits: resources(100, 400) }))
  machines.refuse({}, { times: 1 })
  await scaleUp(simulation)
  const now = clock.now()
  objects.put('pod', pod({ name: 'nowhere', cpus: 5_000, createdAt: now, unschedulableSince: now }))
  const victim = objects.all('nodeClaim').find(({ meta }) => meta.labels[LABEL.capacityType] === 'spot')
  if (victim === undefined) throw new Error('the story needs a spot machine')
  const notice = { claim: victim.name, saidBy: 'node', when: 'announced', eventId: 'e1', reason: 'Preempt' } as const
  await simulation.perform((deps) => interrupt(deps, notice, SIGNAL))
  await simulation.runUntil(() => false, 20_000)
  await scaleDown(simulation)
  await flush()
  return ingestion
}

/** A node drifts and gets no replacement, because the identity of the app gets no token. */
async function storyOfMove(): Promise<Ingestion> {
  let isRefused = false
  const refuse = () => Promise.reject(new Fault('get a token', problem('AZURE.FORBIDDEN', 'no right to write virtualMachines')))
  const { simulation, ingestion, flush } = createMonitoredSimulation({
    between: ({ cloud, ...deps }) => ({
      ...deps,
      cloud: { ...cloud, launch: (...call) => (isRefused ? refuse() : cloud.launch(...call)) },
    }),
  })
  await drift(simulation, () => (isRefused = true))
  await flush()
  return ingestion
}

/** A machine breaks, and a budget allows no eviction of its pods. */
async function storyOfRepair(): Promise<Ingestion> {
  const { simulation, ingestion, flush } = createMonitoredSimulation()
  await repair(simulation)
  await flush()
  return ingestion
}

/** The timer runs, and work fails at every try. */
async function storyOfApp(): Promise<Ingestion> {
  const { telemetry, ingestion, clock } = createMonitored()
  const app = createTestApp({ telemetry, runsUntil: SIGNAL })
  const { alpha } = app.worlds
  await alpha.ports.wakes.wake(clusterId('alpha'), SIGNAL)
  await alpha.ports.log.append({ term: 1, receivedAt: NOW, body: { kind: 'changes', changes: [] } }, SIGNAL)
  const away = problem('STORE.UNAVAILABLE', 'storage is away')
  Object.assign(alpha.ports.lease, { acquire: () => Promise.reject(new Fault('take the lease', away)) })
  void app.run('timer', {})
  for (let second = 0; second < 40; second++) {
    app.covers.alpha.allow()
    await alpha.clock.advance(1_000)
  }
  clock.pass(1)
  await telemetry.flushAll()
  return ingestion
}

/** The real adapter against the local ARM: the catalog, a launch, and a throttled launch. */
async function storyOfAzure(): Promise<Ingestion> {
  const { telemetry, ingestion } = createMonitored()
  const { azure, catalog, provider, ...same } = await startHarness({}, {}, telemetry)
  try {
    await catalog.refresh(SIGNAL)
    const types = await catalog.instanceTypes(nodeClass(), SIGNAL)
    const candidate = candidateOf(typeNamed(types, 'Standard_D2as_v6'), { capacityType: 'on-demand' })
    const bootstrapToken = async (): Promise<string> => 'abcdef.0123456789abcdef'
    const launch = (name: string) =>
      provider.launch({ claim: claim(name), nodeClass: nodeClass(), candidate, bootstrapToken, within: durationMs(30_000) }, SIGNAL)
    await launch('one')
    azure.script.http({ method: 'PUT', path: 'virtualMachines', status: 429, code: 'TooManyRequests', retryAfterSeconds: 0 })
    await launch('two')
    const later = createCatalog({ ...same, pricesEndpoint: azure.pricesUrl, blobs: memoryBlobs(), clock: REAL_CLOCK, telemetry })
    await later.refresh(SIGNAL)
  } finally {
    await azure.close()
  }
  await telemetry.flushAll()
  return ingestion
}

/** A decision fails with an object. No input of the other stories makes a decision fail, so the report of such a decision is told alone. */
async function storyOfBug(): Promise<Ingestion> {
  const { telemetry, ingestion } = createMonitored()
  const leftOut = [{ kind: 'pod', name: 'default/odd', failure: 'the placement of the pod failed' }] as const
  reportCluster({ cluster: clusterId('alpha'), telemetry }, snapshot(), { actions: [], reasons: [], leftOut })
  await telemetry.flushAll()
  return ingestion
}

/** All rows that the stories left in the tables of the workspace. */
export async function playStories(): Promise<Rows> {
  const told = [
    await storyOfCluster(),
    await storyOfMove(),
    await storyOfRepair(),
    await storyOfApp(),
    await storyOfAzure(),
    await storyOfBug(),
  ]
  return (table) => told.flatMap((ingestion) => ingestion.rows(table))
}
