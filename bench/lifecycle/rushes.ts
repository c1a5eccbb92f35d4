// Plays many machines at once, in virtual time: they join within a minute, or Azure evicts them within seconds. Times are in steps of the
// simulation's tick.
import { interrupt } from '../../shared/flows/lifecycle/interrupt.ts'
import { findCondition } from '../../shared/model/condition.ts'
import type { NodeClaimName } from '../../shared/model/ids.ts'
import { TAINT_KEY } from '../../shared/model/labels.ts'
import { nodeNameOf } from '../../test/builders/nodeClaim.ts'
import { pods, REPLICA_SET } from '../../test/builders/pod.ts'
import { createSimulation, type Simulation } from '../../test/crash/simulation.ts'
import { keepReplicas } from '../../test/crash/stories.ts'
import { areReady, reached, scalePool } from './lives.ts'

const MINUTE_MS = 60_000
const NOTICES_MS = 5_000
const NEVER = new AbortController().signal

/** Returns the times from the node object to `Registered`, in milliseconds, for machines that come in one minute. */
export async function joinWithinAMinute(machines: number): Promise<readonly number[]> {
  let replicas = 0
  const simulation: Simulation = createSimulation({
    isConcurrent: true,
    workload: () => {
      const { clock } = simulation
      beganAt ??= clock.now()
      replicas = Math.min(machines, Math.ceil((machines * (clock.now() - beganAt)) / MINUTE_MS))
      scalePool(simulation, replicas)
    },
  })
  let beganAt: number | undefined
  await reached(simulation, `${machines} machines are ready`, () => areReady(simulation, machines))
  const { objects } = simulation.world
  return objects.all('nodeClaim').map(({ status }) => {
    const node = status.nodeName === undefined ? undefined : objects.get('node', status.nodeName)
    return (findCondition(status.conditions, 'Registered')?.lastTransitionAt ?? Number.NaN) - (node?.meta.createdAt ?? Number.NaN)
  })
}

export type Noticed = {
  /** Times from the notice until the node is closed and all its pods were asked to leave, in milliseconds, one for each notice. */
  readonly closedMs: readonly number[]
  /** Times from the notice to the next request for a machine, in milliseconds. */
  readonly replacedMs: readonly number[]
}

/** Plays notices for `noticed` of `machines` machines within five seconds. Each machine has a pod. */
export async function noticeSome(noticed: number, machines: number): Promise<Noticed> {
  const noticedAt = new Map<NodeClaimName, number>()
  const closedMs = new Map<NodeClaimName, number>()
  const requests: number[] = []
  let victims: readonly NodeClaimName[] = []
  const simulation: Simulation = createSimulation({
    isConcurrent: true,
    between: (deps) => ({
      ...deps,
      cloud: {
        ...deps.cloud,
        launch: (...given) => {
          if (noticedAt.size > 0) requests.push(deps.clock.now())
          return deps.cloud.launch(...given)
        },
      },
    }),
    workload: () => {
      lookAtVictims(simulation, noticedAt, closedMs)
      keepReplicas(simulation, machines)
    },
    caller: async () => {
      const due = victims.slice(0, Math.ceil((noticed * 250) / NOTICES_MS))
      victims = victims.slice(due.length)
      for (const claim of due) noticedAt.set(claim, simulation.clock.now())
      await Promise.all(due.map((claim) => simulation.perform((deps) => interrupt(deps, noticeOf(claim), NEVER))))
    },
  })
  const { objects, clock } = simulation.world
  const now = clock.now()
  for (const pod of pods(machines, { name: 'app', cpus: 3, owner: REPLICA_SET, createdAt: now, unschedulableSince: now }))
    objects.put('pod', pod)
  await reached(simulation, `${machines} machines are ready`, () => areReady(simulation, machines))
  victims = objects
    .all('nodeClaim')
    .slice(0, noticed)
    .map(({ name }) => name)
  const areBack = (): boolean => {
    const running = objects.all('pod').filter(({ phase, deletedAt }) => phase === 'Running' && deletedAt === undefined)
    return closedMs.size === noticed && running.length === machines
  }
  await reached(simulation, 'all nodes are closed and all pods run again', areBack)
  const notices = [...noticedAt.values()]
  return { closedMs: [...closedMs.values()], replacedMs: notices.flatMap((at) => nextAfter(requests, at)) }
}

/** Returns the time until the next request. Empty if there is none: the pods had room on machines that were requested before. */
function nextAfter(requests: readonly number[], at: number): readonly number[] {
  const next = requests.find((requested) => requested >= at)
  return next === undefined ? [] : [next - at]
}

function noticeOf(claim: NodeClaimName) {
  return { claim, saidBy: 'node', when: 'announced', eventId: `bench-${claim}`, reason: 'a spot machine is taken' } as const
}

function lookAtVictims(
  { world: { objects, clock } }: Simulation,
  noticedAt: ReadonlyMap<NodeClaimName, number>,
  closedMs: Map<NodeClaimName, number>,
): void {
  if (closedMs.size === noticedAt.size) return
  const staying = new Set(objects.all('pod').flatMap(({ nodeName, deletedAt }) => (deletedAt === undefined ? (nodeName ?? []) : [])))
  for (const [claim, at] of noticedAt) {
    const name = nodeNameOf(claim)
    const node = objects.get('node', name)
    const isClosed = node === undefined || node.taints.some(({ key }) => key === TAINT_KEY.disrupted)
    if (!closedMs.has(claim) && isClosed && !staying.has(name)) closedMs.set(claim, clock.now() - at)
  }
}
