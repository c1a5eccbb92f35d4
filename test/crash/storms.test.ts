import { describe, expect, it } from 'vitest'
import type { ClusterDeps } from '../../shared/flows/deps/clusterDeps.ts'
import { findCondition } from '../../shared/model/condition.ts'
import { Fault, problem } from '../../shared/model/problem.ts'
import type { ClusterApi } from '../../shared/ports/clusterApi.ts'
import { createSimulation, type Simulation, type SimulationOptions } from './simulation.ts'
import { footprint, scaleDown, scaleUp } from './stories.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const PODS = 5

/** Wraps a call of the cluster's API. `call` makes it. */
type Between = (name: string, call: () => Promise<unknown>) => Promise<unknown>

function withApi(deps: ClusterDeps, between: Between): ClusterDeps {
  const api = new Proxy(deps.api, {
    get: (target, name, receiver) => {
      const method: unknown = Reflect.get(target, name, receiver)
      if (typeof method !== 'function') return method
      return (...args: readonly unknown[]) => between(String(name), async () => Reflect.apply(method, target, args))
    },
  })
  return { ...deps, api }
}

/** Telemetry events that were counted more than once for a claim. */
function toldTwice({ world }: Simulation): readonly string[] {
  const told = world.telemetry.events.filter(({ name }) => COUNTED.has(name)).map(({ name, fields }) => `${name} ${fields['nodeClaim']}`)
  return told.filter((each, index) => told.indexOf(each) !== index)
}

const COUNTED: ReadonlySet<string> = new Set(['nodeclaim.registered', 'nodeclaim.initialized', 'nodeclaim.terminated'])

/** One host, one host that adds every key twice, and two hosts that run of the same claims. */
const DELIVERIES: readonly (readonly [name: string, options: SimulationOptions, delivery: 'once' | 'twice'])[] = [
  ['one host', {}, 'once'],
  ['every key twice', {}, 'twice'],
  ['a twin beside it', { hosts: 2 }, 'once'],
]

describe.each(DELIVERIES)('SV-11: with %s, a machine whose claim does not hear of it', (_name, options, delivery) => {
  it.each(['before', 'after'] as const)('LA-08 is taken over by the next launch: the write is lost %s it takes effect', async (when) => {
    const lost = new Set<string>()
    const loses =
      (deps: ClusterDeps): ClusterApi['patchClaimStatus'] =>
      async (claim, status, signal) => {
        const isFirst = findCondition(status.conditions, 'Launched')?.status === 'True' && !lost.has(claim.name)
        if (!isFirst) return deps.api.patchClaimStatus(claim, status, signal)
        lost.add(claim.name)
        if (when === 'after') await deps.api.patchClaimStatus(claim, status, signal)
        throw new Fault('write a status', problem('KUBE.FAILED', 'the connection was cut'))
      }
    const between = (deps: ClusterDeps): ClusterDeps => ({ ...deps, api: { ...deps.api, patchClaimStatus: loses(deps) } })
    const simulation = createSimulation({ ...options, between })
    simulation.deliverBy(() => delivery)
    expect(await scaleUp(simulation, PODS)).toBeLessThan(MINUTE)
    const { objects, machines } = simulation.world
    const { claimsEver, machinesEver } = footprint(simulation)
    expect(lost.size).toBe(claimsEver)
    expect(machinesEver).toBe(claimsEver)
    const known = objects.all('nodeClaim').map(({ status }) => status.providerId)
    expect(known.sort()).toEqual(
      machines
        .all()
        .map(({ instance }) => instance.providerId)
        .sort(),
    )
  })
})

type Storm = (name: string, call: () => Promise<unknown>, nth: number) => Promise<unknown>

const no = (status: number, more: object = {}): never => {
  throw new Fault('ask the API server', problem('KUBE.FAILED', `the API server answered ${status}: busy`, { fields: { status }, ...more }))
}

/** The answer of a call in each storm, and the highest number of calls per second. */
const STORMS: { readonly [name: string]: { readonly storm: Storm; readonly most: { readonly once: number; readonly twice: number } } } = {
  'refuses every call with 429': { storm: async () => no(429, { retryAfterMs: SECOND }), most: { once: 5, twice: 5 } },
  'answers every second call with 503': {
    storm: async (_name, call, nth) => (nth % 2 === 0 ? no(503) : call()),
    most: { once: 10, twice: 12 },
  },
  'does what it is asked and answers 500': {
    storm: async (name, call) => {
      const done = await call()
      return name.startsWith('list') || name.startsWith('get') ? done : no(500)
    },
    // The flows do not know that the write was done, so each claim is requeued. A key that is added twice runs once.
    most: { once: 20, twice: 20 },
  },
}
const STORM_MS = 30 * SECOND

/** Brings in machines and deletes their claims by hand. A storm begins two seconds into each. */
async function weather(storm: Storm | undefined, options: SimulationOptions, delivery: 'once' | 'twice') {
  let [from, asked] = [Number.POSITIVE_INFINITY, 0]
  const early: string[] = []
  const simulation: Simulation = createSimulation({
    ...options,
    between: (deps) => {
      const terminate: typeof deps.cloud.terminate = (claim, signal) => {
        const node = objects.all('nodeClaim').find(({ name }) => name === claim)?.status.nodeName
        const isThere = objects
          .all('pod')
          .some(({ nodeName, deletedAt }) => nodeName !== undefined && nodeName === node && deletedAt === undefined)
        if (isThere) early.push(claim)
        return deps.cloud.terminate(claim, signal)
      }
      const between: Between = (name, call) => {
        const now = clock.now()
        if (storm === undefined || now < from || now >= from + STORM_MS) return call()
        return storm(name, call, asked++)
      }
      return withApi({ ...deps, cloud: { ...deps.cloud, terminate } }, between)
    },
  })
  const { clock, world } = simulation
  const { objects } = world
  simulation.deliverBy(() => delivery)
  from = clock.now() + 2 * SECOND
  const up = await scaleUp(simulation, PODS)
  const ofUp = asked
  from = clock.now() + 2 * SECOND
  for (const { name } of objects.all('nodeClaim')) objects.delete('nodeClaim', name)
  const down = await simulation.runUntil(() => objects.all('nodeClaim').length === 0 && objects.all('node').length === 0, 3 * MINUTE)
  await scaleDown(simulation)
  return { up, down, early, asked: Math.max(ofUp, asked - ofUp), simulation }
}

describe.each(DELIVERIES)('SV-20: with %s, an API server that for half a minute', (_name, options, delivery) => {
  it.each(Object.entries(STORMS))('%s', async (_storm, { storm, most }) => {
    const calm = await weather(undefined, {}, 'once')
    const got = await weather(storm, options, delivery)
    expect(got.up).toBeLessThan(STORM_MS + MINUTE)
    expect(got.down).toBeLessThan(STORM_MS + MINUTE)
    expect(got.asked).toBeGreaterThan(0)
    expect(got.asked).toBeLessThan((most[delivery] * STORM_MS) / SECOND)
    expect(got.early).toEqual([])
    expect(toldTwice(got.simulation)).toEqual([])
    // Messages may be given up, because the resync finds their work again.
    expect({ ...footprint(got.simulation), failing: 0 }).toEqual(footprint(calm.simulation))
  })
})
