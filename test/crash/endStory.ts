/** The end of a NodeClaim in several ways, while another client writes the NodeClaim or its Node. */
import { expect } from 'vitest'
import type { ClusterDeps } from '../../shared/flows/deps/clusterDeps.ts'
import { isTrue } from '../../shared/model/condition.ts'
import type { Meta } from '../../shared/model/labels.ts'
import { durationMs } from '../../shared/model/units.ts'
import { condition } from '../builders/condition.ts'
import { nodePool } from '../builders/nodePool.ts'
import { pods } from '../builders/pod.ts'
import { HOLDS_ALL } from '../builders/podDisruptionBudget.ts'
import { settings } from '../builders/snapshot.ts'
import { createSimulation, type Simulation, type SimulationOptions } from './simulation.ts'
import { footprint } from './stories.ts'
import { createVolumes } from './volumes.ts'

const SECOND = 1_000
const LIMIT_MS = 300 * SECOND
const NOTE = 'example.com/note'
const FOREIGN = 'example.com/foreign'

type Api = ClusterDeps['api']

/**
 * Every call to the API server, and whether the end of a NodeClaim makes it. A call that may meet a conflict there is guarded by a version. The type
 * requires a row for each call, and the stories must make the calls of the end and no others.
 */
export const CALLS: { readonly [Call in keyof Api]: 'read' | 'not in the end' | 'by uid or name' | 'guarded by a version' } = {
  getClaim: 'read',
  listClaims: 'read',
  createClaim: 'not in the end',
  patchClaim: 'guarded by a version',
  patchClaimStatus: 'guarded by a version',
  deleteClaim: 'by uid or name',
  getNodePool: 'read',
  patchNodePoolStatus: 'not in the end',
  annotateNodePool: 'not in the end',
  getNodeClass: 'read',
  patchNodeClassFinalizers: 'not in the end',
  patchNodeClassStatus: 'not in the end',
  listNodeOverlays: 'read',
  patchNodeOverlayStatus: 'not in the end',
  patchCapacityBufferStatus: 'not in the end',
  getNode: 'read',
  patchNode: 'guarded by a version',
  getVolumeAttachment: 'read',
  deleteNode: 'by uid or name',
  listPodsOn: 'read',
  listPodsNominatedFor: 'read',
  getSchedulerMessage: 'read',
  evict: 'by uid or name',
  setDeletionCost: 'not in the end',
  deletePod: 'by uid or name',
  putBootstrapToken: 'not in the end',
  deleteBootstrapToken: 'by uid or name',
  publish: 'by uid or name',
}

export function isOfEnd(name: keyof Api): boolean {
  return CALLS[name] !== 'read' && CALLS[name] !== 'not in the end'
}

/** A write by another client. Returns false if a part of its last write is missing. */
export type Meddle = (simulation: Simulation, at: number) => boolean

export const CLIENTS: { readonly [sentence: string]: Meddle } = {
  'patches labels and annotations of the claim': ({ world: { objects } }, at) =>
    objects.all('nodeClaim').every((claim) => {
      objects.put('nodeClaim', { ...claim, meta: noted(claim.meta, at) })
      return isKept(claim.meta, at)
    }),
  'patches the status of the claim': ({ world: { objects } }, at) =>
    objects.all('nodeClaim').every((claim) => {
      const conditions = withForeign(claim.status.conditions, at)
      objects.put('nodeClaim', { ...claim, status: { ...claim.status, conditions } })
      return at === 0 || claim.status.conditions.some(({ message }) => message === `at ${at - 1}`)
    }),
  'deletes the claim': ({ world: { objects } }) => {
    for (const { name } of objects.all('nodeClaim')) objects.delete('nodeClaim', name)
    return true
  },
  'patches labels and annotations of the node': ({ world: { objects } }, at) =>
    objects.all('node').every((node) => {
      objects.put('node', { ...node, meta: noted(node.meta, at) })
      return isKept(node.meta, at)
    }),
  'patches taints and status of the node': ({ world: { objects } }, at) =>
    objects.all('node').every((node) => {
      const others = node.taints.filter(({ key }) => key !== FOREIGN)
      const taints = [...others, { key: FOREIGN, value: String(at), effect: 'PreferNoSchedule' } as const]
      objects.put('node', { ...node, taints, conditions: withForeign(node.conditions, at) })
      return at === 0 || node.taints.some(({ key, value }) => key === FOREIGN && value === String(at - 1))
    }),
  'deletes the node': ({ world: { objects } }) => {
    for (const { name } of objects.all('node')) objects.delete('node', name)
    return true
  },
}

function noted(meta: Meta, at: number): Meta {
  const note = { [NOTE]: String(at) }
  return { ...meta, labels: { ...meta.labels, ...note }, annotations: { ...meta.annotations, ...note } }
}

function isKept({ labels, annotations }: Meta, at: number): boolean {
  return at === 0 || (labels[NOTE] === String(at - 1) && annotations[NOTE] === String(at - 1))
}

function withForeign<Kind extends { readonly type: string }>(conditions: readonly Kind[], at: number) {
  return [...conditions.filter(({ type }) => type !== 'Foreign'), condition('Foreign', { message: `at ${at}` })]
}

/** How a claim ends. `begin` runs once its pods run, or once the claim has a machine that never joins. */
export type End = {
  readonly options?: (simulation: () => Simulation) => SimulationOptions
  readonly prepare?: (simulation: Simulation) => void
  readonly begin: (simulation: Simulation) => void
  readonly neverJoins?: true
}

const deleteClaims = ({ world: { objects } }: Simulation): void => {
  // No further machine is made for pods that leave.
  for (const pool of objects.all('nodePool')) objects.put('nodePool', { ...pool, limits: { cpu: 1 } })
  for (const { name } of objects.all('nodeClaim')) objects.delete('nodeClaim', name)
}
const withDeadline = ({ world: { objects } }: Simulation): void => {
  objects.put('nodePool', nodePool({ template: { terminationGracePeriod: durationMs(40 * SECOND) } }))
}

export const ENDS: { readonly [sentence: string]: End } = {
  'its pods leave before its deadline': { prepare: withDeadline, begin: deleteClaims },
  'a budget holds its pods until its deadline': {
    prepare: withDeadline,
    begin: (simulation) => {
      simulation.world.objects.put('podDisruptionBudget', HOLDS_ALL)
      deleteClaims(simulation)
    },
  },
  'its volumes are detached slowly': {
    options: (simulation) => {
      const { tick } = createVolumes()
      return { workload: () => tick(simulation()) }
    },
    begin: deleteClaims,
  },
  'its machine never joins': {
    neverJoins: true,
    options: () => ({ bootMs: 10 * LIMIT_MS, settings: settings({ registrationTimeout: durationMs(30 * SECOND) }) }),
    begin: ({ world: { objects } }) => {
      for (const { key } of objects.all('pod')) objects.remove('pod', key)
    },
  },
}

/** The other client, and the writes that it precedes. `write` counts from 0. */
export type Meddling = { readonly client: Meddle; readonly isNow: (write: number, simulation: Simulation) => boolean }

/** Plays the end. Returns its writes, and whether the other client lost one of its own. */
export async function playEnd({ options = () => ({}), prepare, begin, neverJoins }: End, hosts: number, meddling?: Meddling) {
  const writes: string[] = []
  let hasBegun = false
  let at = 0
  let isLost = false
  const note = (name: string): void => {
    if (!hasBegun) return
    writes.push(name)
    if (meddling?.isNow(writes.length - 1, simulation)) isLost = !meddling.client(simulation, at++) || isLost
  }
  const simulation: Simulation = createSimulation({
    podExitMs: 2 * SECOND,
    ...options(() => simulation),
    hosts,
    between: (deps) => withNotes(deps, note),
  })
  const { objects } = simulation.world
  prepare?.(simulation)
  const now = simulation.clock.now()
  const given = pods(2, { name: 'app', createdAt: now, unschedulableSince: now, terminationGracePeriodSeconds: 10 })
  for (const each of given) objects.put('pod', each)
  const isIn = (): boolean =>
    objects.all('nodeClaim').some(({ status }) => isTrue(status.conditions, neverJoins ? 'Launched' : 'Initialized')) &&
    objects.all('pod').every(({ phase }) => neverJoins === true || phase === 'Running')
  if ((await simulation.runUntil(isIn, LIMIT_MS)) === undefined) expect.fail('the claim did not come in')
  // What follows the start of the pods is over by then.
  await simulation.runUntil(() => false, 5 * SECOND)
  hasBegun = true
  begin(simulation)
  const tookMs = await simulation.runUntil(() => objects.all('nodeClaim').length + objects.all('node').length === 0, LIMIT_MS)
  await simulation.runUntil(() => false, 10 * SECOND)
  return { simulation, writes, tookMs, isLost, left: footprint(simulation) }
}

/** Notes each write of the end before it is made. */
function withNotes(deps: ClusterDeps, note: (name: string) => void): ClusterDeps {
  const api = new Proxy(deps.api, {
    get(target, name: keyof Api) {
      const call = target[name] as (...input: readonly unknown[]) => Promise<unknown>
      if (!isOfEnd(name)) return call
      return (...input: readonly unknown[]) => {
        if (name !== 'publish' || JSON.stringify(input).includes('nodeClaim')) note(name)
        return call(...input)
      }
    },
  })
  const terminate: typeof deps.cloud.terminate = (...input) => {
    note('terminate')
    return deps.cloud.terminate(...input)
  }
  return { ...deps, api, cloud: { ...deps.cloud, terminate } }
}
